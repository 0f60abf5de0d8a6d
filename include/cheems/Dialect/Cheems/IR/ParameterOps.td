// Named weights.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_PARAMETEROPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_PARAMETEROPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"
include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"

def Cheems_ParameterOp : Cheems_Op<"parameter", [Pure]> {
  let summary = "A named weight of the checkpoint";
  let description = [{
    The weight that the checkpoint stores under a name. Several names mean the concatenation of their weights along the first dimension,
    or with `by_columns` along the last one.

    Equation: result = concat(checkpoint[names[0]], checkpoint[names[1]], ...), converted to the result's element type.
    - With `permute` it is transposed: dimension d of the result is dimension permute[d] of the checkpoint's tensor.
    - With a layout, its last two dimensions, [N, K], are stored as a target needs them.
    - With `quantized` (`#cheems.quantized`) it is the quantized values or the scales of the rounded matrix. Part `matrix` is a matrix that
      is still to be rounded.

    Operands and state: none. The result is a static tensor. Weights are never constants in IR: `cheems-lower-parameters`
    turns this op into a view of the artefact's mapped weight section.

    Constraints:
    - C1: `names` is not empty.
    - C2: the result has a static shape.
    - C3: with a `layout` the result has a shape that the layout permits (`LayoutAttrInterface`); with `permute` it may be several
      matrices.
    - C4: `permute` is a permutation of the dimensions of one name.
    - C5: with `by_columns` the result is a matrix, and the number of its columns is a multiple of the number of names; there is no layout
      and no permutation.
    - C6: with `quantized` there is no `permute`. Quantized values are i8 and scales are floats, with the shapes that `#cheems.quantized`
      says. Part `matrix` has no layout and no `by_columns`.

    Edges: with a layout, padding rows are zero.

    Accumulation: none. Widening to f32 is exact, and narrowing to bf16 or f16 rounds to nearest even. Integers and scales are computed from
    the stored numbers as `include/cheems/Import/Quantize.h` says.

    Example:
    ```mlir
    %w = cheems.parameter ["model.layers.0.mlp.up_proj.weight"] : tensor<1536x768xbf16>
    %k = cheems.parameter ["mlp.keys"] permute [2, 0, 3, 1] : tensor<2x4x32x128xf32>
    %e = cheems.parameter ["down_embed.weight", "up_embed.weight"] by_columns : tensor<1024x1536xbf16>
    ```
  }];
  let arguments = (ins StrArrayAttr:$names, OptionalAttr<Cheems_LayoutAttrInterface>:$layout,
                       OptionalAttr<DenseI64ArrayAttr>:$permute, UnitAttr:$by_columns, OptionalAttr<Cheems_QuantizedAttr>:$quantized);
  let results = (outs RankedTensorOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = [{
    $names (`layout` `(` $layout^ `)`)? (`permute` $permute^)? (`by_columns` $by_columns^)? (`quantized` $quantized^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif
