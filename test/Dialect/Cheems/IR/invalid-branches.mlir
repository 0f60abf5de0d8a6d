// What breaks a constraint in a way that the files beside this one do not: each branch of the other verifiers. @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @rotary_table_c0(%0: memref<5xi32>, %1: tensor<5xi32>, %2: tensor<5x4xf32>, %3: tensor<5x4xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%0, %1 : memref<5xi32>, tensor<5xi32>) outs(%2, %3 : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_c0(%0: memref<5x2x8xf32>, %1: tensor<5x4xf32>, %2: tensor<5x4xf32>, %3: tensor<5x2x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems.rotary ins(%0, %1, %2 : memref<5x2x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) outs(%3 : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return
}

// -----

func.func @retrieve_experts_c0(%0: memref<3x2x1x8xf32>, %1: tensor<3x1x4xf32>, %2: tensor<3x1x4xi32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:2 = cheems.retrieve_experts ins(%0 : memref<3x2x1x8xf32>) outs(%1, %2 : tensor<3x1x4xf32>, tensor<3x1x4xi32>) -> tensor<3x1x4xf32>, tensor<3x1x4xi32>
  return
}

// -----

func.func @retrieve_experts_c1_rows(%0: tensor<3x2x1x8xf32>, %1: tensor<4x1x4xf32>, %2: tensor<4x1x4xi32>) {
  // expected-error@below {{C1: T and H of score and scores differ}}
  %r:2 = cheems.retrieve_experts ins(%0 : tensor<3x2x1x8xf32>) outs(%1, %2 : tensor<4x1x4xf32>, tensor<4x1x4xi32>) -> tensor<4x1x4xf32>, tensor<4x1x4xi32>
  return
}

// -----

func.func @retrieve_experts_c2_heads(%0: tensor<3x2x?x8xf32>, %1: tensor<3x1x4xf32>, %2: tensor<3x1x4xi32>) {
  // expected-error@below {{C2: scores is [T, 2, H, K] with static H, K and k}}
  %r:2 = cheems.retrieve_experts ins(%0 : tensor<3x2x?x8xf32>) outs(%1, %2 : tensor<3x1x4xf32>, tensor<3x1x4xi32>) -> tensor<3x1x4xf32>, tensor<3x1x4xi32>
  return
}

// -----

func.func @retrieve_experts_c2_found_heads(%0: tensor<3x2x1x8xf32>, %1: tensor<3x?x4xf32>, %2: tensor<3x?x4xi32>) {
  // expected-error@below {{C2: scores is [T, 2, H, K] with static H, K and k}}
  %r:2 = cheems.retrieve_experts ins(%0 : tensor<3x2x1x8xf32>) outs(%1, %2 : tensor<3x?x4xf32>, tensor<3x?x4xi32>) -> tensor<3x?x4xf32>, tensor<3x?x4xi32>
  return
}

// -----

func.func @retrieve_experts_c2_found(%0: tensor<3x2x1x8xf32>, %1: tensor<3x1x?xf32>, %2: tensor<3x1x?xi32>) {
  // expected-error@below {{C2: scores is [T, 2, H, K] with static H, K and k}}
  %r:2 = cheems.retrieve_experts ins(%0 : tensor<3x2x1x8xf32>) outs(%1, %2 : tensor<3x1x?xf32>, tensor<3x1x?xi32>) -> tensor<3x1x?xf32>, tensor<3x1x?xi32>
  return
}

// -----

func.func @retrieve_experts_c3_no_keys(%0: tensor<3x2x1x0xf32>, %1: tensor<3x1x1xf32>, %2: tensor<3x1x1xi32>) {
  // expected-error@below {{C3: retrieves between 1 and K * K < 2^31 experts, got 1 of 0 keys a half}}
  %r:2 = cheems.retrieve_experts ins(%0 : tensor<3x2x1x0xf32>) outs(%1, %2 : tensor<3x1x1xf32>, tensor<3x1x1xi32>) -> tensor<3x1x1xf32>, tensor<3x1x1xi32>
  return
}

// -----

func.func @mix_experts_c0(%0: memref<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<3x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : memref<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%5 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c3_shapes(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x8xf32>, %4: tensor<5x8xf32>, %5: tensor<3x8xf32>) {
  // expected-error@below {{C3: down and up have the same type [E, D], with the D of x}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xf32>, tensor<5x8xf32>) outs(%5 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c4_columns(%0: tensor<3x?xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<3x?xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x?xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%5 : tensor<3x?xf32>) -> tensor<3x?xf32>
  return
}

// -----

func.func @mix_experts_c4_sum_columns(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<3x?xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%5 : tensor<3x?xf32>) -> tensor<3x?xf32>
  return
}

// -----

func.func @mix_experts_c4_heads(%0: tensor<3x8xf32>, %1: tensor<3x?x2xf32>, %2: tensor<3x?x2xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<3x8xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x?x2xf32>, tensor<3x?x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%5 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c4_found(%0: tensor<3x8xf32>, %1: tensor<3x1x?xf32>, %2: tensor<3x1x?xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<3x8xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x?xf32>, tensor<3x1x?xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%5 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c4_table_columns(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x?xf32>, %4: tensor<4x?xf32>, %5: tensor<3x8xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x?xf32>, tensor<4x?xf32>) outs(%5 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c4_id_heads(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x?x2xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<3x8xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x?x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%5 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c4_ids(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x?xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<3x8xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x?xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%5 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c5_one(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x8xi8>, %4: tensor<4x8xi8>, %5: tensor<4xf32>, %6: tensor<3x8xf32>) {
  // expected-error@below {{C5: tables of i8 have down_scales and up_scales [E], and others have none}}
  %r = "cheems.mix_experts"(%0, %1, %2, %3, %4, %5, %6) <{activation = #cheems<activation silu>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 1>, placement = #cheems<score_placement softmax>}> : (tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xi8>, tensor<4x8xi8>, tensor<4xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c5_of_floats(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x8xf32>, %4: tensor<4x8xf32>, %5: tensor<4xf32>, %6: tensor<4xf32>, %7: tensor<3x8xf32>) {
  // expected-error@below {{C5: tables of i8 have down_scales and up_scales [E], and others have none}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) scales(%5, %6 : tensor<4xf32>, tensor<4xf32>) outs(%7 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c5_second(%0: tensor<3x8xf32>, %1: tensor<3x1x2xf32>, %2: tensor<3x1x2xi32>, %3: tensor<4x8xi8>, %4: tensor<4x8xi8>, %5: tensor<4xf32>, %6: tensor<5xf32>, %7: tensor<3x8xf32>) {
  // expected-error@below {{C5: tables of i8 have down_scales and up_scales [E], and others have none}}
  %r = cheems.mix_experts softmax silu ins(%0, %1, %2, %3, %4 : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xi8>, tensor<4x8xi8>) scales(%5, %6 : tensor<4xf32>, tensor<5xf32>) outs(%7 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @parameter_c6_matrix_rank() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = matrix> : tensor<4x8x2xf32>
  return
}

// -----

func.func @parameter_c6_matrix_element() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = matrix> : tensor<4x8xi8>
  return
}

// -----

func.func @parameter_c6_plain_rank() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = codes> : tensor<4x8x2xi8>
  return
}

// -----

func.func @parameter_c6_scales_element() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = scales> : tensor<4x1xi8>
  return
}

// -----

func.func @quantize_entries_c0(%0: memref<3x8xf32>, %1: tensor<3x8xi8>, %2: tensor<3xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:2 = cheems.quantize_entries ins(%0 : memref<3x8xf32>) outs(%1, %2 : tensor<3x8xi8>, tensor<3xf32>) -> tensor<3x8xi8>, tensor<3xf32>
  return
}

// -----

func.func @dynamic_mask_c0(%0: memref<5x2xf32>, %1: tensor<2xf32>, %2: tensor<5x2xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems.dynamic_mask ins(%0, %1 : memref<5x2xf32>, tensor<2xf32>) outs(%2 : tensor<5x2xf32>) -> tensor<5x2xf32>
  return
}
