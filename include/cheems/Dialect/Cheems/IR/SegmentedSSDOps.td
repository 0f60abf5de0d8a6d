// State-space duality of a whole step, its state in a pool.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_SEGMENTEDSSDOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_SEGMENTEDSSDOPS_TD

include "cheems/Dialect/Cheems/IR/SegmentOps.td"

def Cheems_SegmentedSSDOp : Cheems_StepOp<"segmented_ssd", [Cheems_SegmentedOpInterface]> {
  let summary = "State-space duality over the rows of each sequence, state in a pool";
  let description = [{
    Computes `ssd` for every segment of a step.

    Equation: for each segment s, with r = [start[s], start[s] + length[s]):
    y[r], pool[slot[s], layer] <- ssd(x[r], step[r], a, b[r], c[r], skip; pool[slot[s], layer]). If position[s] is 0, the old state is
    zero instead.

    Operands and state: `x` [T, H, P], `step` [T, H], `a` [H], `b`, `c` [T, G, N] and optionally `skip` [H] as in `ssd`, of all rows;
    `segments` [S, 8] i32; `layer` index. Destinations: `y` [T, H, P] f32, written; `pool` [slots, layers, H, N, P] f32, updated in
    place.

    Constraints:
    - C1: `x` and `y` have the same shape [T, H, P].
    - C2: `step` is [T, H]; `a` and `skip` are [H].
    - C3: `b` and `c` have the same shape [T, G, N].
    - C4: `pool` is [slots, layers, H, N, P].
    - C5: H, G, N and P are static and not zero, and G divides H.
    - C6: `segments` is [S, 8].
    - C7: `allow_bf16` and `allow_pairs` are not given together.

    Edges: a slot that no segment names stays as it is. With `one_row` every segment has one row. The caller guarantees that no two
    segments name the same slot, and that the pool has the layer.

    Accumulation: as in `ssd`, which gets the same `allow_bf16`. With `allow_pairs`, a target that multiplies bf16 may take each of the factors that
    `ssd_chunk` names as the sum of two numbers: the nearest one in bf16, and what is left of the factor, rounded to bf16. Such a sum has 16 bits of
    precision and the range of f32. The product of what is left of two factors is less than one rounding, and may be left out. Infinite factors are
    as in f32. A sum that overflows may be NaN where f32 has an infinity.

    Example:
    ```mlir
    %o, %h = cheems.segmented_ssd
        ins(%x, %dt, %a, %b, %c : tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x32xf32>, tensor<?x1x32xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %pool : tensor<?x2x64xf32>, tensor<?x7x2x32x64xf32>) -> tensor<?x2x64xf32>, tensor<?x7x2x32x64xf32>
    ```
  }];
  let arguments = (ins TensorRankOf<[F32], [3]>:$x, TensorRankOf<[F32], [2]>:$step, TensorRankOf<[F32], [1]>:$a,
                       TensorRankOf<[F32], [3]>:$b, TensorRankOf<[F32], [3]>:$c, Optional<TensorRankOf<[F32], [1]>>:$skip,
                       Cheems_SegmentTable:$segments, Index:$layer,
                       TensorRankOf<[F32], [3]>:$y, TensorRankOf<[F32], [5]>:$pool, UnitAttr:$allow_bf16,
                       UnitAttr:$allow_pairs, UnitAttr:$one_row);
  let assemblyFormat = [{
    (`allow_bf16` $allow_bf16^)? (`allow_pairs` $allow_pairs^)? (`one_row` $one_row^)? attr-dict
    `ins` `(` $x `,` $step `,` $a `,` $b `,` $c `:` type($x) `,` type($step) `,` type($a) `,` type($b) `,` type($c) `)`
    (`skip` `(` $skip^ `:` type($skip) `)`)? `segments` `(` $segments `:` type($segments) `)` `layer` `(` $layer `)`
    `outs` `(` $y `,` $pool `:` type($y) `,` type($pool) `)` `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(*this, getOperation()->getNumOperands() - 2, 2);
    }
  }];
}

#endif
