// Attention under a dynamic mask.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_ATTENTIONOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_ATTENTIONOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"

def Cheems_DynamicMaskAttentionOp : Cheems_DestinationOp<"dynamic_mask_attention", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let summary = "Causal attention of one sequence under its dynamic mask";
  let description = [{
    Softmax attention of a block of query rows over the stored keys of their sequence, which already hold the block's own.

    Equation: row t sees entry j if j <= first + t, or with `seen` if j < seen[t], and, with `threshold` operands, if it is kept
    for row t as `keep_threshold` says. With s[j] = scale * sum_p query[t, h, p] * keys[g, j, p], for query head h with key head g = h / (H/G) and mask
    head m = h / (H/M):
    - `bias`: w = softmax over seen j of (s[j] + mask[m, j])
    - `threshold`: w = softmax over seen j with mask[m, j] >= `hide_below` of s[j]
    - `scale`: w[j] = softmax over seen j of s[j], times mask[m, j], not renormalised

    y[t, h, p] = sum_j w[j] * values[g, j, p]

    Operands and state: `query` [T, H, P] f32; `keys`, `values` [G, C, P] f32, bf16 or, as `quantize_entries` leaves them, i8 codes; `mask` [M, C] f32; `first` index, the
    number of entries before the block; optionally `seen` [T] i32, ascending, as `append_visible` counts; optionally `position` [M, C] i32, `threshold` [T, M] f32 and `last` [T, M] i32;
    with codes `key_scales`, `value_scales` [G, C] f32, by which the codes of entry j are multiplied; `y` [T, H, P] f32 is the destination.

    Constraints:
    - C1: `query` and `y` have the same shape [T, H, P].
    - C2: `keys` and `values` have the same type [G, C, P].
    - C3: G divides H and M divides H, which is not zero; G, M, H and P are static.
    - C4: `mask` is [M, C].
    - C5: `position` [M, C], `threshold` and `last` [T, M] are given together, and only for kind `bias`.
    - C6: `hide_below` is given for kind `threshold` only.
    - C7: `seen` is [T], and only for kind `threshold`.
    - C8: `key_scales` and `value_scales` [G, C] are given where keys and values are i8, and only there.
    - C9: `bf16` is given for i8 only.

    Edges: a row that sees nothing gives zero. first + T <= C is the caller's duty.

    Accumulation: f32; keys, values and codes are widened exactly, the running maximum and sum are f32. A score is multiplied by its
    key's scale once, and a weight by its value's. Where a target multiplies bf16 and keys
    are bf16, or i8 with `bf16`, it may round queries to bf16, and the exponentials that weight values, as exp(s[j]) would be (times the
    mask for kind `scale`, times the value's scale). The sum that y is divided by is of exponentials that are not rounded.

    Example:
    ```mlir
    %o = cheems.dynamic_mask_attention bias scale 0.125
        ins(%q, %k, %v, %m, %first : tensor<?x2x64xf32>, tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<1x?xf32>, index)
        outs(%y : tensor<?x2x64xf32>) -> tensor<?x2x64xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [3]>:$query, Cheems_Shaped<[F32, BF16, I8], [3]>:$keys,
                       Cheems_Shaped<[F32, BF16, I8], [3]>:$values, Cheems_Shaped<[F32], [2]>:$mask, Index:$first,
                       Optional<Cheems_Shaped<[I32], [1]>>:$seen, Optional<Cheems_Shaped<[I32], [2]>>:$position, Optional<Cheems_Shaped<[F32], [2]>>:$threshold,
                       Optional<Cheems_Shaped<[I32], [2]>>:$last, Optional<Cheems_Shaped<[F32], [2]>>:$key_scales,
                       Optional<Cheems_Shaped<[F32], [2]>>:$value_scales, Cheems_Shaped<[F32], [3]>:$y,
                       Cheems_MaskKindAttr:$kind, F64Attr:$scale, OptionalAttr<F64Attr>:$hide_below, UnitAttr:$bf16);
  let assemblyFormat = [{
    $kind `scale` $scale (`hide_below` $hide_below^)? (`bf16` $bf16^)? attr-dict
    `ins` `(` $query `,` $keys `,` $values `,` $mask `,` $first `:` type($query) `,` type($keys) `,` type($values) `,`
      type($mask) `,` type($first) `)`
    (`seen` `(` $seen^ `:` type($seen) `)`)?
    (`kept` `(` $position^ `,` $threshold `,` $last `:` type($position) `,` type($threshold) `,` type($last) `)`)?
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)?
    `outs` `(` $y `:` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }";
}

#endif
