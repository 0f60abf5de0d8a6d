// What breaks a constraint in a way that the files beside this one do not: each branch of the other verifiers. @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @finish_c1_empty(%0: tensor<4x0xf32>, %1: tensor<4x0xf32>, %2: tensor<4x32xf32>) {
  // expected-error@below {{C1: angles are [T, P/2] of y's rows}}
  %r = cheems_cpu.column_epilogue rotated 16 angles(%0, %1 : tensor<4x0xf32>, tensor<4x0xf32>) outs(%2 : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @finish_c1_sine_dynamic(%0: tensor<4x4xf32>, %1: tensor<4x?xf32>, %2: tensor<4x32xf32>) {
  // expected-error@below {{C1: angles are [T, P/2] of y's rows}}
  %r = cheems_cpu.column_epilogue rotated 16 angles(%0, %1 : tensor<4x4xf32>, tensor<4x?xf32>) outs(%2 : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @finish_c3_three(%0: tensor<4x32xf32>) {
  // expected-error@below {{C3: mapped is [from, to], with rotated <= from and from < to}}
  %r = cheems_cpu.column_epilogue mapped [3, 5, 7] outs(%0 : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    cheems_cpu.yield %v : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @linear_c2_codes_pair(%0: tensor<4x128xf32>, %1: tensor<2x16x16x8xi8>, %2: tensor<2x1x16xf32>, %3: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%0 : tensor<4x128xf32>) weights(%1 : tensor<2x16x16x8xi8>) bits 4 scales(%2 : tensor<2x1x16xf32>) outs(%3 : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_last(%0: tensor<4x128xf32>, %1: tensor<2x32x16x4xf32>, %2: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%0 : tensor<4x128xf32>) weights(%1 : tensor<2x32x16x4xf32>) outs(%2 : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_columns(%0: tensor<4x128xf32>, %1: tensor<2x32x16x4xi8>, %2: tensor<2x1x8xf32>, %3: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits}}
  %r = cheems_cpu.linear ins(%0 : tensor<4x128xf32>) weights(%1 : tensor<2x32x16x4xi8>) bits 8 scales(%2 : tensor<2x1x8xf32>) outs(%3 : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_no_groups(%0: tensor<4x128xf32>, %1: tensor<2x16x16x4xi8>, %2: tensor<2x0x16xf32>, %3: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits}}
  %r = cheems_cpu.linear ins(%0 : tensor<4x128xf32>) weights(%1 : tensor<2x16x16x4xi8>) bits 4 scales(%2 : tensor<2x0x16xf32>) outs(%3 : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_uneven_groups(%0: tensor<4x128xf32>, %1: tensor<2x16x16x4xi8>, %2: tensor<2x3x16xf32>, %3: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits}}
  %r = cheems_cpu.linear ins(%0 : tensor<4x128xf32>) weights(%1 : tensor<2x16x16x4xi8>) bits 4 scales(%2 : tensor<2x3x16xf32>) outs(%3 : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_none(%0: tensor<4x8xf32>, %1: tensor<4x20xf32>) {
  // expected-error@below {{C2: there are one or two weights, got 0}}
  %r = "cheems_cpu.linear"(%0, %1) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 1>}> ({
  }) : (tensor<4x8xf32>, tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_types(%0: tensor<4x128xf32>, %1: tensor<2x16x16x4xi8>, %2: tensor<2x4x16xf32>, %3: tensor<2x2x16xf32>, %4: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits}}
  %r = cheems_cpu.linear ins(%0 : tensor<4x128xf32>) weights(%1, %1 : tensor<2x16x16x4xi8>, tensor<2x16x16x4xi8>) bits 4 scales(%2, %3 : tensor<2x4x16xf32>, tensor<2x2x16xf32>) outs(%4 : tensor<4x20xf32>) {
  ^bb0(%s: f32, %t: f32):
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @parameter_c3_pair() {
  // expected-error@below {{C3: a result with layout}}
  %r = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 1>) : tensor<4x4x8x1xf32>
  return
}

// -----

func.func @parameter_c5_layout() {
  // expected-error@below {{C5: by_columns needs a matrix of rows with 2 equal parts}}
  %r = cheems.parameter ["a", "b"] layout(#cheems_cpu.panels<16, 1>) by_columns : tensor<4x4x16x1xf32>
  return
}

// -----

func.func @parameter_c6_matrix_layout() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 1>) quantized <bits = 8, group = 0, part = matrix> : tensor<4x8xf32>
  return
}

// -----

func.func @parameter_c6_codes_rank() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = codes> : tensor<4x8x16xi8>
  return
}

// -----

func.func @parameter_c6_codes_rows() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = codes> : tensor<4x8x8x4xi8>
  return
}

// -----

func.func @parameter_c6_scales_rank() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<}}
  %r = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 64, part = scales> : tensor<4x8x16x4xf32>
  return
}

// -----

func.func @ssd_c0(%0: memref<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:2 = cheems_cpu.ssd ins(%0, %1, %2, %3, %4 : memref<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c5_heads(%0: tensor<3x?x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x?x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd ins(%0, %1, %2, %3, %4 : tensor<3x?x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x?x8xf32>, tensor<4x6x8xf32>) -> tensor<3x?x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c5_size(%0: tensor<3x4x?xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x?xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd ins(%0, %1, %2, %3, %4 : tensor<3x4x?xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x?xf32>, tensor<4x6x8xf32>) -> tensor<3x4x?xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c5_groups(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x?x6xf32>, %4: tensor<3x?x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x?x6xf32>, tensor<3x?x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c5_state(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<?x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<?x6x8xf32>) -> tensor<3x4x8xf32>, tensor<?x6x8xf32>
  return
}

// -----

func.func @ssd_c5_state_size(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x?x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x?x8xf32>) -> tensor<3x4x8xf32>, tensor<4x?x8xf32>
  return
}

// -----

func.func @ssd_c5_state_columns(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x?xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x?xf32>) -> tensor<3x4x8xf32>, tensor<4x6x?xf32>
  return
}

// -----

func.func @ssd_chunk_c0(%0: memref<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : memref<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_heads(%0: tensor<3x?x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x?x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x?x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x?x8xf32>, tensor<4x6x8xf32>) -> tensor<3x?x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_size(%0: tensor<3x4x?xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x?xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x?xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x?xf32>, tensor<4x6x8xf32>) -> tensor<3x4x?xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_groups(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x?x6xf32>, %4: tensor<3x?x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x?x6xf32>, tensor<3x?x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_state(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<?x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<?x6x8xf32>) -> tensor<3x4x8xf32>, tensor<?x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_state_size(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x?x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x?x8xf32>) -> tensor<3x4x8xf32>, tensor<4x?x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_state_columns(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x?xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x?xf32>) -> tensor<3x4x8xf32>, tensor<4x6x?xf32>
  return
}

// -----

func.func @ssd_chunk_c2_a(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<1xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C2: shapes of a and [H] differ}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c2_skip(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<2xf32>, %6: tensor<3x4x8xf32>, %7: tensor<4x6x8xf32>) {
  // expected-error@below {{C2: shapes of skip and [H] differ}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) skip(%5 : tensor<2xf32>) outs(%6, %7 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c3_rows(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<4x2x6xf32>, %4: tensor<4x2x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C3: shapes of b and [T, G, N] differ}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4x2x6xf32>, tensor<4x2x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_divides(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x3x6xf32>, %4: tensor<3x3x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: 4 heads cannot be divided among 3 groups}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x3x6xf32>, tensor<3x3x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_no_heads(%0: tensor<3x0x8xf32>, %1: tensor<3x0xf32>, %2: tensor<0xf32>, %3: tensor<3x2x6xf32>, %4: tensor<3x2x6xf32>, %5: tensor<3x0x8xf32>, %6: tensor<0x6x8xf32>) {
  // expected-error@below {{C5: 0 heads cannot be divided among 2 groups}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x0x8xf32>, tensor<3x0xf32>, tensor<0xf32>, tensor<3x2x6xf32>, tensor<3x2x6xf32>) outs(%5, %6 : tensor<3x0x8xf32>, tensor<0x6x8xf32>) -> tensor<3x0x8xf32>, tensor<0x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5_no_groups(%0: tensor<3x4x8xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<3x0x6xf32>, %4: tensor<3x0x6xf32>, %5: tensor<3x4x8xf32>, %6: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: 4 heads cannot be divided among 0 groups}}
  %r:2 = cheems_cpu.ssd_chunk ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<3x0x6xf32>, tensor<3x0x6xf32>) outs(%5, %6 : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}
