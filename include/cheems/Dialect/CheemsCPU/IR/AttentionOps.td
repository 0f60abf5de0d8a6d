// Attention under a dynamic mask.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_ATTENTIONOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_ATTENTIONOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"
include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_DynamicMaskAttentionOp : CheemsCPU_DestinationOp<"dynamic_mask_attention", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let readsInit = "false";
  let summary = "Causal attention of one sequence, under its dynamic mask if it has one";
  let description = [{
    Softmax attention of a block of query rows over the stored keys of their sequence. The keys of the block are stored already.

    Equation: row t sees entry j if j <= first + t, or with `seen` if j < seen[t]. With `window` (W), j > first + t - W must hold, too, and row j is entry j mod C. With `threshold` operands, the entry must also be kept
    for row t, as `keep_threshold` says. Query head h has the key head g = h / (H/G) and the mask head m = h / (H/M). With
    s[j] = scale * sum_p query[t, h, p] * keys[g, j, p]:
    - `bias`: w is the softmax of s[j] + mask[m, j] over the entries j that the row sees
    - `threshold`: w is the softmax of s[j] over the entries j that the row sees and that have mask[m, j] >= `hide_below`
    - `scale`: w[j] is mask[m, j] times the softmax of s[j] over the entries j that the row sees; w is not normalised again
    - `none`: w is the softmax of s[j] over the entries j that the row sees. There is no mask, and M is G

    y[t, h, p] = sum_j w[j] * values[g, j, p]

    Operands and state: `query` [T, H, P] f32; `keys`, `values` [G, C, P] f32, bf16, or quantized i8 values that `cheems.quantize_entries`
    made; `mask` [M, C] f32, except for kind `none`; `first` index, the number of entries before the block; optionally `seen` [T] i32, ascending, as `append_visible` counts;
    optionally `position` [M, C] i32, `threshold` [T, M] f32 and `last` [T, M] i32; for quantized values `key_scales`, `value_scales` [G, C]
    f32, which multiply the quantized values of entry j; `y` [T, H, P] f32 is the destination.

    Constraints:
    - C1: `query` and `y` have the same shape [T, H, P].
    - C2: `keys` and `values` have the same type [G, C, P].
    - C3: G divides H and M divides H, which is not zero; G, M, H and P are static.
    - C4: `mask` is [M, C].
    - C5: `position` [M, C], `threshold` and `last` [T, M] are given together, and only for kind `bias`.
    - C6: `hide_below` is given if and only if the kind is `threshold`.
    - C7: `seen` is [T], and is given only for kind `threshold`.
    - C8: `key_scales` and `value_scales` [G, C] are given if and only if keys and values are i8.
    - C9: `allow_bf16` is given only for i8.
    - C10: `mask` is given if and only if the kind is not `none`.
    - C11: `window` >= 1, and it is given only for kind `none`.

    Edges: a row that sees nothing gives zero. The caller guarantees first + T <= C. With `window`, C may be less, as
    `cheems.segmented_attention` says.

    Accumulation: f32. Keys, values and quantized values are widened exactly. The running maximum and sum are f32. A score is multiplied by
    its key's scale once, and a weight by its value's scale. If keys are bf16, or i8 with `allow_bf16`, a target that multiplies bf16 may
    round queries and weights to bf16. A weight is rounded as exp(s[j]) would be, times the mask for kind `scale`, and times the value's
    scale. y is divided by a sum of exponentials that are not rounded.

    Example:
    ```mlir
    %o = cheems_cpu.dynamic_mask_attention bias scale 0.125
        ins(%q, %k, %v, %m, %first : tensor<?x2x64xf32>, tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<1x?xf32>, index)
        outs(%y : tensor<?x2x64xf32>) -> tensor<?x2x64xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [3]>:$query, Cheems_Shaped<[F32, BF16, I8], [3]>:$keys,
                       Cheems_Shaped<[F32, BF16, I8], [3]>:$values, Optional<Cheems_Shaped<[F32], [2]>>:$mask, Index:$first,
                       Optional<Cheems_Shaped<[I32], [1]>>:$seen, Optional<Cheems_Shaped<[I32], [2]>>:$position, Optional<Cheems_Shaped<[F32], [2]>>:$threshold,
                       Optional<Cheems_Shaped<[I32], [2]>>:$last, Optional<Cheems_Shaped<[F32], [2]>>:$key_scales,
                       Optional<Cheems_Shaped<[F32], [2]>>:$value_scales, Cheems_Shaped<[F32], [3]>:$y,
                       Cheems_MaskKindAttr:$kind, F64Attr:$scale, OptionalAttr<F64Attr>:$hide_below, UnitAttr:$allow_bf16,
                       OptionalAttr<I64Attr>:$window);
  let assemblyFormat = [{
    $kind `scale` $scale (`hide_below` $hide_below^)? (`window` $window^)? (`allow_bf16` $allow_bf16^)? attr-dict
    `ins` `(` custom<AttentionInputs>($query, $keys, $values, $mask, $first, type($query), type($keys), type($values), type($mask),
      type($first)) `)`
    (`seen` `(` $seen^ `:` type($seen) `)`)?
    (`kept` `(` $position^ `,` $threshold `,` $last `:` type($position) `,` type($threshold) `,` type($last) `)`)?
    (`scales` `(` $key_scales^ `,` $value_scales `:` type($key_scales) `,` type($value_scales) `)`)?
    `outs` `(` $y `:` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
    /// Heads of A; without a mask those of keys.
    int64_t getMaskHeads();
  }];
}

#endif
