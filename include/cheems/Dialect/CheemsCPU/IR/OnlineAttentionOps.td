// Attention by blocks of entries, with a running softmax.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_ONLINEATTENTIONOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_ONLINEATTENTIONOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"
include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_OnlineAttentionOp : CheemsCPU_DestinationOp<"online_attention", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let summary = "One block of keys, with running maximum, sum and weighted values";
  let description = [{
    Tiling `dynamic_mask_attention` along its entries makes these ops. A block of entries updates the running softmax.

    Equation: for row t and query head h, over the entries j of the block that the row sees, as `dynamic_mask_attention` says. Entry j of
    the block is entry from + j of the sequence. The scores s[j] are those of that op, with the mask for kind `bias`:
    - m = max(maximum[t, h], max_j s[j]),  r = exp(maximum[t, h] - m),  e[j] = exp(s[j] - m)
    - sum[t, h] <- r * sum[t, h] + sum_j e[j]
    - y[t, h, p] <- r * y[t, h, p] + sum_j e[j] * values[g, j, p]  (for kind `scale` e[j] * mask[m, j])
    - maximum[t, h] <- m

    Operands and state: `query` [T, H, P] f32; `keys`, `values` [G, J, P] f32, bf16 or i8; `mask` [M, J] f32, except for kind `none`; `first` index, the entries
    before the rows; `from` index, the entries before the block; `seen`, `position`, `threshold`, `last`, `key_scales`, `value_scales` as in
    `dynamic_mask_attention`.
    Destinations, read and written: `maximum` [T, H] f32, -infinity before the first block; `sum` [T, H] f32 and `y` [T, H, P] f32,
    zero before it. After the last block, y / sum is the output of the attention, or zero if sum is zero.

    Constraints:
    - C1: `query` and `y` have the same shape [T, H, P]; `maximum` and `sum` are [T, H].
    - C2: `keys` and `values` have the same type [G, J, P].
    - C3: G divides H and M divides H, which is not zero; G, M, H and P are static.
    - C4: `mask` is [M, J].
    - C5: `position` [M, J], `threshold` and `last` [T, M] are given together, and only for kind `bias`.
    - C6: `hide_below` is given if and only if the kind is `threshold`.
    - C7: `seen` is [T], and is given only for kind `threshold`.
    - C8: `key_scales` and `value_scales` [G, J] are given if and only if keys and values are i8.
    - C9: `allow_bf16` is given only for i8.
    - C10: `mask` is given if and only if the kind is not `none`.
    - C11: `window` >= 1, and it is given only for kind `none`.

    Edges: if a row sees nothing of the block, its maximum, sum and values keep their bits. Entries that no row sees are not read.

    Accumulation: f32. On AMX tiles, with bf16 keys or with `allow_bf16`, queries and weights are rounded to bf16, as `dynamic_mask_attention`
    says.

    Example:
    ```mlir
    %m, %s, %o = cheems_cpu.online_attention bias scale 0.125
        ins(%q, %k, %v, %mask, %first, %from : tensor<?x2x64xf32>, tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<1x?xf32>, index, index)
        outs(%m0, %s0, %y0 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>)
        -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [3]>:$query, Cheems_Shaped<[F32, BF16, I8], [3]>:$keys,
                       Cheems_Shaped<[F32, BF16, I8], [3]>:$values, Optional<Cheems_Shaped<[F32], [2]>>:$mask, Index:$first, Index:$from,
                       Optional<Cheems_Shaped<[I32], [1]>>:$seen, Optional<Cheems_Shaped<[I32], [2]>>:$position,
                       Optional<Cheems_Shaped<[F32], [2]>>:$threshold, Optional<Cheems_Shaped<[I32], [2]>>:$last,
                       Optional<Cheems_Shaped<[F32], [2]>>:$key_scales, Optional<Cheems_Shaped<[F32], [2]>>:$value_scales,
                       Cheems_Shaped<[F32], [2]>:$maximum, Cheems_Shaped<[F32], [2]>:$sum, Cheems_Shaped<[F32], [3]>:$y,
                       Cheems_MaskKindAttr:$kind, F64Attr:$scale, OptionalAttr<F64Attr>:$hide_below, UnitAttr:$allow_bf16,
                       OptionalAttr<I64Attr>:$window);
  let assemblyFormat = [{
    $kind `scale` $scale (`hide_below` $hide_below^)? (`window` $window^)? (`allow_bf16` $allow_bf16^)? attr-dict
    `ins` `(` custom<BlockInputs>($query, $keys, $values, $mask, $first, $from, type($query), type($keys), type($values), type($mask),
      type($first), type($from)) `)`
    (`seen` `(` $seen^ `:` type($seen) `)`)?
    (`kept` `(` $position^ `,` $threshold `,` $last `:` type($position) `,` type($threshold) `,` type($last) `)`)?
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)?
    `outs` `(` $maximum `,` $sum `,` $y `:` type($maximum) `,` type($sum) `,` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
    /// Heads of A; without a mask those of keys.
    int64_t getMaskHeads();
  }];
}

#endif
