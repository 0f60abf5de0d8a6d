// The cheems_cpu dialect.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUBASE_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUBASE_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def CheemsCPU_Dialect : Dialect {
  let name = "cheems_cpu";
  let cppNamespace = "::cheems::cpu";
  let summary = "What only the path to CPUs has";
  let description = [{
    The dialect has the ops of one sequence, into which `cheems-expand-segments` turns ops of a step: SSD, attention, and which keys are
    stored and kept. It has matmuls of weights in panels and of quantized weights, columns that are finished while they are in a cache,
    attention by blocks of entries, and scratch per worker, which packing and tiling make. All of them are on tensors first. After
    bufferisation they are on buffers, and kernels replace them.

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
