// Stored rows as integers.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_ENTRYOPS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_ENTRYOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_QuantizeEntriesOp : Cheems_DestinationOp<"quantize_entries"> {
  let readsInit = "false";
  let summary = "Rows as signed bytes with a scale each";
  let description = [{
    Keys and values are stored in this form if their type is i8, and `quantized_matmul` takes its input in it.

    Equation: with a[t] = max_p |x[t, p]|: scales[t] = a[t] / 127, and codes[t, p] = x[t, p] * (127 / a[t]), rounded to nearest even, in
    [-127, 127]. If a[t] < 2^-100, scale and quantized values are zero. A reader computes codes[t, p] * scales[t].

    Operands and state: `x` [T, P] f32; `codes` [T, P] i8 and `scales` [T] f32 are destinations.

    Constraints:
    - C1: `x` and `codes` have the same shape [T, P].
    - C2: `scales` is [T].

    Edges: if a row has a NaN or an infinity, its scale is that number, and its quantized values have no meaning.

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
