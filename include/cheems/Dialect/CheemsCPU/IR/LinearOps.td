// Matmuls with weights in panels, and what is done to each sum before it is stored.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_LINEAROPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_LINEAROPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_LinearOp : CheemsCPU_DestinationOp<"linear", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TilingInterface, ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition", "generateResultTileValue"]>]> {
  let readsInit = "false";
  let summary = "Matmuls of one input with weights in panels, and an epilogue";
  let description = [{
    Multiplies rows with one or two matrices that are stored as panels. The epilogue turns the sums into what is stored: it is an
    activation, a gate, a bias or a residual.

    Equation: with W_i[n, k] = weights[i][n / 16, k / pair, n % 16, k % pair] and sum_i[t, n] = sum_k x[t, k] * W_i[n, k]:
    y[t, n] = epilogue(sum_0[t, n], ..., with_0[t, n] or with_0[n], ...). An epilogue that is not written is the identity: y[t, n] = sum_0[t, n]

    Weights of i8 are quantized values with `scales`: there is one scale per row n and group of K/G k. `bits` says how many bits a quantized
    weight has. Inputs are rounded to 8 bits, too, with one scale per row. With m = max_k |x[t, k]| and c[t, k] = round(x[t, k] * (127 /
    m)), ties to even (all 0 if m < 2^-100):
    sum_i[t, n] = (m / 127) * sum_g scales[i][n / 16, g, n % 16] * (sum_{k in g} c[t, k] * d_i[n, k])
    - 8 bits, pair 4: d[n, k] = u - 128 for the unsigned byte u = weights[n / 16, k / 4, n % 16, k % 4]
    - 4 bits, pair 8: the byte weights[n / 16, k / 8, n % 16, k % 4] has k % 8 < 4 in its low half, and the others in its high half;
      d[n, k] = u - 8 for that half u

    Operands: `x` [T, K] f32; `weights` [ceil(N/16), K/pair, 16, pair] f32 or bf16, [ceil(N/16), K/pair, 16, 4] i8; `scales`
    [ceil(N/16), G, 16] f32 or bf16; `with` [T, N] or [N] f32; `y` [T, N] f32 is the destination. It is only written, and may
    not overlap `x` or `with`.

    Constraints:
    - C1: `x` is [T, K] and `y` is [T, N], with the same T; K is static.
    - C2: there are one or two `weights`, of the same type [P, K/pair, 16, pair], with P = ceil(N/16) if N is static. `pair` is 1, or 2
      for bf16. For i8 the last dimension is 4, and `pair` is 4 for 8 bits and 8 for 4 bits.
    - C3: each of `with` has the shape of y, or is [N].
    - C4: the epilogue takes one f32 per weight and one f32 per operand of `with`, in this order.
    - C5: the epilogue has only elementwise ops and constants on scalars, and yields one f32.
    - C6: with weights of i8, `bits` is 8 or 4, and each weight has one of `scales`, all of the same type [P, G, 16]; other weights have
      neither. For i8, K <= 65536. G is 1 for 8 bits, and K/G is 32, 64 or 128 for 4 bits.

    Edges: rows of W past N are never stored. K = 0 is not allowed. If x has a NaN or an infinity, the sums of quantized values of its row
    are not finite.

    Accumulation: f32, in an order that depends only on K and the target. So a row's result is the same whatever other rows there are.
    - Targets with bf16 matmuls round `x` to bf16 if `pair` is 2, and take denormals as zeros.
    - Tiles sum blocks of 32 k. A block is the chain of its even k plus the chain of its odd k, and denormal results become zeros.
    - With quantized weights, the sums over k are exact integers. The sum over g is one chain of fused multiply-adds in f32, from zero and
      ascending. The product with m / 127 comes last. So the bits are the same on every target.

    Example:
    ```mlir
    %h = cheems_cpu.linear ins(%x : tensor<?x768xf32>) weights(%gate, %up : tensor<96x384x16x2xbf16>, tensor<96x384x16x2xbf16>)
        outs(%init : tensor<?x1536xf32>) {
    ^bb0(%g: f32, %u: f32):
      %positive = arith.maximumf %g, %zero : f32
      %product = arith.mulf %positive, %u : f32
      cheems_cpu.yield %product : f32
    } -> tensor<?x1536xf32>
    %q = cheems_cpu.linear ins(%x : tensor<?x768xf32>) weights(%codes : tensor<16x96x16x4xi8>) bits 4
        scales(%scales : tensor<16x12x16xbf16>) outs(%init256 : tensor<?x256xf32>) -> tensor<?x256xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [2]>:$x, Variadic<Cheems_Shaped<[F32, BF16, I8], [4]>>:$weights,
                       OptionalAttr<I64Attr>:$bits, Variadic<Cheems_Shaped<[F32, BF16], [3]>>:$scales,
                       Variadic<Cheems_Shaped<[F32], [1, 2]>>:$with, Cheems_Shaped<[F32], [2]>:$y);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    attr-dict `ins` `(` $x `:` type($x) `)` `weights` `(` $weights `:` type($weights) `)`
    (`bits` $bits^)? (`scales` `(` $scales^ `:` type($scales) `)`)? (`with` `(` $with^ `:` type($with) `)`)?
    custom<Destination>($y, type($y), $epilogue) (`->` type($results)^)?
  }];
  // Without `epilogue` it is the identity.
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$x, "::mlir::ValueRange":$weights, "::mlir::IntegerAttr":$bits,
                   "::mlir::ValueRange":$scales, "::mlir::ValueRange":$with, "::mlir::Value":$y,
                   CArg<"::cheems::cpu::EpilogueBuilder", "nullptr">:$epilogue)>
  ];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getYMutable(); }
    /// Columns of a panel.
    static constexpr int64_t kColumns = 16;
    /// k that are side by side: 8 for 4-bit integers, two per byte.
    int64_t getPair();
    /// Whether the weights are quantized.
    bool isQuantized() { return !getScales().empty(); }
    /// Whether `y` is the sums as they are.
    bool hasIdentityEpilogue();
    /// Rows are rounded to 8 bits only where they exceed this.
    static constexpr double kLeastMagnitude = 0x1p-100;
    static constexpr double kGreatestCode = 127;
  }];
  let hasRegionVerifier = 1;
}

def CheemsCPU_YieldOp : CheemsCPU_Op<"yield", [Pure, Terminator]> {
  let summary = "The value that an epilogue stores";
  let description = [{
    Ends the epilogue of `cheems_cpu.linear` and of `cheems_cpu.column_epilogue`.

    Equation: the epilogue's value is `value`.

    Operands and state: `value` f32.

    Constraints:
    - C1: it is in a `cheems_cpu.linear` or a `cheems_cpu.column_epilogue`.

    Accumulation: none.

    Example:
    ```mlir
    cheems_cpu.yield %sum : f32
    ```
  }];
  let arguments = (ins F32:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif
