// Attention of a whole step, its entries in pools.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_SEGMENTEDATTENTIONOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_SEGMENTEDATTENTIONOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"
include "cheems/Dialect/Cheems/IR/SegmentOps.td"

def Cheems_SegmentedAttentionOp : Cheems_StepOp<"segmented_attention", [AttrSizedOperandSegments, Cheems_SegmentedOpInterface]> {
  let summary = "Attention of each sequence, its entries in pools";
  let description = [{
    Stores the keys and values of a step's rows and computes their attention, for every segment of the step.

    Equation: the rows of a sequence are the rows of all segments of its slot, beginning with the segment of position 0. Row t of a
    sequence attends to its rows j <= t as `dynamic_mask_attention` says, with the keys, values and masks that are stored. Three things
    limit these rows:
    - with `keep` (W), row t sees only the W best of them by mask, as `keep_threshold` says;
    - with kind `threshold`, it sees only those with mask[j, m] >= `hide_below`;
    - with `window` (W), it sees only those with j > t - W.
    Attention of kind `none` is causal and has no masks. None are stored, and M is G' where this text has it.

    Operands and state: `query` [T, H, P], `key`, `value` [T, G, P] f32, of all rows; `mask` [T, M] f32, or `visible` in its place, which
    says for each of M heads of A whether it sees all rows (mask 1) or none (mask 0); `segments` [S, 8] i32; `layer` index.
    Destinations: `y` [T, H, P] f32, written, and pools, updated in place. G' is the number of heads that store entries. The pools are
    `keys`, `values` [slots, layers, G', C, P] f32, bf16 or i8; except for kind `none` `masks` [slots, layers, M, C] f32; with `keep` `positions`
    [slots, layers, G', C] i32; for i8 `key_scales` and `value_scales` [slots, layers, G', C] f32; and `counts` [slots, layers, G'] i32, if
    rows that no head sees are not stored.

    What is stored: entry e is row e, with three exceptions. With `window`, the pools are rings: row e is entry e mod C, in the place of an
    earlier one that no row sees any more. With `keep`, each head of A has entries of its own. When it has more than W
    entries, the W best of them are stored in no order, and a block of rows follows them. With `counts`, only the visible rows are
    stored, in order, and their number is the count. If entries are dropped, at most `block` rows are stored before they attend.

    Constraints:
    - C1: `query` and `y` have the same shape [T, H, P], `key` and `value` are [T, G, P].
    - C2: G divides G', G' divides M, and M divides H. G, G', M, H and P are static and not zero.
    - C3: `keys` and `values` have the same type [slots, layers, G', C, P], `masks` is [slots, layers, M, C].
    - C4: either `mask` [T, M] or `visible` is given, and for kind `none` neither. `visible` has M numbers, which are not all zero; it is given only for kind
      `threshold` with 0 < `hide_below` <= 1.
    - C5: `positions` [slots, layers, G', C] are given if and only if `keep` is. Then `keep` >= 1, the kind is `bias`, and G' = M.
    - C6: `hide_below` is given if and only if the kind is `threshold`.
    - C7: `counts` [slots, layers, G'] is given only for kind `threshold` with `mask`.
    - C8: `key_scales` and `value_scales` [slots, layers, G', C] are given if and only if keys and values are i8.
    - C9: `allow_bf16` is given only for i8.
    - C10: `segments` is [S, 8].
    - C11: `block` >= 1.
    - C12: `masks` are given if and only if the kind is not `none`. For kind `none` G' = G.
    - C13: `window` >= 1, and it is given only for kind `none`.

    Edges: a row that sees nothing gives zero, and so does a head that sees no row by `visible`. With `one_row` every segment has one row.
    The caller guarantees three things. A segment has at least one row. Its position is the number of rows that its sequence has. The
    capacity C is large enough: for all rows of a sequence, or with `keep` for W + `block` rows. With `window`, if C is less than all rows,
    it is a multiple of `CHEEMS_RING_UNIT` (`abi.h`), so that blocks of entries stay in one piece, and at least one unit more than W plus the rows of
    the longest segment, so that no two blocks that a row reads are in the same place.

    Accumulation: as in `dynamic_mask_attention`, which gets the same `allow_bf16`, and in `quantize_entries`. How rows are cut into segments
    changes only the rounding of f32. Cuts at multiples of `block` change nothing.

    Example:
    ```mlir
    %o, %k, %v, %m, %p = cheems.segmented_attention bias scale 0.125 keep 2048 block 64
        ins(%q, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>)
        positions(%positions : tensor<?x3x2x?xi32>)
        -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
    ```
  }];
  let arguments = (ins TensorRankOf<[F32], [3]>:$query, TensorRankOf<[F32], [3]>:$key, TensorRankOf<[F32], [3]>:$value,
                       Optional<TensorRankOf<[F32], [2]>>:$mask, Cheems_SegmentTable:$segments, Index:$layer,
                       TensorRankOf<[F32], [3]>:$y, TensorRankOf<[F32, BF16, I8], [5]>:$keys, TensorRankOf<[F32, BF16, I8], [5]>:$values,
                       Optional<TensorRankOf<[F32], [4]>>:$masks, Optional<TensorRankOf<[I32], [4]>>:$positions,
                       Optional<TensorRankOf<[F32], [4]>>:$key_scales, Optional<TensorRankOf<[F32], [4]>>:$value_scales,
                       Optional<TensorRankOf<[I32], [3]>>:$counts,
                       Cheems_MaskKindAttr:$kind, F64Attr:$scale, OptionalAttr<I64Attr>:$keep, OptionalAttr<F64Attr>:$hide_below,
                       OptionalAttr<DenseBoolArrayAttr>:$visible, I64Attr:$block, UnitAttr:$allow_bf16, UnitAttr:$one_row,
                       OptionalAttr<I64Attr>:$window);
  let assemblyFormat = [{
    $kind `scale` $scale (`keep` $keep^)? (`hide_below` $hide_below^)? (`visible` $visible^)? (`window` $window^)? `block` $block
    (`allow_bf16` $allow_bf16^)? (`one_row` $one_row^)? attr-dict
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)` (`mask` `(` $mask^ `:` type($mask) `)`)?
    `segments` `(` $segments `:` type($segments) `)` `layer` `(` $layer `)`
    `outs` `(` $y `,` $keys `,` $values (`,` $masks^)? `:` type($y) `,` type($keys) `,` type($values) (`,` type($masks)^)? `)`
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)?
    (`counts` `(` $counts^ `:` type($counts) `)`)? `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
    int64_t getQueryHeads() { return getQuery().getType().getShape()[1]; }
    int64_t getKeyHeads() { return getKey().getType().getShape()[1]; }
    /// Heads with entries of their own.
    int64_t getStateHeads() { return getKeys().getType().getShape()[2]; }
    /// Heads of A; without masks those with entries.
    int64_t getMaskHeads() { return getMasks() ? getMasks().getType().getShape()[2] : getStateHeads(); }
    int64_t getHeadSize() { return getQuery().getType().getShape()[2]; }
    /// Those that are given, in the order of operands.
    ::mlir::OperandRange getPools() { return ::mlir::OperandRange(getDpsInitsMutable()).drop_front(); }
  }];
}

#endif
