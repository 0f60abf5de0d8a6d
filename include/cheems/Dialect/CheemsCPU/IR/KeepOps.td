// Which keys of a window the dynamic mask keeps.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_KEEPOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_KEEPOPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_KeepThresholdOp : CheemsCPU_DestinationOp<"keep_threshold"> {
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
    [1, M] i32 may be given for one row and first <= W. It says where `keep_update` moves the row's entry: the first index below W whose
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
    %t, %l = cheems_cpu.keep_threshold keep 16 ins(%mask, %position, %first : tensor<1x?xf32>, tensor<1x?xi32>, index)
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

def CheemsCPU_KeepUpdateOp : CheemsCPU_DestinationOp<"keep_update", [AttrSizedOperandSegments]> {
  let summary = "Drops evicted entries and moves kept entries to their indices";
  let description = [{
    After a block of rows, this op moves the W kept entries of each head to the front.

    Equation: there are n = first + rows entries. If n <= W, nothing happens. Otherwise `keep_threshold` of the block's last row says
    which entries are kept. Kept entries j >= W move, in ascending order, to the indices of evicted entries below W, in ascending order.

    Operands and state: `threshold`, `last` [M] are the last row of `keep_threshold`; `first`, `rows` are indices. Destinations, updated
    in place: `keys`, `values` [M, C, P], `mask` [M, C] f32, `position` [M, C] i32, and for quantized i8 values their `key_scales`,
    `value_scales` [M, C] f32. Entries from W on are undefined afterwards. If `rows` is 1, `moves_to` [M] i32 may be given, which
    `keep_threshold` found. Then nothing is compared.

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
    %u:4 = cheems_cpu.keep_update keep 16
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

#endif
