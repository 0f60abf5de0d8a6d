// Constraints of keys and values that are quantized: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @quantize_entries_c1(%x: tensor<3x8xf32>, %c: tensor<3x7xi8>, %s: tensor<3xf32>) {
  // expected-error@below {{C1: shapes of x and codes differ}}
  %r:2 = cheems.quantize_entries ins(%x : tensor<3x8xf32>) outs(%c, %s : tensor<3x7xi8>, tensor<3xf32>) -> tensor<3x7xi8>, tensor<3xf32>
  return
}

// -----

func.func @quantize_entries_c2(%x: tensor<3x8xf32>, %c: tensor<3x8xi8>, %s: tensor<2xf32>) {
  // expected-error@below {{C2: shapes of scales and [T] differ}}
  %r:2 = cheems.quantize_entries ins(%x : tensor<3x8xf32>) outs(%c, %s : tensor<3x8xi8>, tensor<2xf32>) -> tensor<3x8xi8>, tensor<2xf32>
  return
}
