// The cheems_cpu dialect.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUBASE_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUBASE_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def CheemsCPU_Dialect : Dialect {
  let name = "cheems_cpu";
  let cppNamespace = "::mlir::cheems";
  let summary = "What kernels of CPUs compute";
  let description = [{
    Products with weights in panels and of codes, columns finished while they are in a cache, attention by blocks of entries, scratch
    per worker. The ops are on tensors first, as results of tiling and packing, then on buffers, where a kernel takes their place.

    Letters in shapes and labels of constraints are as in `cheems`. Of every op that has `outs`:
    - C0: operands with a shape are all tensors or all buffers.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::cheems::CheemsDialect"];
}

class CheemsCPU_Op<string mnemonic, list<Trait> traits = []> : Op<CheemsCPU_Dialect, mnemonic, traits>;
class CheemsCPU_DestinationOp<string mnemonic, list<Trait> traits = []> : Cheems_DestinationOpOf<CheemsCPU_Dialect, mnemonic, traits>;

#endif
