// Every labelled constraint of online_attention and merge_attention, and C7 of dynamic_mask_attention: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @online_attention_c1(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x4xf32>) {
  // expected-error@below {{C1: shapes of query and y differ}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x4xf32>
  return
}

// -----

func.func @online_attention_c1_maximum(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x2xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C1: shapes of maximum and [T, H] differ}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c1_sum(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<2x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C1: shapes of sum and [T, H] differ}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c2(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xbf16>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C2: keys and values have the same type [G, J, P] with the P of query}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xbf16>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c2_size(%q: tensor<3x4x8xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C2: keys and values have the same type [G, J, P] with the P of query}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_keys(%q: tensor<3x4x8xf32>, %k: tensor<3x9x8xf32>, %v: tensor<3x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 3 key heads and 2 mask heads}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<3x9x8xf32>, tensor<3x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_masks(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<3x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 2 key heads and 3 mask heads}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<3x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_no_query(%q: tensor<3x0x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x0xf32>, %s: tensor<3x0xf32>, %y: tensor<3x0x8xf32>) {
  // expected-error@below {{C3: 0 query heads cannot be divided among 2 key heads and 2 mask heads}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x0x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x0xf32>, tensor<3x0xf32>, tensor<3x0x8xf32>) -> tensor<3x0xf32>, tensor<3x0xf32>, tensor<3x0x8xf32>
  return
}

// -----

func.func @online_attention_c3_none(%q: tensor<3x4x8xf32>, %k: tensor<0x9x8xf32>, %v: tensor<0x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 0 key heads and 2 mask heads}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<0x9x8xf32>, tensor<0x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_dynamic(%q: tensor<3x4x8xf32>, %k: tensor<?x9x8xf32>, %v: tensor<?x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<?x9x8xf32>, tensor<?x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c4(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x8xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C4: mask is [M, J] with the J of keys}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x8xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c5(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: only kind bias keeps keys by rank}}
  %r:3 = cheems_cpu.online_attention scale scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c5_position(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x8xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: shapes of position and mask differ}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<2x8xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c5_threshold(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<2x2xf32>, %l: tensor<3x2xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: shapes of threshold and [T, M] differ}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<2x2xf32>, tensor<3x2xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c5_last(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x1xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: shapes of last and [T, M] differ}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x1xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c5_together(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %t: tensor<3x2xf32>, %m: tensor<3x4xf32>) {
  // expected-error@below {{C5: position, threshold and last are given together}}
  %r:3 = "cheems_cpu.online_attention"(%q, %k, %k, %mask, %n, %n, %t, %m, %m, %q) <{kind = #cheems<mask_kind bias>, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1>}> : (tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index, tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>)
  return
}

// -----

func.func @online_attention_c6(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C6: hide_below is given for kind threshold, and only then}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 hide_below 1.0 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c6_missing(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C6: hide_below is given for kind threshold, and only then}}
  %r:3 = cheems_cpu.online_attention threshold scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c7(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %seen: tensor<3xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C7: seen is [T], and is given only for kind threshold}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) seen(%seen : tensor<3xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c7_rows(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %seen: tensor<2xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C7: seen is [T], and is given only for kind threshold}}
  %r:3 = cheems_cpu.online_attention threshold scale 0.5 hide_below 1.0 ins(%q, %k, %v, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) seen(%seen : tensor<2xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c7(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %seen: tensor<3xi32>) {
  // expected-error@below {{C7: seen is [T], and is given only for kind threshold}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) seen(%seen : tensor<3xi32>) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c7_rows(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %seen: tensor<2xi32>) {
  // expected-error@below {{C7: seen is [T], and is given only for kind threshold}}
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 ins(%q, %k, %k, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) seen(%seen : tensor<2xi32>) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @merge_attention_c1_later_maximum(%m1: tensor<2x3xf32>, %s1: tensor<2x4xf32>, %y1: tensor<2x4x8xf32>, %m: tensor<2x4xf32>, %s: tensor<2x4xf32>, %y: tensor<2x4x8xf32>) {
  // expected-error@below {{C1: shapes of later_maximum and [T, H] differ}}
  %r:3 = cheems_cpu.merge_attention ins(%m1, %s1, %y1 : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) outs(%m, %s, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @merge_attention_c1_later_sum(%m1: tensor<2x4xf32>, %s1: tensor<2x3xf32>, %y1: tensor<2x4x8xf32>, %m: tensor<2x4xf32>, %s: tensor<2x4xf32>, %y: tensor<2x4x8xf32>) {
  // expected-error@below {{C1: shapes of later_sum and [T, H] differ}}
  %r:3 = cheems_cpu.merge_attention ins(%m1, %s1, %y1 : tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4x8xf32>) outs(%m, %s, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @merge_attention_c1_maximum(%m1: tensor<2x4xf32>, %s1: tensor<2x4xf32>, %y1: tensor<2x4x8xf32>, %m: tensor<2x3xf32>, %s: tensor<2x4xf32>, %y: tensor<2x4x8xf32>) {
  // expected-error@below {{C1: shapes of maximum and [T, H] differ}}
  %r:3 = cheems_cpu.merge_attention ins(%m1, %s1, %y1 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) outs(%m, %s, %y : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) -> tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @merge_attention_c1_sum(%m1: tensor<2x4xf32>, %s1: tensor<2x4xf32>, %y1: tensor<2x4x8xf32>, %m: tensor<2x4xf32>, %s: tensor<2x3xf32>, %y: tensor<2x4x8xf32>) {
  // expected-error@below {{C1: shapes of sum and [T, H] differ}}
  %r:3 = cheems_cpu.merge_attention ins(%m1, %s1, %y1 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) outs(%m, %s, %y : tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4x8xf32>) -> tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @merge_attention_c2(%m1: tensor<2x4xf32>, %s1: tensor<2x4xf32>, %y1: tensor<2x4x7xf32>, %m: tensor<2x4xf32>, %s: tensor<2x4xf32>, %y: tensor<2x4x8xf32>) {
  // expected-error@below {{C2: shapes of later_y and y differ}}
  %r:3 = cheems_cpu.merge_attention ins(%m1, %s1, %y1 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x7xf32>) outs(%m, %s, %y : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c10(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index) {
  // expected-error@below {{C10: mask is given unless the kind is none, and only then}}
  %r = cheems_cpu.dynamic_mask_attention none scale 0.5 ins(%q, %k, %k, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c10_missing(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %n: index) {
  // expected-error@below {{C10: mask is given unless the kind is none, and only then}}
  %r = cheems_cpu.dynamic_mask_attention scale scale 0.5 ins(%q, %k, %k, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, index) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_few(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>) {
  // expected-error@below {{expected 4 or 5 operands}}
  %r = cheems_cpu.dynamic_mask_attention none scale 0.5 ins(%q, %k, %k : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_types(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %n: index) {
  // expected-error@below {{4 operands have 3 types}}
  %r = cheems_cpu.dynamic_mask_attention none scale 0.5 ins(%q, %k, %k, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, index) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c10(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %n: index, %m: tensor<3x4xf32>) {
  // expected-error@below {{C10: mask is given unless the kind is none, and only then}}
  %r:3 = cheems_cpu.online_attention none scale 0.5 ins(%q, %k, %k, %mask, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%m, %m, %q : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_few(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %n: index, %m: tensor<3x4xf32>) {
  // expected-error@below {{expected 5 or 6 operands}}
  %r:3 = cheems_cpu.online_attention none scale 0.5 ins(%q, %k, %k, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, index) outs(%m, %m, %q : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c11(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %n: index) {
  // expected-error@below {{C11: window is at least 1, and given only for kind none}}
  %r = cheems_cpu.dynamic_mask_attention none scale 0.5 window 0 ins(%q, %k, %k, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, index) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c11_kind(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index) {
  // expected-error@below {{C11: window is at least 1, and given only for kind none}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 window 3 ins(%q, %k, %k, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%q : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c11(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %n: index, %m: tensor<3x4xf32>) {
  // expected-error@below {{C11: window is at least 1, and given only for kind none}}
  %r:3 = cheems_cpu.online_attention none scale 0.5 window 0 ins(%q, %k, %k, %n, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, index, index) outs(%m, %m, %q : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}
