// Cross-domain mixture of experts: retrieval by product keys, and the experts' sum.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_EXPERTOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_EXPERTOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"

def Cheems_RetrieveExpertsOp : Cheems_DestinationOp<"retrieve_experts", [DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let readsInit = "false";
  let summary = "The k experts with the best sums of two half scores";
  let description = [{
    Expert i * K + j of K * K experts has the score scores[0, h, i] + scores[1, h, j]. The k best are found from the k best keys of each
    half.

    Equation: for each row t and head h, in two stages:
    - the min(k, K) best keys of each half, by descending score, then by ascending index
    - the k best of the sums of all pairs of these keys, rounded to f32, by descending sum, then by ascending expert id i * K + j

    With `ascending` the same k experts are in the order of ascending ids.

    Operands: `scores` [T, 2, H, K] f32; destinations `score` [T, H, k] f32 and `expert` [T, H, k] i32, with the best expert first, or in
    the order of ids with `ascending`.

    Constraints:
    - C1: `score` and `expert` have the same shape [T, H, k], with T and H of `scores`.
    - C2: `scores` is [T, 2, H, K]; H, K and k are static.
    - C3: 1 <= k <= K * K < 2^31.

    Edges: k > K takes all keys of each half. A NaN ranks below every number, and NaNs rank by index. No buffer grows with the number of
    experts.

    Accumulation: one f32 addition per pair. The rest is comparisons, so every lowering gives the same bits.

    Example:
    ```mlir
    %s, %e = cheems.retrieve_experts ins(%g : tensor<?x2x4x128xf32>)
        outs(%s0, %e0 : tensor<?x4x8xf32>, tensor<?x4x8xi32>) -> tensor<?x4x8xf32>, tensor<?x4x8xi32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [4]>:$scores, Cheems_Shaped<[F32], [3]>:$score, Cheems_Shaped<[I32], [3]>:$expert,
                       UnitAttr:$ascending);
  let assemblyFormat = [{
    (`ascending` $ascending^)? attr-dict `ins` `(` $scores `:` type($scores) `)`
    `outs` `(` $score `,` $expert `:` type($score) `,` type($expert) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 1, 2); }
  }];
}

def Cheems_MixExpertsOp : Cheems_DestinationOp<"mix_experts", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let summary = "Adds the weighted sum of retrieved single-row experts";
  let description = [{
    Each retrieved expert is one row of `down` and one row of `up`. The outputs of the experts are added to `y`, which already has the
    cross-domain part.

    Equation: with e = expert[t, h, i], s = score[t, h, i] and hit = sum_d x[t, d] * down[e, d]:
    - `softmax`: w = act(hit) * softmax_i(s), over the k experts of one head
    - `inner`: w = act(hit * s)

    y[t, d] <- y[t, d] + sum_{h, i} w * up[e, d]

    Tables of i8 are quantized values with one scale per row: down[e, d] = down_scales[e] * code, up[e, d] = up_scales[e] * code. Then hit
    is down_scales[e] * (sum_d x[t, d] * code), and w * up_scales[e] multiplies the codes of up.

    Operands: `x` [T, D] f32; `score` [T, H, k] f32; `expert` [T, H, k] i32; `down`, `up` [E, D] f32, bf16, f16 or i8; `down_scales` and
    `up_scales`, only for i8, [E] f32; `y` [T, D] f32 is the destination. It is read and written, and may not overlap `x`. act is `silu`,
    `gelu` (the erf form), `gelu_tanh` (its form with a tanh), `relu` or `relu2` (the square of relu).

    Constraints:
    - C1: `x` and `y` have the same shape [T, D].
    - C2: `score` and `expert` have the same shape [T, H, k].
    - C3: `down` and `up` have the same shape [E, D] and element type.
    - C4: D, E, H and k are static.
    - C5: tables of i8 have `down_scales` and `up_scales` [E], and other tables have none.

    Edges: the caller guarantees expert ids in [0, E). An expert that two heads retrieve counts twice.

    Accumulation: f32. Rows of `down` and `up` are widened exactly, and experts are added in the order of `expert`. Compiled code sums
    eight experts of a head in that order and adds their sum to y, whatever other rows there are. A target may let rows
    read experts together. Then the eight are summed in the order of ids, which is the same order if the ids ascend.

    Example:
    ```mlir
    %o = cheems.mix_experts softmax silu
        ins(%x, %s, %e, %down, %up : tensor<?x64xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<256x64xbf16>, tensor<256x64xbf16>)
        outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$x, Cheems_Shaped<[F32], [3]>:$score, Cheems_Shaped<[I32], [3]>:$expert,
                       Cheems_Shaped<[F32, BF16, F16, I8], [2]>:$down, Cheems_Shaped<[F32, BF16, F16, I8], [2]>:$up,
                       Optional<Cheems_Shaped<[F32], [1]>>:$down_scales, Optional<Cheems_Shaped<[F32], [1]>>:$up_scales,
                       Cheems_Shaped<[F32], [2]>:$y, Cheems_ScorePlacementAttr:$placement, Cheems_ActivationAttr:$activation);
  let assemblyFormat = [{
    $placement $activation attr-dict `ins` `(` $x `,` $score `,` $expert `,` $down `,` $up `:` type($x) `,` type($score) `,`
      type($expert) `,` type($down) `,` type($up) `)` (`scales` `(` $down_scales^ `,` $up_scales `:` type($down_scales) `,` type($up_scales) `)`)?
    `outs` `(` $y `:` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }";
}

#endif
