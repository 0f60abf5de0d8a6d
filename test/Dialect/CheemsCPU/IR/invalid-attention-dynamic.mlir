// Heads and head size are static in every operand of attention that has them.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_mask_attention_c3_dynamic_y_heads(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %y: tensor<3x?x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x?x8xf32>) -> tensor<3x?x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_dynamic_y_size(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %y: tensor<3x4x?xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x?xf32>) -> tensor<3x4x?xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_dynamic_position(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<?x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<?x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_dynamic_threshold(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x?xf32>, %l: tensor<3x2xi32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x?xf32>, tensor<3x2xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_dynamic_last(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x?xi32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x?xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_dynamic_scales(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xi8>, %mask: tensor<2x9xf32>, %n: index, %c: tensor<?x9xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n : tensor<3x4x8xf32>, tensor<2x9x8xi8>, tensor<2x9x8xi8>, tensor<2x9xf32>, index) scales(%c, %c : tensor<?x9xf32>, tensor<?x9xf32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_maximum(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x?xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x?xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x?xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_sum(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x?xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x?xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x?xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_y_heads(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x?x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x?x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x?x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_y_size(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x?xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x?xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x?xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_position(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<?x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<?x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_threshold(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x?xf32>, %l: tensor<3x2xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x?xf32>, tensor<3x2xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_last(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x?xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x?xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic_scales(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xi8>, %mask: tensor<2x9xf32>, %n: index, %c: tensor<?x9xf32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xi8>, tensor<2x9x8xi8>, tensor<2x9xf32>, index, index) scales(%c, %c : tensor<?x9xf32>, tensor<?x9xf32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}
