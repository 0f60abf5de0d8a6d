// Named weights.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_PARAMETEROPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_PARAMETEROPS_TD

include "cheems/Dialect/Cheems/IR/CheemsAttrs.td"
include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"

def Cheems_ParameterOp : Cheems_Op<"parameter", [Pure]> {
  let summary = "A named weight of the checkpoint";
  let description = [{
    The weight stored under a name in the checkpoint; several names stand for their concatenation along the first dimension, with
    `beside` along the last one.

    Equation: result = concat(checkpoint[names[0]], checkpoint[names[1]], ...), converted to the result's element type,
    and with `permute` transposed: dimension d of the result is dimension permute[d] of the checkpoint's tensor. With a layout its
    last two dimensions, [N, K], are stored as a target wants them. With `quantized` it is the codes or the scales of the matrix rounded to few bits
    (`#cheems.quantized`), or of part `matrix` the matrix that is to be rounded.

    Operands and state: none. The result is a static tensor. Weights are never constants in IR: `cheems-lower-parameters`
    turns this op into a view of the artefact's mapped weight section.

    Constraints:
    - C1: `names` is not empty.
    - C2: the result has a static shape.
    - C3: with a `layout` the result has a shape that the layout says (`LayoutAttrInterface`), of several matrices with `permute`.
    - C4: `permute` is a permutation of the dimensions of one name.
    - C5: `beside` stands at a matrix, its columns a multiple of the names, without layout and permutation.
    - C6: `quantized` stands without `permute`; codes are i8 and scales floats, of the shapes that `#cheems.quantized` names; a
      `matrix` has neither layout nor `beside`.

    Edges: with a layout, rows past the last are zero.

    Accumulation: none; widening to f32 is exact, narrowing to bf16 rounds to nearest even. Codes and scales are those of
    `include/cheems/Import/Quantize.h`, from the stored numbers.

    Example:
    ```mlir
    %w = cheems.parameter ["model.layers.0.mlp.up_proj.weight"] : tensor<1536x768xbf16>
    %k = cheems.parameter ["mlp.keys"] permute [2, 0, 3, 1] : tensor<2x4x32x128xf32>
    %e = cheems.parameter ["down_embed.weight", "up_embed.weight"] beside : tensor<1024x1536xbf16>
    ```
  }];
  let arguments = (ins StrArrayAttr:$names, OptionalAttr<Cheems_LayoutAttrInterface>:$layout,
                       OptionalAttr<DenseI64ArrayAttr>:$permute, UnitAttr:$beside, OptionalAttr<Cheems_QuantizedAttr>:$quantized);
  let results = (outs RankedTensorOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = [{
    $names (`layout` `(` $layout^ `)`)? (`permute` $permute^)? (`beside` $beside^)? (`quantized` $quantized^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif
