// Quantized matmuls.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CODEDOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CODEDOPS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileBase.td"

def CheemsTile_QuantizedMatmulOp : Cheems_DestinationOpOf<CheemsTile_Dialect, "quantized_matmul", []> {
  let readsInit = "false";
  let summary = "Matmuls of quantized rows with a quantized matrix";
  let description = [{
    Multiplies rows that `cheems.quantize_entries` has rounded with a rounded matrix (`#cheems.quantized`), in integers.

    Equation: with G groups of K/G neighbouring k: y[t, n] = x_scales[t] * sum_g scales[n, g] * (sum_{k in g} x[t, k] * d[n, k])
    - 8 bits: d[n, k] = codes[n, k]
    - 4 bits: for j, q, i < 4, the signed low half of byte codes[n, 64 c + 16 q + 4 j + i] is d[n, 128 c + 32 j + 4 q + i], and the high half
      is d[n, 128 c + 32 j + 16 + 4 q + i]

    Operands: `x` [T, K] i8 and `x_scales` [T] f32; `codes` [N, K] i8, or [N, 64 ceil(K/128)] i8 for 4 bits; `scales` [N, G] f32 or bf16;
    `y` [T, N] f32 is the destination.

    Constraints:
    - C1: `x` is [T, K], `x_scales` [T] and `y` [T, N]. K is static and at most 65536.
    - C2: `bits` is 8 or 4, and `codes` is [N, K] or [N, 64 ceil(K/128)].
    - C3: `scales` is [N, G], and G is static and divides K. Of 8 bits G is 1; of 4 bits groups are multiples of 32.

    Edges: halves of bytes past K have no meaning. A row whose scale is NaN or infinite gives no numbers that mean anything.

    Accumulation: sums within a group are exact, in i32. They are rounded to f32. A chain of fused multiply-adds in f32 adds them, with g
    ascending, from 0. Then the row's scale is multiplied. Every operation is rounded, so all lowerings give the same bits.

    Example:
    ```mlir
    %y = cheems_tile.quantized_matmul bits 4 ins(%x, %s : tensor<?x384xi8>, tensor<?xf32>)
             weights(%c, %w : tensor<256x192xi8>, tensor<256x6xbf16>) outs(%o : tensor<?x256xf32>) -> tensor<?x256xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[I8], [2]>:$x, Cheems_Shaped<[F32], [1]>:$x_scales, Cheems_Shaped<[I8], [2]>:$codes,
                       Cheems_Shaped<[F32, BF16], [2]>:$scales, Cheems_Shaped<[F32], [2]>:$y, I64Attr:$bits);
  let assemblyFormat = [{
    `bits` $bits attr-dict `ins` `(` $x `,` $x_scales `:` type($x) `,` type($x_scales) `)`
    `weights` `(` $codes `,` $scales `:` type($codes) `,` type($scales) `)` `outs` `(` $y `:` type($y) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
    int64_t getDepth() { return ::mlir::cast<::mlir::ShapedType>(getX().getType()).getDimSize(1); }
    /// Neighbouring k with one scale.
    int64_t getGroup() { return getDepth() / ::mlir::cast<::mlir::ShapedType>(getScales().getType()).getDimSize(1); }
    /// The greatest K: its sums fit 32 bits.
    static constexpr int64_t kGreatestDepth = 65536;
    /// k whose 4-bit integers stand together, in half as many bytes.
    static constexpr int64_t kTogether = 128;
    /// Bytes of a quantized row.
    static int64_t getRowBytes(int64_t depth, int64_t bits) {
      return bits == 8 ? depth : (depth + kTogether - 1) / kTogether * kTogether / 2;
    }
  }];
}

#endif
