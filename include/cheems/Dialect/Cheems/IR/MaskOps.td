// The values of the dynamic mask.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_MASKOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_MASKOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_DynamicMaskOp : Cheems_DestinationOp<"dynamic_mask", [DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let readsInit = "false";
  let summary = "The mask value of each key";
  let description = [{
    The mask has one positive number per key and head of `A`.

    Equation: mask[t, m] = exp(A[m] * softplus(step[t, m])),  softplus(x) = log(1 + exp(x))

    Operands: `step` [T, M] f32, the projection of the values; `a` [M] f32; `mask` [T, M] f32 is the destination.

    Constraints:
    - C1: `step` and `mask` have the same shape [T, M].
    - C2: `a` is [M].

    Edges: `a` = 0 gives 1. A large positive `a` overflows to infinity, as the equation does.

    Accumulation: f32.

    Example:
    ```mlir
    %m = cheems.dynamic_mask ins(%dt, %a : tensor<?x3xf32>, tensor<3xf32>) outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$step, Cheems_Shaped<[F32], [1]>:$a, Cheems_Shaped<[F32], [2]>:$mask);
  let assemblyFormat = [{
    attr-dict `ins` `(` $step `,` $a `:` type($step) `,` type($a) `)`
    `outs` `(` $mask `:` type($mask) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getMaskMutable(); }";
}

#endif
