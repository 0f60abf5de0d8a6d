// Products with weights in panels, and what is done to each sum before it is stored.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_LINEAROPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_LINEAROPS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_LinearOp : Cheems_DestinationOp<"linear", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TilingInterface, ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let summary = "Products of one input with weights in panels, and an epilogue";
  let description = [{
    Multiplies rows with one or two matrices stored as panels, and stores what the epilogue makes of the sums: an activation,
    a gate, a bias, a residual.

    Equation: with W_i[n, k] = weights[i][n / 16, k / pair, n % 16, k % pair] and sum_i[t, n] = sum_k x[t, k] * W_i[n, k]:
    y[t, n] = epilogue(sum_0[t, n], ..., with_0[t, n] or with_0[n], ...); without an epilogue y[t, n] = sum_0[t, n]

    Operands: `x` [T, K] f32; `weights` [ceil(N/16), K/pair, 16, pair] f32 or bf16; `with` [T, N] or [N] f32; `y` [T, N] f32 is
    the destination, written only, and may not overlap `x` or `with`.

    Constraints:
    - C1: `x` is [T, K] and `y` [T, N], with one T; K is static.
    - C2: there are one or two `weights`, of one type [P, K/pair, 16, pair] with P = ceil(N/16) where N is static; `pair` is 1, or 2 for bf16.
    - C3: `with` are of y's shape, or [N].
    - C4: the epilogue takes one f32 a weight and one f32 an operand of `with`, in this order.
    - C5: the epilogue holds elementwise ops and constants on scalars only and yields one f32.
    - C6: without an epilogue there is one weight and no `with`.

    Edges: rows of W past N are never stored. K = 0 is not allowed.

    Accumulation: f32, in an order that depends on K and the target alone: a row's result is the same whatever rows stand beside
    it. Targets with bf16 products round `x` to bf16 where `pair` is 2, and take denormals for zeros there. With
    tiles it sums blocks of 32 k, each the chain of its even k plus that of its odd k, and denormal results become zeros.

    Example:
    ```mlir
    %h = cheems.linear ins(%x : tensor<?x768xf32>) weights(%gate, %up : tensor<96x384x16x2xbf16>, tensor<96x384x16x2xbf16>)
        outs(%init : tensor<?x1536xf32>) {
    ^bb0(%g: f32, %u: f32):
      %positive = arith.maximumf %g, %zero : f32
      %product = arith.mulf %positive, %u : f32
      cheems.yield %product : f32
    } -> tensor<?x1536xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$x, Variadic<Cheems_Shaped<[F32, BF16], [4]>>:$weights,
                       Variadic<Cheems_Shaped<[F32], [1, 2]>>:$with, Cheems_Shaped<[F32], [2]>:$y);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    attr-dict `ins` `(` $x `:` type($x) `)` `weights` `(` $weights `:` type($weights) `)` (`with` `(` $with^ `:` type($with) `)`)?
    `outs` `(` $y `:` type($y) `)` ($epilogue^)? (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
    /// Columns of a panel.
    static constexpr int64_t kColumns = 16;
    /// Whether an epilogue may hold `op`.
    static bool mayHold(::mlir::Operation *op);
    int64_t getPair() { return ::mlir::cast<::mlir::ShapedType>(getWeights()[0].getType()).getDimSize(3); }
  }];
  let hasRegionVerifier = 1;
}

def Cheems_YieldOp : Cheems_Op<"yield", [Pure, Terminator]> {
  let summary = "What an epilogue stores";
  let description = [{
    Ends the epilogue of `cheems.linear`.

    Equation: the epilogue's value is `value`.

    Operands and state: `value` f32.

    Constraints:
    - C1: it stands in a `cheems.linear`.

    Edges: none.

    Accumulation: none.

    Example:
    ```mlir
    cheems.yield %sum : f32
    ```
  }];
  let arguments = (ins F32:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif
