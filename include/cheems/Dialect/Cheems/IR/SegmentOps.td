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
    The embedding of tokens, and the rows of a step whose logits are wanted.

    Equation: y[t, d] = table[ids[t], d]

    Operands: `table` [V, D] f32 or bf16; `ids` [T] i32; `y` [T, D] f32 is the destination.

    Constraints:
    - C1: `y` has a row per id and the columns of `table`.

    Edges: 0 <= ids[t] < V is the caller's duty.

    Accumulation: none; bf16 is widened exactly.

    Example:
    ```mlir
    %x = cheems.gather_rows ins(%embedding, %tokens : tensor<32768x768xbf16>, tensor<?xi32>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
    ```
  }];
  let arguments = (ins TensorRankOf<[F32, BF16], [2]>:$table, TensorRankOf<[I32], [1]>:$ids, TensorRankOf<[F32], [2]>:$y);
  let assemblyFormat = [{
    attr-dict `ins` `(` $table `,` $ids `:` type($table) `,` type($ids) `)` `outs` `(` $y `:` type($y) `)` `->` type($results)
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }";
}

def Cheems_PositionsOp : Cheems_StepOp<"positions", [Cheems_SegmentedOpInterface]> {
  let summary = "Where each row stands in its sequence";
  let description = [{
    What `rotary_table` takes, from the segment table.

    Equation: for each segment s and t < length[s]: position[start[s] + t] = position[s] + t, length[start[s] + t] = rope_length[s].

    Operands: `segments` [S, 8] i32, of which a row is (slot, start, length, position, rope_length, ...); `position`, `length` [T] i32
    are destinations.

    Constraints:
    - C1: `position` and `length` have one shape [T].
    - C2: `segments` is [S, 8].

    Edges: with `one_row` the length of each segment is 1, whatever the table says. Segments cover all rows, and none twice: this
    is the caller's duty for all ops of a step.

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
    What `ssd` computes, for every segment of a step.

    Equation: for each segment s, with r = [start[s], start[s] + length[s]):
    y[r], pool[slot[s], layer] <- ssd(x[r], step[r], a, b[r], c[r], skip; pool[slot[s], layer]), where position[s] is not 0; from a
    state of zeros where it is.

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

    Edges: a slot that no segment names stays as it is. With `one_row` every segment has one row. Two segments of one slot are an
    error of the caller's, as a layer is that the pool does not have.

    Accumulation: as `ssd`; `bf16` is handed on to it.

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
                       TensorRankOf<[F32], [3]>:$y, TensorRankOf<[F32], [5]>:$pool, UnitAttr:$bf16, UnitAttr:$one_row);
  let assemblyFormat = [{
    (`bf16` $bf16^)? (`one_row` $one_row^)? attr-dict
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
    Stores the rows of a step and lets them attend, for every segment of it.

    Equation: a sequence's rows are all that were ever given in segments of its slot since the one with position 0. Row t of a
    sequence attends to its rows j <= t as `dynamic_mask_attention` says, with their keys, values and masks as they are stored, and
    - with `keep` (W), of those j among the W best of row t by mask, as `keep_threshold` says;
    - for kind `threshold`, of those j with mask[j, m] >= `hide_below`.

    Operands and state: `query` [T, H, P], `key`, `value` [T, G, P] f32, of all rows; `mask` [T, M] f32, or instead `visible`, which
    says of each of M heads of A whether it sees all rows (mask 1) or none (mask 0); `segments` [S, 8] i32; `layer` index.
    Destinations: `y` [T, H, P] f32, written. Pools, updated in place, of G' heads that store entries: `keys`, `values`
    [slots, layers, G', C, P] f32, bf16 or i8; `masks` [slots, layers, M, C] f32; with `keep` `positions` [slots, layers, G', C] i32;
    for i8 `key_scales` and `value_scales` [slots, layers, G', C] f32; `counts` [slots, layers, G'] i32, where rows that no head sees
    are not stored.

    What is stored: entry e is row e. With `keep` there are the W best of each head once it has more, in no order, and behind
    them a block of rows; each head of A has entries of its own then. With `counts` there are the visible rows in order, as many
    as are counted. `block` is how many rows at most are stored before they attend, where entries are dropped.

    Constraints:
    - C1: `query` and `y` have the same shape [T, H, P], `key` and `value` are [T, G, P].
    - C2: G divides G', G' divides M and M divides H. They and P are static and not zero.
    - C3: `keys` and `values` have the same type [slots, layers, G', C, P], `masks` is [slots, layers, M, C].
    - C4: `mask` [T, M] or `visible` is given, and not both; `visible` has M numbers, not all of them zero, and is for kind
      `threshold` with 0 < `hide_below` <= 1.
    - C5: `positions` [slots, layers, G', C] are given with `keep` >= 1, for kind `bias` with G' = M, and only there.
    - C6: `hide_below` is given for kind `threshold` only.
    - C7: `counts` [slots, layers, G'] is for kind `threshold` with `mask`.
    - C8: `key_scales` and `value_scales` [slots, layers, G', C] are given for i8, and only there.
    - C9: `bf16` is given for i8 only.
    - C10: `segments` is [S, 8].
    - C11: `block` >= 1.

    Edges: a row that sees nothing gives zero, and so do heads of which `visible` says none. With `one_row` every segment has one row.
    Three things are the caller's duty. A segment has at least one row. Its position is the number of rows that its sequence has. The
    capacity C suffices: for all rows of a sequence, or with `keep` for W + `block`.

    Accumulation: as `dynamic_mask_attention` and `quantize_entries`; `bf16` is handed on. How rows are cut into segments changes
    nothing but f32 rounding, and not even that at multiples of `block`.

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
                       OptionalAttr<DenseBoolArrayAttr>:$visible, I64Attr:$block, UnitAttr:$bf16, UnitAttr:$one_row);
  let assemblyFormat = [{
    $kind `scale` $scale (`keep` $keep^)? (`hide_below` $hide_below^)? (`visible` $visible^)? `block` $block
    (`bf16` $bf16^)? (`one_row` $one_row^)? attr-dict
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
