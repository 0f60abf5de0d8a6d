// The dynamic mask: its values, and which keys it keeps.
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

def Cheems_KeepThresholdOp : Cheems_DestinationOp<"keep_threshold"> {
  let readsInit = "false";
  let summary = "The worst of the W kept keys of each query";
  let description = [{
    For each query row, this op gives the mask and the position of the worst of the W best keys that the row may see.

    Equation: row t sees the entries j <= first + t of a head. They are ordered by descending mask, then by ascending position.
    (threshold[t, m], last[t, m]) is (mask, position) of the W-th entry, or (-infinity, 2^31 - 1) if the row sees at most W entries.
    Entry j is kept for row t if mask[m, j] > threshold[t, m], or if both are equal and position[m, j] <= last[t, m].

    Operands and state: `mask` [M, C] f32 and `position` [M, C] i32 are the entries of one sequence. [0, first) are those kept before
    this block, and one entry per row follows. `first` is an index. `threshold` [T, M] f32 and `last` [T, M] i32 are destinations. Keys
    that were evicted earlier need not be among the entries, because they can never return (docs/rationale.md). A destination `moves_to`
    [1, M] i32 may be given for one row and first <= W. It says where `keep_update` moves the row's entry: the first place below W whose
    entry is not kept, or W if nothing moves.

    Constraints:
    - C1: `mask` and `position` have the same shape [M, C].
    - C2: `threshold` and `last` have the same shape [T, M].
    - C3: `keep` (W) >= 1.
    - C4: `moves_to` has the shape of `threshold`, which is then [1, M].

    Edges: of equal masks, the lower position stays. Positions are distinct and not negative. The caller guarantees first + T <= C.
    NaN masks come last and are never kept; if the W-th mask is NaN, the result is (-infinity, 2^31 - 1). Both zeros are equal, and a
    threshold of zero is the positive one.

    Accumulation: none. There are only comparisons, so every lowering gives the same bits.

    Example:
    ```mlir
    %t, %l = cheems.keep_threshold keep 16 ins(%mask, %position, %first : tensor<1x?xf32>, tensor<1x?xi32>, index)
                 outs(%t0, %l0 : tensor<?x1xf32>, tensor<?x1xi32>) -> tensor<?x1xf32>, tensor<?x1xi32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$mask, Cheems_Shaped<[I32], [2]>:$position, Index:$first,
                       Cheems_Shaped<[F32], [2]>:$threshold, Cheems_Shaped<[I32], [2]>:$last,
                       Optional<Cheems_Shaped<[I32], [2]>>:$moves_to, I64Attr:$keep);
  let assemblyFormat = [{
    `keep` $keep attr-dict `ins` `(` $mask `,` $position `,` $first `:` type($mask) `,` type($position) `,` type($first) `)`
    `outs` `(` $threshold `,` $last `:` type($threshold) `,` type($last) `)` (`moves_to` `(` $moves_to^ `:` type($moves_to) `)`)?
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 3, getNumOperands() - 3); }
  }];
}

def Cheems_KeepUpdateOp : Cheems_DestinationOp<"keep_update", [AttrSizedOperandSegments]> {
  let summary = "Drops evicted entries and moves kept entries into their places";
  let description = [{
    After a block of rows, this op moves the W kept entries of each head to the front.

    Equation: there are n = first + rows entries. If n <= W, nothing happens. Otherwise `keep_threshold` of the block's last row says
    which entries are kept. Kept entries j >= W move, in ascending order, to the places of evicted entries below W, in ascending order.

    Operands and state: `threshold`, `last` [M] are the last row of `keep_threshold`; `first`, `rows` are indices. Destinations, updated
    in place: `keys`, `values` [M, C, P], `mask` [M, C] f32, `position` [M, C] i32, and for i8 codes their `key_scales`, `value_scales`
    [M, C] f32. Entries from W on are undefined afterwards. If `rows` is 1, `moves_to` [M] i32 may be given, which `keep_threshold`
    found. Then nothing is compared.

    Constraints:
    - C1: `keys` and `values` have the same type [M, C, P].
    - C2: `mask` and `position` are [M, C] with that M and C.
    - C3: `threshold` and `last` are [M].
    - C4: `keep` (W) >= 1.
    - C5: `key_scales` and `value_scales` [M, C] are given if and only if keys and values are i8.
    - C6: `moves_to` is [M].

    Edges: if n > W, exactly W entries are kept, because the order is total. If masks are NaN, fewer are kept.

    Accumulation: none. Values are moved.

    Example:
    ```mlir
    %u:4 = cheems.keep_update keep 16
        ins(%t, %l, %first, %rows : tensor<1xf32>, tensor<1xi32>, index, index)
        outs(%k, %v, %m, %p : tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<1x?xf32>, tensor<1x?xi32>)
        -> tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<1x?xf32>, tensor<1x?xi32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [1]>:$threshold, Cheems_Shaped<[I32], [1]>:$last, Index:$first, Index:$rows,
                       Optional<Cheems_Shaped<[I32], [1]>>:$moves_to, Cheems_Shaped<[F32, BF16, I8], [3]>:$keys, Cheems_Shaped<[F32, BF16, I8], [3]>:$values,
                       Cheems_Shaped<[F32], [2]>:$mask, Cheems_Shaped<[I32], [2]>:$position,
                       Optional<Cheems_Shaped<[F32], [2]>>:$key_scales, Optional<Cheems_Shaped<[F32], [2]>>:$value_scales, I64Attr:$keep);
  let assemblyFormat = [{
    `keep` $keep attr-dict `ins` `(` $threshold `,` $last `,` $first `,` $rows `:` type($threshold) `,` type($last) `,`
      type($first) `,` type($rows) `)` (`moves_to` `(` $moves_to^ `:` type($moves_to) `)`)?
    `outs` `(` $keys `,` $values `,` $mask `,` $position `:` type($keys) `,` type($values) `,` type($mask) `,` type($position) `)`
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)? (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      unsigned inputs = getMovesTo() ? 5 : 4;
      return ::mlir::MutableOperandRange(*this, inputs, getNumOperands() - inputs);
    }
  }];
}

def Cheems_AppendVisibleOp : Cheems_DestinationOp<"append_visible", [AttrSizedOperandSegments]> {
  let readsInit = "init != getSeen()";
  let summary = "Stores the keys of a block that are visible to some head";
  let description = [{
    Kind `threshold` hides a key whose mask is too small from all queries, forever. So such a key is never stored.

    Equation: row t is stored if mask[t, m] >= `hide_below` for some m. Stored rows go, in order, to the entries from `count` on:
    keys[0, e, p] = key[t, p], values[0, e, p] = value[t, p], stored_mask[m, e] = mask[t, m]. seen[t] is `count` plus the number of
    rows that are stored up to and including t.

    Operands and state: `key`, `value` [T, P] f32 of one key head; `mask` [T, M] f32 of its M heads of A; `count` index, the number of
    entries stored before. Destinations: `keys`, `values` [1, C, P] and `stored_mask` [M, C] f32, updated in place; `seen` [T] i32.
    Keys and values may be i8 codes, which `quantize_entries` makes from a row. Then `key_scales`, `value_scales` [1, C] f32 are
    destinations, too.

    Constraints:
    - C1: `key` and `value` have the same shape [T, P].
    - C2: `keys` and `values` have the same type [1, C, P].
    - C3: `mask` is [T, M] and `stored_mask` [M, C].
    - C4: `seen` is [T].
    - C5: `key_scales` and `value_scales` [1, C] are given if and only if keys and values are i8.

    Edges: a mask that is NaN counts as below `hide_below`. The caller guarantees count + T <= C.

    Accumulation: none. Storing bf16 rounds to nearest even, and storing codes rounds as `quantize_entries` says.

    Example:
    ```mlir
    %u:4 = cheems.append_visible hide_below 5.0e-01
        ins(%key, %value, %mask, %count : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x2xf32>, index)
        outs(%k, %v, %m, %s : tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>)
        -> tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$key, Cheems_Shaped<[F32], [2]>:$value, Cheems_Shaped<[F32], [2]>:$mask,
                       Index:$count, Cheems_Shaped<[F32, BF16, I8], [3]>:$keys, Cheems_Shaped<[F32, BF16, I8], [3]>:$values,
                       Cheems_Shaped<[F32], [2]>:$stored_mask, Cheems_Shaped<[I32], [1]>:$seen,
                       Optional<Cheems_Shaped<[F32], [2]>>:$key_scales, Optional<Cheems_Shaped<[F32], [2]>>:$value_scales, F64Attr:$hide_below);
  let assemblyFormat = [{
    `hide_below` $hide_below attr-dict `ins` `(` $key `,` $value `,` $mask `,` $count `:` type($key) `,` type($value) `,`
      type($mask) `,` type($count) `)`
    `outs` `(` $keys `,` $values `,` $stored_mask `,` $seen `:` type($keys) `,` type($values) `,` type($stored_mask) `,` type($seen) `)`
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)? (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 4, getNumOperands() - 4); }
  }];
}

def Cheems_QuantizeEntriesOp : Cheems_DestinationOp<"quantize_entries"> {
  let readsInit = "false";
  let summary = "Rows as signed bytes with a scale each";
  let description = [{
    Keys and values are stored in this form if their type is i8, and `coded_product` takes its input in it.

    Equation: with a[t] = max_p |x[t, p]|: scales[t] = a[t] / 127, and codes[t, p] = x[t, p] * (127 / a[t]), rounded to nearest even, in
    [-127, 127]. If a[t] < 2^-100, scale and codes are zero. A reader computes codes[t, p] * scales[t].

    Operands and state: `x` [T, P] f32; `codes` [T, P] i8 and `scales` [T] f32 are destinations.

    Constraints:
    - C1: `x` and `codes` have the same shape [T, P].
    - C2: `scales` is [T].

    Edges: if a row has a NaN or an infinity, its scale is that number, and its codes have no meaning.

    Accumulation: f32. Every operation is rounded, so all lowerings give the same bits.

    Example:
    ```mlir
    %c, %s = cheems.quantize_entries ins(%x : tensor<?x64xf32>)
                 outs(%codes, %scales : tensor<?x64xi8>, tensor<?xf32>) -> tensor<?x64xi8>, tensor<?xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$x, Cheems_Shaped<[I8], [2]>:$codes, Cheems_Shaped<[F32], [1]>:$scales);
  let assemblyFormat = [{
    attr-dict `ins` `(` $x `:` type($x) `)` `outs` `(` $codes `,` $scales `:` type($codes) `,` type($scales) `)`
    (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return ::mlir::MutableOperandRange(*this, 1, 2); }
  }];
}

#endif
