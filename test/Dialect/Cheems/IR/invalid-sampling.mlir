// Every labelled constraint of top_logits is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @top_logits_c1_tokens(%l: tensor<3x9xf32>, %v: tensor<3x2xf32>, %t: tensor<3x4xi32>, %s: tensor<3xf32>) {
  // expected-error@below {{C1: shapes of values and tokens differ}}
  %r:3 = cheems.top_logits ins(%l : tensor<3x9xf32>) outs(%v, %t, %s : tensor<3x2xf32>, tensor<3x4xi32>, tensor<3xf32>) -> tensor<3x2xf32>, tensor<3x4xi32>, tensor<3xf32>
  return
}

// -----

func.func @top_logits_c1_sums(%l: tensor<3x9xf32>, %v: tensor<3x2xf32>, %t: tensor<3x2xi32>, %s: tensor<2xf32>) {
  // expected-error@below {{C1: shapes of log_sum_exp and [R] differ}}
  %r:3 = cheems.top_logits ins(%l : tensor<3x9xf32>) outs(%v, %t, %s : tensor<3x2xf32>, tensor<3x2xi32>, tensor<2xf32>) -> tensor<3x2xf32>, tensor<3x2xi32>, tensor<2xf32>
  return
}

// -----

func.func @top_logits_c1_rows(%l: tensor<3x9xf32>, %v: tensor<4x2xf32>, %t: tensor<4x2xi32>, %s: tensor<3xf32>) {
  // expected-error@below {{C1: shapes of values and [R, K] differ}}
  %r:3 = cheems.top_logits ins(%l : tensor<3x9xf32>) outs(%v, %t, %s : tensor<4x2xf32>, tensor<4x2xi32>, tensor<3xf32>) -> tensor<4x2xf32>, tensor<4x2xi32>, tensor<3xf32>
  return
}

// -----

func.func @top_logits_c2_dynamic(%l: tensor<3x?xf32>, %v: tensor<3x2xf32>, %t: tensor<3x2xi32>, %s: tensor<3xf32>) {
  // expected-error@below {{C2: V and K are static}}
  %r:3 = cheems.top_logits ins(%l : tensor<3x?xf32>) outs(%v, %t, %s : tensor<3x2xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<3x2xf32>, tensor<3x2xi32>, tensor<3xf32>
  return
}

// -----

func.func @top_logits_c2_count(%l: tensor<3x9xf32>, %v: tensor<3x?xf32>, %t: tensor<3x2xi32>, %s: tensor<3xf32>) {
  // expected-error@below {{C2: V and K are static}}
  %r:3 = cheems.top_logits ins(%l : tensor<3x9xf32>) outs(%v, %t, %s : tensor<3x?xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<3x?xf32>, tensor<3x2xi32>, tensor<3xf32>
  return
}

// -----

func.func @top_logits_c2_more(%l: tensor<3x9xf32>, %v: tensor<3x10xf32>, %t: tensor<3x10xi32>, %s: tensor<3xf32>) {
  // expected-error@below {{C2: the best 10 of 9 logits are wanted: 1 <= K <= V}}
  %r:3 = cheems.top_logits ins(%l : tensor<3x9xf32>) outs(%v, %t, %s : tensor<3x10xf32>, tensor<3x10xi32>, tensor<3xf32>) -> tensor<3x10xf32>, tensor<3x10xi32>, tensor<3xf32>
  return
}

// -----

func.func @top_logits_c2_none(%l: tensor<3x9xf32>, %v: tensor<3x0xf32>, %t: tensor<3x0xi32>, %s: tensor<3xf32>) {
  // expected-error@below {{C2: the best 0 of 9 logits are wanted: 1 <= K <= V}}
  %r:3 = cheems.top_logits ins(%l : tensor<3x9xf32>) outs(%v, %t, %s : tensor<3x0xf32>, tensor<3x0xi32>, tensor<3xf32>) -> tensor<3x0xf32>, tensor<3x0xi32>, tensor<3xf32>
  return
}
