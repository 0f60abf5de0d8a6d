// Rotary position embedding.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_ROTARYOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_ROTARYOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_RotaryTableOp : Cheems_DestinationOp<"rotary_table"> {
  let readsInit = "false";
  let summary = "Cosines and sines of the rotary angles of each row";
  let description = [{
    The rotary tables of all rows of a step. Layers with the same angles share them.

    Equation: angle[t, i] = position[t] * base[t]^(-2i/R), where R/2 is the number of columns. With `frequencies`,
    angle[t, i] = position[t] * frequencies[i]. cosine = magnitude * cos(angle), sine = magnitude * sin(angle). base[t] is `theta`, or
    with `dynamic` and length[t] > `trained`:
    base[t] = theta * (factor * length[t] / trained - (factor - 1))^(R / (R - 2))   (dynamic NTK)

    Operands: `position` [T] i32, the row's position in its sequence; `length` [T] i32, the sequence length that the row's base is
    computed for; `cosine`, `sine` [T, R/2] f32 are destinations.

    Constraints:
    - C1: `cosine` and `sine` have the same shape; `position` and `length` have as many rows, T.
    - C2: there is either `theta` > 0 or `frequencies`.
    - C3: `dynamic` has `theta`, `factor` >= 1 and `trained` >= 1, and R > 2.
    - C4: `frequencies` are R/2 finite numbers, none of which is negative, and R/2 is static.
    - C5: `magnitude` is positive and finite.

    Edges: position 0 gives cosine `magnitude` and sine 0. `length` is ignored without `dynamic`.

    Accumulation: angles are computed and range-reduced in f64. Cosines and sines are rounded to f32 once, after `magnitude`. So positions
    up to 2^30 have full accuracy.

    Example:
    ```mlir
    %c, %s = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<?xi32>, tensor<?xi32>)
                 outs(%c0, %s0 : tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>, tensor<?x64xf32>
    %u, %v = cheems.rotary_table frequencies [1.0, 0.25] {magnitude = 1.125 : f64} ins(%p, %l : tensor<?xi32>, tensor<?xi32>)
                 outs(%u0, %v0 : tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[I32], [1]>:$position, Cheems_Shaped<[I32], [1]>:$length,
                       Cheems_Shaped<[F32], [2]>:$cosine, Cheems_Shaped<[F32], [2]>:$sine,
                       OptionalAttr<F64Attr>:$theta, UnitAttr:$dynamic, DefaultValuedAttr<F64Attr, "1.0">:$factor,
                       DefaultValuedAttr<I64Attr, "0">:$trained, OptionalAttr<DenseF64ArrayAttr>:$frequencies,
                       DefaultValuedAttr<F64Attr, "1.0">:$magnitude);
  let assemblyFormat = [{
    (`theta` $theta^)? (`dynamic` $dynamic^)? (`frequencies` $frequencies^)? attr-dict `ins` `(` $position `,` $length `:` type($position) `,` type($length) `)`
    `outs` `(` $cosine `,` $sine `:` type($cosine) `,` type($sine) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 2, 2); }
  }];
}

def Cheems_RotaryOp : Cheems_DestinationOp<"rotary", [DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let readsInit = "false";
  let summary = "Rotary position embedding of heads";
  let description = [{
    Rotates each pair (i, i + R/2) of the first R numbers of a head by the row's angle i, where the tables have R/2 columns. The other
    P - R numbers pass.

    Equation: y[t, h, i]       = x[t, h, i] * cosine[t, i] - x[t, h, i + R/2] * sine[t, i]          for i < R/2
              y[t, h, i + R/2] = x[t, h, i + R/2] * cosine[t, i] + x[t, h, i] * sine[t, i]          for i < R/2
              y[t, h, i]       = x[t, h, i]                                                         for i >= R

    Operands: `x` [T, H, P] f32; `cosine`, `sine` [T, R/2] f32; `y` [T, H, P] f32 is the destination, which may not overlap `x`.

    Constraints:
    - C1: `x` and `y` have the same shape.
    - C2: P is even and static, `cosine` and `sine` are [T, R/2], R is static and 2 <= R <= P.

    Accumulation: f32.

    Example:
    ```mlir
    %r = cheems.rotary ins(%q, %c, %s : tensor<?x6x128xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
                       outs(%o : tensor<?x6x128xf32>) -> tensor<?x6x128xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [3]>:$x, Cheems_Shaped<[F32], [2]>:$cosine,
                       Cheems_Shaped<[F32], [2]>:$sine, Cheems_Shaped<[F32], [3]>:$y);
  let assemblyFormat = [{
    attr-dict `ins` `(` $x `,` $cosine `,` $sine `:` type($x) `,` type($cosine) `,` type($sine) `)`
    `outs` `(` $y `:` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
    /// R: how many numbers of a head turn.
    int64_t getTurned() { return 2 * ::mlir::cast<::mlir::ShapedType>(getCosine().getType()).getDimSize(1); }
    bool turnsWholeHeads() { return getTurned() == ::mlir::cast<::mlir::ShapedType>(getX().getType()).getDimSize(2); }
  }];
}

#endif
