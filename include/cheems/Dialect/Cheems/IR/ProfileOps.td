// These ops mark where the time of a step goes.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_PROFILEOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_PROFILEOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_MarkOp : Cheems_Op<"mark", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A part of the step begins here";
  let description = [{
    The time from this mark to the next mark of the function, or to its end, belongs to one part of the step. A profile shows it as a
    slice with this name.

    Equation: profile[i] = cycle count, if a profile is wanted. i counts the marks of the function from 0.

    Operands and state: none.

    Constraints:
    - C1: it is in the first block of a function, and in no loop or branch.
    - C2: `part` is not empty.

    Edges: without a profile it does nothing. `cheems-emit-entries` lowers it, and refuses it in a function that is not an entry.

    Accumulation: none.

    Example:
    ```mlir
    cheems.mark "layer 3 attention_mlp"
    %y = call @attention_mlp(%x) : (tensor<?x768xf32>) -> tensor<?x768xf32>
    ```
  }];
  let arguments = (ins StrAttr:$part);
  let assemblyFormat = "$part attr-dict";
  let hasVerifier = 1;
}

#endif
