// Root mean square normalisation.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_NORMOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_NORMOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_RmsNormOp : Cheems_DestinationOp<"rms_norm", [DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let readsInit = "false";
  let summary = "Root mean square normalisation of the last dimension";
  let description = [{
    Scales each row of the last dimension to unit root mean square, and multiplies it by a weight.

    Equation: y[..., i] = x[..., i] * weight[i] / sqrt(mean_j(x[..., j]^2) + epsilon)

    Operands: `x` [..., D] f32; `weight` [D] f32; `y` [..., D] f32 is the destination. It may not overlap `x`,
    because rows are read twice.

    Constraints:
    - C1: `x` and `y` have the same shape, of rank 2 or 3.
    - C2: `weight` is [D].
    - C3: `epsilon` is 0 or at least 2^-126, which is a normal f32.

    Edges: a zero row gives zero if epsilon > 0.

    Accumulation: f32. The order is not specified, but it is the same for every row of one compiled op.

    Example:
    ```mlir
    %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x768xf32>, tensor<768xf32>)
                                         outs(%o : tensor<?x768xf32>) -> tensor<?x768xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2, 3]>:$x, Cheems_Shaped<[F32], [1]>:$weight,
                       Cheems_Shaped<[F32], [2, 3]>:$y, F64Attr:$epsilon);
  let assemblyFormat = [{
    `epsilon` $epsilon attr-dict `ins` `(` $x `,` $weight `:` type($x) `,` type($weight) `)`
    `outs` `(` $y `:` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }";
}

#endif
