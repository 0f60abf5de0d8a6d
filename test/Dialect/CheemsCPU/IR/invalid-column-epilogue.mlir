// Every labelled constraint of cheems_cpu.column_epilogue is checked: @column_epilogue_cN breaks CN.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @column_epilogue_c0(%c: memref<4x4xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems_cpu.column_epilogue rotated 16 angles(%c, %c : memref<4x4xf32>, memref<4x4xf32>) outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c1_none(%y: tensor<4x32xf32>) {
  // expected-error@below {{C1: cosine and sine are given if rotated is, and only then}}
  %r = cheems_cpu.column_epilogue rotated 16 outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c1_nothing_turned(%c: tensor<4x4xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C1: cosine and sine are given if rotated is, and only then}}
  %r = cheems_cpu.column_epilogue angles(%c, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c1_shapes(%c: tensor<4x4xf32>, %s: tensor<4x8xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C1: shapes of cosine and sine}}
  %r = cheems_cpu.column_epilogue rotated 16 angles(%c, %s : tensor<4x4xf32>, tensor<4x8xf32>) outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c1_rows(%c: tensor<3x4xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C1: angles are [T, P/2] of y's rows}}
  %r = cheems_cpu.column_epilogue rotated 16 angles(%c, %c : tensor<3x4xf32>, tensor<3x4xf32>) outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c1_dynamic(%c: tensor<4x?xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C1: angles are [T, P/2] of y's rows}}
  %r = cheems_cpu.column_epilogue rotated 16 angles(%c, %c : tensor<4x?xf32>, tensor<4x?xf32>) outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c2(%c: tensor<4x4xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C2: must rotate whole heads of 8 columns, not 12}}
  %r = cheems_cpu.column_epilogue rotated 12 angles(%c, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c2_none(%c: tensor<4x4xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C2: must rotate whole heads of 8 columns, not 0}}
  %r = cheems_cpu.column_epilogue rotated 0 angles(%c, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%y : tensor<4x32xf32>) -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c2_cut(%c: tensor<4x4xf32>, %y: tensor<4x12xf32>) {
  // expected-error@below {{C2: y ends inside a head of 8 columns: it has 12}}
  %r = cheems_cpu.column_epilogue rotated 16 angles(%c, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%y : tensor<4x12xf32>) -> tensor<4x12xf32>
  return
}

// -----

func.func @column_epilogue_c3_epilogue(%y: tensor<4x32xf32>) {
  // expected-error@below {{C3: without mapped the epilogue is the identity}}
  %r = cheems_cpu.column_epilogue outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    %w = arith.addf %v, %v : f32
    cheems_cpu.yield %w : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c3_order(%y: tensor<4x32xf32>) {
  // expected-error@below {{C3: mapped is [from, to]}}
  %r = cheems_cpu.column_epilogue mapped [5, 5] outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    cheems_cpu.yield %v : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c3_turned(%c: tensor<4x4xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C3: mapped is [from, to]}}
  %r = cheems_cpu.column_epilogue rotated 16 mapped [15, 17] angles(%c, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    cheems_cpu.yield %v : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c4_count(%b: tensor<2xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C4: the epilogue takes one f32 for y and one for each of 1 operands}}
  %r = cheems_cpu.column_epilogue mapped [3, 5] with(%b : tensor<2xf32>) outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    cheems_cpu.yield %v : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c4_type(%y: tensor<4x32xf32>, %v: f32) {
  // expected-error@below {{C4: the epilogue takes one f32 for y and one for each of 0 operands}}
  %r = cheems_cpu.column_epilogue mapped [3, 5] outs(%y : tensor<4x32xf32>) {
  ^bb0(%d: f64):
    cheems_cpu.yield %v : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c4_blocks(%y: tensor<4x32xf32>) {
  // expected-error@below {{C4: the epilogue is one block}}
  %r = cheems_cpu.column_epilogue mapped [3, 5] outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    cf.br ^next
  ^next:
    cheems_cpu.yield %v : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c5_op(%y: tensor<4x32xf32>, %m: memref<f32>) {
  // expected-error@below {{C5: the epilogue holds elementwise ops and constants on scalars only, not memref.load}}
  %r = cheems_cpu.column_epilogue mapped [3, 5] outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    %0 = memref.load %m[] : memref<f32>
    cheems_cpu.yield %0 : f32
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c5_yield(%y: tensor<4x32xf32>) {
  // expected-error@below {{C5: the epilogue ends with cheems_cpu.yield}}
  %r = cheems_cpu.column_epilogue mapped [3, 5] outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32):
    llvm.unreachable
  } -> tensor<4x32xf32>
  return
}

// -----

func.func @column_epilogue_c6(%b: tensor<3xf32>, %y: tensor<4x32xf32>) {
  // expected-error@below {{C6: operands of with are [2], got 'tensor<3xf32>'}}
  %r = cheems_cpu.column_epilogue mapped [3, 5] with(%b : tensor<3xf32>) outs(%y : tensor<4x32xf32>) {
  ^bb0(%v: f32, %w: f32):
    cheems_cpu.yield %v : f32
  } -> tensor<4x32xf32>
  return
}
