// Ops of a whole step: rows of all sequences, the segment table, and pooled state by layer.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_SEGMENTOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_SEGMENTOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"
include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"

// An op of a step, on tensors alone: `cheems-expand-segments` makes loops over sequences of it.
class Cheems_StepOp<string mnemonic, list<Trait> traits = []>
    : Cheems_Op<mnemonic, !listconcat([
          Pure, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return reifyDestinations(::mlir::cast<::mlir::DestinationStyleOpInterface>(getOperation()), builder, shapes);
    }
  }];
}

def Cheems_SegmentTable : TensorRankOf<[I32], [2]>;

def Cheems_GatherRowsOp : Cheems_StepOp<"gather_rows"> {
  let summary = "Chosen rows of a table";
  let description = [{
    It gives the embedding of tokens, and selects the rows of a step whose logits are wanted.

    Equation: y[t, d] = table[ids[t], d]

    Operands: `table` [V, D] f32, bf16 or f16; `ids` [T] i32; `y` [T, D] f32 is the destination.

    Constraints:
    - C1: `y` has one row per id and the columns of `table`.

    Edges: the caller guarantees 0 <= ids[t] < V.

    Accumulation: none. bf16 and f16 are widened exactly.

    Example:
    ```mlir
    %x = cheems.gather_rows ins(%embedding, %tokens : tensor<32768x768xbf16>, tensor<?xi32>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
    ```
  }];
  let arguments = (ins TensorRankOf<[F32, BF16, F16], [2]>:$table, TensorRankOf<[I32], [1]>:$ids, TensorRankOf<[F32], [2]>:$y);
  let assemblyFormat = [{
    attr-dict `ins` `(` $table `,` $ids `:` type($table) `,` type($ids) `)` `outs` `(` $y `:` type($y) `)` `->` type($results)
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }";
}

def Cheems_PositionsOp : Cheems_StepOp<"positions", [Cheems_SegmentedOpInterface]> {
  let summary = "The position of each row in its sequence";
  let description = [{
    Computes the operands of `rotary_table` from the segment table.

    Equation: for each segment s and t < length[s]: position[start[s] + t] = position[s] + t, length[start[s] + t] = rope_length[s].

    Operands: `segments` [S, 8] i32, whose rows are (slot, start, length, position, rope_length, ...); `position`, `length` [T] i32
    are destinations.

    Constraints:
    - C1: `position` and `length` have the same shape [T].
    - C2: `segments` is [S, 8].

    Edges: with `one_row` the length of each segment is 1, whatever the table says. For all ops of a step, the caller guarantees that
    segments cover each row exactly once.

    Accumulation: none.

    Example:
    ```mlir
    %p, %l = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p0, %l0 : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins Cheems_SegmentTable:$segments, TensorRankOf<[I32], [1]>:$position, TensorRankOf<[I32], [1]>:$length, UnitAttr:$one_row);
  let assemblyFormat = [{
    (`one_row` $one_row^)? attr-dict `ins` `(` $segments `:` type($segments) `)`
    `outs` `(` $position `,` $length `:` type($position) `,` type($length) `)` `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 1, 2); }
  }];
}

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

def Cheems_SegmentedAttentionOp : Cheems_StepOp<"segmented_attention", [AttrSizedOperandSegments, Cheems_SegmentedOpInterface]> {
  let summary = "Dynamic mask attention of each sequence, its entries in pools";
  let description = [{
    Stores the keys and values of a step's rows and computes their attention, for every segment of the step.

    Equation: the rows of a sequence are the rows of all segments of its slot, beginning with the segment of position 0. Row t of a
    sequence attends to its rows j <= t as `dynamic_mask_attention` says, with the keys, values and masks that are stored. Two things
    limit these rows:
    - with `keep` (W), row t sees only the W best of them by mask, as `keep_threshold` says;
    - with kind `threshold`, it sees only those with mask[j, m] >= `hide_below`.

    Operands and state: `query` [T, H, P], `key`, `value` [T, G, P] f32, of all rows; `mask` [T, M] f32, or `visible` in its place, which
    says for each of M heads of A whether it sees all rows (mask 1) or none (mask 0); `segments` [S, 8] i32; `layer` index.
    Destinations: `y` [T, H, P] f32, written, and pools, updated in place. G' is the number of heads that store entries. The pools are
    `keys`, `values` [slots, layers, G', C, P] f32, bf16 or i8; `masks` [slots, layers, M, C] f32; with `keep` `positions`
    [slots, layers, G', C] i32; for i8 `key_scales` and `value_scales` [slots, layers, G', C] f32; and `counts` [slots, layers, G'] i32, if
    rows that no head sees are not stored.

    What is stored: entry e is row e, with two exceptions. With `keep`, each head of A has entries of its own. When it has more than W
    entries, the W best of them are stored in no order, and a block of rows follows them. With `counts`, only the visible rows are
    stored, in order, and their number is the count. If entries are dropped, at most `block` rows are stored before they attend.

    Constraints:
    - C1: `query` and `y` have the same shape [T, H, P], `key` and `value` are [T, G, P].
    - C2: G divides G', G' divides M, and M divides H. G, G', M, H and P are static and not zero.
    - C3: `keys` and `values` have the same type [slots, layers, G', C, P], `masks` is [slots, layers, M, C].
    - C4: either `mask` [T, M] or `visible` is given. `visible` has M numbers, which are not all zero; it is given only for kind
      `threshold` with 0 < `hide_below` <= 1.
    - C5: `positions` [slots, layers, G', C] are given if and only if `keep` is. Then `keep` >= 1, the kind is `bias`, and G' = M.
    - C6: `hide_below` is given if and only if the kind is `threshold`.
    - C7: `counts` [slots, layers, G'] is given only for kind `threshold` with `mask`.
    - C8: `key_scales` and `value_scales` [slots, layers, G', C] are given if and only if keys and values are i8.
    - C9: `allow_bf16` is given only for i8.
    - C10: `segments` is [S, 8].
    - C11: `block` >= 1.

    Edges: a row that sees nothing gives zero, and so does a head that sees no row by `visible`. With `one_row` every segment has one row.
    The caller guarantees three things. A segment has at least one row. Its position is the number of rows that its sequence has. The
    capacity C is large enough: for all rows of a sequence, or with `keep` for W + `block` rows.

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
                       TensorRankOf<[F32], [4]>:$masks, Optional<TensorRankOf<[I32], [4]>>:$positions,
                       Optional<TensorRankOf<[F32], [4]>>:$key_scales, Optional<TensorRankOf<[F32], [4]>>:$value_scales,
                       Optional<TensorRankOf<[I32], [3]>>:$counts,
                       Cheems_MaskKindAttr:$kind, F64Attr:$scale, OptionalAttr<I64Attr>:$keep, OptionalAttr<F64Attr>:$hide_below,
                       OptionalAttr<DenseBoolArrayAttr>:$visible, I64Attr:$block, UnitAttr:$allow_bf16, UnitAttr:$one_row);
  let assemblyFormat = [{
    $kind `scale` $scale (`keep` $keep^)? (`hide_below` $hide_below^)? (`visible` $visible^)? `block` $block
    (`allow_bf16` $allow_bf16^)? (`one_row` $one_row^)? attr-dict
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)` (`mask` `(` $mask^ `:` type($mask) `)`)?
    `segments` `(` $segments `:` type($segments) `)` `layer` `(` $layer `)`
    `outs` `(` $y `,` $keys `,` $values `,` $masks `:` type($y) `,` type($keys) `,` type($values) `,` type($masks) `)`
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)?
    (`counts` `(` $counts^ `:` type($counts) `)`)? `->` type($results)
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
    int64_t getQueryHeads() { return getQuery().getType().getShape()[1]; }
    int64_t getKeyHeads() { return getKey().getType().getShape()[1]; }
    int64_t getMaskHeads() { return getMasks().getType().getShape()[2]; }
    /// Heads with entries of their own.
    int64_t getStateHeads() { return getKeys().getType().getShape()[2]; }
    int64_t getHeadSize() { return getQuery().getType().getShape()[2]; }
    /// Those that are given, in the order of operands.
    ::mlir::OperandRange getPools() { return ::mlir::OperandRange(getDpsInitsMutable()).drop_front(); }
  }];
}

#endif
