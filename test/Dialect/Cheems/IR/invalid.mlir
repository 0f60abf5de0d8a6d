// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @rms_norm_c0(%x: memref<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : memref<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C1: shapes of x and y differ}}
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @rms_norm_c1_rank(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8x1xf32>) {
  // expected-error@below {{C1: shapes of x and y differ}}
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8x1xf32>) -> tensor<4x8x1xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<4x8xf32>, %w: tensor<7xf32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C2: weight is as long as the last dimension of x}}
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<4x8xf32>, tensor<7xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C3: epsilon is 0, or at least 2^-126}}
  %r = cheems.rms_norm epsilon -0.5 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c3_denormal(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C3: epsilon is 0, or at least 2^-126}}
  %r = cheems.rms_norm epsilon 1.0e-40 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c3_below_f32(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C3: epsilon is 0, or at least 2^-126}}
  %r = cheems.rms_norm epsilon 1.0e-50 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c3_nan(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C3: epsilon is 0, or at least 2^-126}}
  %r = cheems.rms_norm epsilon 0x7FF8000000000000 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rotary_table_c1(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x3xf32>) {
  // expected-error@below {{C1: shapes of cosine and sine differ}}
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x3xf32>) -> tensor<5x4xf32>, tensor<5x3xf32>
  return
}

// -----

func.func @rotary_table_c1_position(%p: tensor<6xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C1: position and length have one entry per row of the tables}}
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<6xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c1_length(%p: tensor<5xi32>, %l: tensor<6xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C1: position and length have one entry per row of the tables}}
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<5xi32>, tensor<6xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c2(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C2: there is either a positive theta or frequencies}}
  %r:2 = cheems.rotary_table theta 0.0 ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c3(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C3: dynamic needs theta, factor >= 1, trained >= 1 and more than 2 numbers that turn}}
  %r:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 0.5 : f64, trained = 16 : i64} ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c3_trained(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C3: dynamic needs theta, factor >= 1, trained >= 1 and more than 2 numbers that turn}}
  %r:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 2.0 : f64} ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c3_negative(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C3: dynamic needs theta, factor >= 1, trained >= 1 and more than 2 numbers that turn}}
  %r:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 2.0 : f64, trained = -16 : i64} ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c3_head(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x1xf32>, %s: tensor<5x1xf32>) {
  // expected-error@below {{C3: dynamic needs theta, factor >= 1, trained >= 1 and more than 2 numbers that turn}}
  %r:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 2.0 : f64, trained = 16 : i64} ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x1xf32>, tensor<5x1xf32>
  return
}

// -----

func.func @rotary_table_c2_neither(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C2: there is either a positive theta or frequencies}}
  %r:2 = cheems.rotary_table  ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c2_both(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C2: there is either a positive theta or frequencies}}
  %r:2 = cheems.rotary_table theta 1.0e+04 frequencies [1.0, 0.5, 0.25, 0.125] ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c3_frequencies(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C3: dynamic needs theta, factor}}
  %r:2 = cheems.rotary_table dynamic frequencies [1.0, 0.5, 0.25, 0.125] {factor = 2.0 : f64, trained = 16 : i64} ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c4_count(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C4: each column of cosine has a frequency, finite and not negative}}
  %r:2 = cheems.rotary_table frequencies [1.0, 0.5, 0.25] ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c4_dynamic(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x?xf32>, %s: tensor<5x?xf32>) {
  // expected-error@below {{C4: each column of cosine has a frequency, finite and not negative}}
  %r:2 = cheems.rotary_table frequencies [1.0, 0.5, 0.25] ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x?xf32>, tensor<5x?xf32>) -> tensor<5x?xf32>, tensor<5x?xf32>
  return
}

// -----

func.func @rotary_table_c4_negative(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C4: each column of cosine has a frequency, finite and not negative}}
  %r:2 = cheems.rotary_table frequencies [1.0, 0.5, -0.25, 0.125] ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c4_infinite(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C4: each column of cosine has a frequency, finite and not negative}}
  %r:2 = cheems.rotary_table frequencies [1.0, 0.5, 0x7FF0000000000000, 0.125] ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c5(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C5: magnitude is positive and finite}}
  %r:2 = cheems.rotary_table theta 1.0e+04 {magnitude = 0.0 : f64} ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_table_c5_infinite(%p: tensor<5xi32>, %l: tensor<5xi32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>) {
  // expected-error@below {{C5: magnitude is positive and finite}}
  %r:2 = cheems.rotary_table theta 1.0e+04 {magnitude = 0x7FF0000000000000 : f64} ins(%p, %l : tensor<5xi32>, tensor<5xi32>) outs(%c, %s : tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @rotary_c1(%x: tensor<5x2x8xf32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>, %y: tensor<5x3x8xf32>) {
  // expected-error@below {{C1: shapes of x and y differ}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x8xf32>, tensor<5x4xf32>, tensor<5x4xf32>) outs(%y : tensor<5x3x8xf32>) -> tensor<5x3x8xf32>
  return
}

// -----

func.func @rotary_c2(%x: tensor<5x2x7xf32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>, %y: tensor<5x2x7xf32>) {
  // expected-error@below {{C2: the head size is static and even}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x7xf32>, tensor<5x4xf32>, tensor<5x4xf32>) outs(%y : tensor<5x2x7xf32>) -> tensor<5x2x7xf32>
  return
}

// -----

func.func @rotary_c2_dynamic(%x: tensor<5x2x?xf32>, %c: tensor<5x4xf32>, %s: tensor<5x4xf32>, %y: tensor<5x2x?xf32>) {
  // expected-error@below {{C2: the head size is static and even}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x?xf32>, tensor<5x4xf32>, tensor<5x4xf32>) outs(%y : tensor<5x2x?xf32>) -> tensor<5x2x?xf32>
  return
}

// -----

func.func @rotary_c2_table(%x: tensor<5x2x8xf32>, %c: tensor<5x3xf32>, %s: tensor<5x4xf32>, %y: tensor<5x2x8xf32>) {
  // expected-error@below {{C2: shapes of cosine and sine differ}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x8xf32>, tensor<5x3xf32>, tensor<5x4xf32>) outs(%y : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return
}

// -----

func.func @rotary_c2_more(%x: tensor<5x2x8xf32>, %c: tensor<5x5xf32>, %s: tensor<5x5xf32>, %y: tensor<5x2x8xf32>) {
  // expected-error@below {{C2: cosine is [T, R/2], where R is static and at most the head size}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x8xf32>, tensor<5x5xf32>, tensor<5x5xf32>) outs(%y : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return
}

// -----

func.func @rotary_c2_none(%x: tensor<5x2x8xf32>, %c: tensor<5x0xf32>, %s: tensor<5x0xf32>, %y: tensor<5x2x8xf32>) {
  // expected-error@below {{C2: cosine is [T, R/2], where R is static and at most the head size}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x8xf32>, tensor<5x0xf32>, tensor<5x0xf32>) outs(%y : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return
}

// -----

func.func @rotary_c2_unknown(%x: tensor<5x2x8xf32>, %c: tensor<5x?xf32>, %s: tensor<5x?xf32>, %y: tensor<5x2x8xf32>) {
  // expected-error@below {{C2: cosine is [T, R/2], where R is static and at most the head size}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x8xf32>, tensor<5x?xf32>, tensor<5x?xf32>) outs(%y : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return
}

// -----

func.func @rotary_c2_rows(%x: tensor<5x2x8xf32>, %c: tensor<6x4xf32>, %s: tensor<6x4xf32>, %y: tensor<5x2x8xf32>) {
  // expected-error@below {{C2: cosine is [T, R/2], where R is static and at most the head size}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x8xf32>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%y : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return
}

// -----

func.func @rotary_c2_sine(%x: tensor<5x2x8xf32>, %c: tensor<5x4xf32>, %s: tensor<5x3xf32>, %y: tensor<5x2x8xf32>) {
  // expected-error@below {{C2: shapes of cosine and sine differ}}
  %r = cheems.rotary ins(%x, %c, %s : tensor<5x2x8xf32>, tensor<5x4xf32>, tensor<5x3xf32>) outs(%y : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return
}

// -----

func.func @dynamic_mask_c1(%d: tensor<5x2xf32>, %a: tensor<2xf32>, %o: tensor<5x3xf32>) {
  // expected-error@below {{C1: shapes of step and mask differ}}
  %r = cheems.dynamic_mask ins(%d, %a : tensor<5x2xf32>, tensor<2xf32>) outs(%o : tensor<5x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @dynamic_mask_c2(%d: tensor<5x2xf32>, %a: tensor<3xf32>, %o: tensor<5x2xf32>) {
  // expected-error@below {{C2: a has one entry per head of step}}
  %r = cheems.dynamic_mask ins(%d, %a : tensor<5x2xf32>, tensor<3xf32>) outs(%o : tensor<5x2xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @parameter_c1() {
  // expected-error@below {{C1: needs at least one name}}
  %r = cheems.parameter [] : tensor<8xf32>
  return
}

// -----

func.func @parameter_c2() {
  // expected-error@below {{C2: the result needs a static shape, got 'tensor<?xf32>'}}
  %r = cheems.parameter ["w"] : tensor<?xf32>
  return
}

// -----

func.func @parameter_c4() {
  // expected-error@below {{C4: permute orders the 2 dimensions of 'tensor<4x8xf32>'}}
  %r = cheems.parameter ["w"] permute [1, 1] : tensor<4x8xf32>
  return
}

// -----

func.func @parameter_c4_rank() {
  // expected-error@below {{C4: permute orders the 2 dimensions of 'tensor<4x8xf32>'}}
  %r = cheems.parameter ["w"] permute [1, 0, 2] : tensor<4x8xf32>
  return
}

// -----

func.func @parameter_c4_names() {
  // expected-error@below {{C4: permute takes one name}}
  %r = cheems.parameter ["a", "b"] permute [1, 0] : tensor<4x8xf32>
  return
}

// -----

func.func @parameter_c5_rank() {
  // expected-error@below {{C5: by_columns needs a matrix of rows with 2 equal parts, got 'tensor<8xf32>'}}
  %r = cheems.parameter ["a", "b"] by_columns : tensor<8xf32>
  return
}

// -----

func.func @parameter_c5_columns() {
  // expected-error@below {{C5: by_columns needs a matrix of rows with 3 equal parts, got 'tensor<4x8xf32>'}}
  %r = cheems.parameter ["a", "b", "c"] by_columns : tensor<4x8xf32>
  return
}

// -----

func.func @parameter_c5_permute() {
  // expected-error@below {{C5: by_columns needs a matrix of rows with 1 equal parts}}
  %r = cheems.parameter ["a"] permute [1, 0] by_columns : tensor<4x8xf32>
  return
}

// -----

func.func @parameter_c6_permute() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<bits = 8, group = 0, part = codes> is codes of i8 or scales, without permute}}
  %r = cheems.parameter ["a"] permute [1, 0] quantized <bits = 8, group = 0, part = codes> : tensor<4x8xi8>
  return
}

// -----

func.func @parameter_c6_element() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<bits = 8, group = 0, part = codes>}}
  %r = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = codes> : tensor<4x8xf32>
  return
}

// -----

func.func @parameter_c6_scales() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<bits = 4, group = 64, part = codes>}}
  %r = cheems.parameter ["a"] quantized <bits = 4, group = 64, part = codes> : tensor<4x64xi8>
  return
}

// -----

func.func @parameter_c6_matrix() {
  // expected-error@below {{C6: a parameter of #cheems.quantized<bits = 8, group = 0, part = matrix>}}
  %r = cheems.parameter ["a", "b"] by_columns quantized <bits = 8, group = 0, part = matrix> : tensor<4x8xf32>
  return
}

// -----

// expected-error@below {{codes have 4 or 8 bits, not 5}}
func.func private @quantized_bits() attributes {q = #cheems.quantized<bits = 5, group = 0, part = codes>}

// -----

// expected-error@below {{a group has at least one element, or 0 for all, not -1}}
func.func private @quantized_group() attributes {q = #cheems.quantized<bits = 8, group = -1, part = codes>}

// -----

func.func @results_are_destinations(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@below {{expected type of operand #2 ('tensor<4x8xf32>') to match type of corresponding result ('tensor<?x8xf32>')}}
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<?x8xf32>
  return
}
