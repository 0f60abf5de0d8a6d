// Constraints of quantized matmuls: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @quantized_matmul_c1_scales(%x: tensor<3x96xi8>, %s: tensor<4xf32>, %c: tensor<8x96xi8>, %w: tensor<8x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C1: shapes of x_scales and [T] differ}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<4xf32>) weights(%c, %w : tensor<8x96xi8>, tensor<8x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c1_rows(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x96xi8>, %w: tensor<8x1xf32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C1: shapes of y and [T, N] differ}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x96xi8>, tensor<8x1xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @quantized_matmul_c1_dynamic(%x: tensor<3x?xi8>, %s: tensor<3xf32>, %c: tensor<8x96xi8>, %w: tensor<8x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C1: K is static, from 1 to 65536, got}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x?xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x96xi8>, tensor<8x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c1_long(%x: tensor<3x65540xi8>, %s: tensor<3xf32>, %c: tensor<8x65540xi8>, %w: tensor<8x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C1: K is static, from 1 to 65536, got}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x65540xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x65540xi8>, tensor<8x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c2_bits(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x96xi8>, %w: tensor<8x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C2: codes have 8 or 4 bits, not 5}}
  %r = cheems_tile.quantized_matmul bits 5 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x96xi8>, tensor<8x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c2_bytes(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x92xi8>, %w: tensor<8x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C2: shapes of codes and of N rows for K differ}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x92xi8>, tensor<8x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c2_nibbles(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x48xi8>, %w: tensor<8x3xbf16>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C2: shapes of codes and of N rows for K differ}}
  %r = cheems_tile.quantized_matmul bits 4 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x48xi8>, tensor<8x3xbf16>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c2_rows(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<9x96xi8>, %w: tensor<8x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C2: shapes of codes and of N rows for K differ}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<9x96xi8>, tensor<8x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c3_rows(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x96xi8>, %w: tensor<9x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C3: shapes of scales and [N, G] differ}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x96xi8>, tensor<9x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c3_dynamic(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x96xi8>, %w: tensor<8x?xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C3: G is static and divides K, got}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x96xi8>, tensor<8x?xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c3_divides(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x64xi8>, %w: tensor<8x5xbf16>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C3: G is static and divides K, got}}
  %r = cheems_tile.quantized_matmul bits 4 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x64xi8>, tensor<8x5xbf16>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c3_groups(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x96xi8>, %w: tensor<8x2xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C3: 8-bit integers have one group, and those of 4 bits groups of a multiple of 32, not 48}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x96xi8>, tensor<8x2xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c3_group(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: tensor<8x64xi8>, %w: tensor<8x6xbf16>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C3: 8-bit integers have one group, and those of 4 bits groups of a multiple of 32, not 16}}
  %r = cheems_tile.quantized_matmul bits 4 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : tensor<8x64xi8>, tensor<8x6xbf16>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @quantized_matmul_c0(%x: tensor<3x96xi8>, %s: tensor<3xf32>, %c: memref<8x96xi8>, %w: tensor<8x1xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<3x96xi8>, tensor<3xf32>) weights(%c, %w : memref<8x96xi8>, tensor<8x1xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}
