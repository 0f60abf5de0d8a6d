// The cheems_cpu dialect.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUBASE_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUBASE_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def CheemsCPU_Dialect : Dialect {
  let name = "cheems_cpu";
  let cppNamespace = "::cheems::cpu";
  let summary = "What kernels of CPUs compute";
  let description = [{
    The dialect has products of weights in panels and of codes, columns that are finished while they are in a cache, attention by blocks
    of entries, and scratch per worker. Packing and tiling make these ops on tensors. After bufferisation they are on buffers, and
    kernels replace them.

    Letters in shapes and labels of constraints are those of `cheems`. One constraint holds for every op that has `outs`:
    - C0: operands with a shape are all tensors or all buffers.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::cheems::CheemsDialect"];
}

class CheemsCPU_Op<string mnemonic, list<Trait> traits = []> : Op<CheemsCPU_Dialect, mnemonic, traits>;
class CheemsCPU_DestinationOp<string mnemonic, list<Trait> traits = []> : Cheems_DestinationOpOf<CheemsCPU_Dialect, mnemonic, traits>;

#endif
