// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @linear_c0(%x: memref<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems_cpu.linear ins(%x : memref<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c1_rows(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<3x20xf32>) {
  // expected-error@below {{C1: x [T, K] and y [T, N] have one T, and K is static and not 0}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<3x20xf32>) -> tensor<3x20xf32>
  return
}

// -----

func.func @linear_c1_dynamic(%x: tensor<4x?xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C1: x [T, K] and y [T, N] have one T, and K is static and not 0}}
  %r = cheems_cpu.linear ins(%x : tensor<4x?xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c1_empty(%x: tensor<4x0xf32>, %w0: tensor<2x0x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C1: x [T, K] and y [T, N] have one T, and K is static and not 0}}
  %r = cheems_cpu.linear ins(%x : tensor<4x0xf32>) weights(%w0 : tensor<2x0x16x1xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_three(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %w1: tensor<2x8x16x1xf32>, %w2: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: there are one or two weights, got 3}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0, %w1, %w2 : tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32, %t: f32, %u: f32):
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_panels(%x: tensor<4x8xf32>, %w0: tensor<3x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<3x8x16x1xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_columns(%x: tensor<4x8xf32>, %w0: tensor<3x8x8x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<3x8x8x1xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_size(%x: tensor<4x8xf32>, %w0: tensor<2x7x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x7x16x1xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_size_dynamic(%x: tensor<4x8xf32>, %w0: tensor<2x?x16x2xbf16>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x?x16x2xbf16>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_pair_f32(%x: tensor<4x8xf32>, %w0: tensor<2x4x16x2xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x4x16x2xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_pair_odd(%x: tensor<4x7xf32>, %w0: tensor<2x3x16x2xbf16>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x7xf32>) weights(%w0 : tensor<2x3x16x2xbf16>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_types(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %w1: tensor<2x8x16x1xbf16>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0, %w1 : tensor<2x8x16x1xf32>, tensor<2x8x16x1xbf16>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32, %t: f32):
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c3_row(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %a0: tensor<32xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C3: operands of with are [T, N] or [N]}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) with(%a0 : tensor<32xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32, %t: f32):
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c3_whole(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %a0: tensor<1x20xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C3: operands of with are [T, N] or [N]}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) with(%a0 : tensor<1x20xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32, %t: f32):
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c4_count(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %a0: tensor<20xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C4: the epilogue takes one f32 for each of 1 weights and 1 operands}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) with(%a0 : tensor<20xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32):
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c4_type(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C4: the epilogue takes one f32 for each of 1 weights and 0 operands}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f64):
    %t = arith.truncf %s : f64 to f32
    cheems_cpu.yield %t : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c4_blocks(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C4: the epilogue is one block}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32):
    cf.br ^bb1
  ^bb1:
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c5_op(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C5: the epilogue holds elementwise ops and constants on scalars only, not tensor.dim}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<4x8xf32>
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c5_tensor(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C5: the epilogue holds elementwise ops and constants on scalars only, not arith.constant}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32):
    %t = arith.constant dense<0.0> : tensor<4xf32>
    cheems_cpu.yield %s : f32
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c5_yield(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C5: the epilogue ends with cheems_cpu.yield}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) {
  ^bb0(%s: f32):
    llvm.unreachable
  } -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c4_two_weights(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %w1: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C4: the epilogue takes one f32 for each of 2 weights and 0 operands}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0, %w1 : tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c4_with(%x: tensor<4x8xf32>, %w0: tensor<2x8x16x1xf32>, %a0: tensor<20xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C4: the epilogue takes one f32 for each of 1 weights and 1 operands}}
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w0 : tensor<2x8x16x1xf32>) with(%a0 : tensor<20xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @yield_c1(%x: f32) {
  // expected-error@below {{C1: must be in the epilogue of a cheems_cpu.linear}}
  cheems_cpu.yield %x : f32
}

// -----

func.func @linear_c2_codes(%x: tensor<4x128xf32>, %w: tensor<2x64x16x4xi8>, %s: tensor<2x1x16xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x64x16x4xi8>) bits 8 scales(%s : tensor<2x1x16xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_no_bits(%x: tensor<4x128xf32>, %w: tensor<2x32x16x4xi8>, %s: tensor<2x1x16xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: quantized weights have bits 8 or 4, others have none, got none for 'tensor<2x32x16x4xi8>'}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x32x16x4xi8>) scales(%s : tensor<2x1x16xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_other_bits(%x: tensor<4x128xf32>, %w: tensor<2x32x16x4xi8>, %s: tensor<2x1x16xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: quantized weights have bits 8 or 4, others have none, got 0 for 'tensor<2x32x16x4xi8>'}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x32x16x4xi8>) bits 0 scales(%s : tensor<2x1x16xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_bits_of_floats(%x: tensor<4x128xf32>, %w: tensor<2x128x16x1xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: quantized weights have bits 8 or 4, others have none, got 8 for 'tensor<2x128x16x1xf32>'}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x128x16x1xf32>) bits 8 outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c2_bits(%x: tensor<4x128xf32>, %w: tensor<2x32x16x4xi8>, %s: tensor<2x1x16xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C2: weights are [ceil(N/16), K/pair, 16, pair] of one type}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x32x16x4xi8>) bits 4 scales(%s : tensor<2x1x16xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_missing(%x: tensor<4x128xf32>, %w: tensor<2x32x16x4xi8>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: each quantized weight has its scales, others have none, got 0 scales}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x32x16x4xi8>) bits 8 outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_of_floats(%x: tensor<4x128xf32>, %w: tensor<2x128x16x1xf32>, %s: tensor<2x1x16xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: each quantized weight has its scales, others have none, got 1 scales}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x128x16x1xf32>) scales(%s : tensor<2x1x16xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_groups_of_bytes(%x: tensor<4x128xf32>, %w: tensor<2x32x16x4xi8>, %s: tensor<2x2x16xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x32x16x4xi8>) bits 8 scales(%s : tensor<2x2x16xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_group(%x: tensor<4x128xf32>, %w: tensor<2x16x16x4xi8>, %s: tensor<2x8x16xbf16>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x16x16x4xi8>) bits 4 scales(%s : tensor<2x8x16xbf16>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_panels(%x: tensor<4x128xf32>, %w: tensor<2x16x16x4xi8>, %s: tensor<3x2x16xbf16>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits}}
  %r = cheems_cpu.linear ins(%x : tensor<4x128xf32>) weights(%w : tensor<2x16x16x4xi8>) bits 4 scales(%s : tensor<3x2x16xbf16>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}

// -----

func.func @linear_c6_long(%x: tensor<4x65664xf32>, %w: tensor<2x16416x16x4xi8>, %s: tensor<2x1x16xf32>, %y: tensor<4x20xf32>) {
  // expected-error@below {{C6: scales are [P, 1, 16] for 8 bits and [P, K/32 or 64 or 128, 16] for 4, with K <= 65536}}
  %r = cheems_cpu.linear ins(%x : tensor<4x65664xf32>) weights(%w : tensor<2x16416x16x4xi8>) bits 8 scales(%s : tensor<2x1x16xf32>) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>
  return
}
