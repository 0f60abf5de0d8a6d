// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @keep_threshold_c1(%m: tensor<2x9xf32>, %p: tensor<2x8xi32>, %n: index, %t: tensor<5x2xf32>, %l: tensor<5x2xi32>) {
  // expected-error@below {{C1: shapes of mask and position differ}}
  %r:2 = cheems_cpu.keep_threshold keep 4 ins(%m, %p, %n : tensor<2x9xf32>, tensor<2x8xi32>, index) outs(%t, %l : tensor<5x2xf32>, tensor<5x2xi32>) -> tensor<5x2xf32>, tensor<5x2xi32>
  return
}

// -----

func.func @keep_threshold_c2(%m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %n: index, %t: tensor<5x2xf32>, %l: tensor<4x2xi32>) {
  // expected-error@below {{C2: shapes of threshold and last differ}}
  %r:2 = cheems_cpu.keep_threshold keep 4 ins(%m, %p, %n : tensor<2x9xf32>, tensor<2x9xi32>, index) outs(%t, %l : tensor<5x2xf32>, tensor<4x2xi32>) -> tensor<5x2xf32>, tensor<4x2xi32>
  return
}

// -----

func.func @keep_threshold_c2_heads(%m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %n: index, %t: tensor<5x3xf32>, %l: tensor<5x3xi32>) {
  // expected-error@below {{C2: threshold has one column per head of mask}}
  %r:2 = cheems_cpu.keep_threshold keep 4 ins(%m, %p, %n : tensor<2x9xf32>, tensor<2x9xi32>, index) outs(%t, %l : tensor<5x3xf32>, tensor<5x3xi32>) -> tensor<5x3xf32>, tensor<5x3xi32>
  return
}

// -----

func.func @keep_threshold_c3(%m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %n: index, %t: tensor<5x2xf32>, %l: tensor<5x2xi32>) {
  // expected-error@below {{C3: keeps at least one key, got 0}}
  %r:2 = cheems_cpu.keep_threshold keep 0 ins(%m, %p, %n : tensor<2x9xf32>, tensor<2x9xi32>, index) outs(%t, %l : tensor<5x2xf32>, tensor<5x2xi32>) -> tensor<5x2xf32>, tensor<5x2xi32>
  return
}

// -----

func.func @keep_threshold_c4(%m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %n: index, %t: tensor<5x2xf32>, %l: tensor<5x2xi32>) {
  // expected-error@below {{C4: place is given only for one row, got 'tensor<5x2xf32>'}}
  %r:3 = cheems_cpu.keep_threshold keep 4 ins(%m, %p, %n : tensor<2x9xf32>, tensor<2x9xi32>, index) outs(%t, %l : tensor<5x2xf32>, tensor<5x2xi32>) moves_to(%l : tensor<5x2xi32>) -> tensor<5x2xf32>, tensor<5x2xi32>, tensor<5x2xi32>
  return
}

// -----

func.func @keep_threshold_c4_shape(%m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %n: index, %t: tensor<1x2xf32>, %l: tensor<1x2xi32>, %w: tensor<1x3xi32>) {
  // expected-error@below {{C4: shapes of moves_to and threshold differ}}
  %r:3 = cheems_cpu.keep_threshold keep 4 ins(%m, %p, %n : tensor<2x9xf32>, tensor<2x9xi32>, index) outs(%t, %l : tensor<1x2xf32>, tensor<1x2xi32>) moves_to(%w : tensor<1x3xi32>) -> tensor<1x2xf32>, tensor<1x2xi32>, tensor<1x3xi32>
  return
}

// -----

func.func @keep_update_c1(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xbf16>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>) {
  // expected-error@below {{C1: keys and values have the same type}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) outs(%k, %v, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xbf16>, tensor<2x9xf32>, tensor<2x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xbf16>, tensor<2x9xf32>, tensor<2x9xi32>
  return
}

// -----

func.func @keep_update_c2(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x8xf32>, %p: tensor<2x9xi32>) {
  // expected-error@below {{C2: shapes of mask and [M, C] differ}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) outs(%k, %v, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x8xf32>, tensor<2x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x8xf32>, tensor<2x9xi32>
  return
}

// -----

func.func @keep_update_c2_position(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %p: tensor<1x9xi32>) {
  // expected-error@below {{C2: shapes of position and [M, C] differ}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) outs(%k, %v, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<1x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<1x9xi32>
  return
}

// -----

func.func @keep_update_c3(%t: tensor<1xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>) {
  // expected-error@below {{C3: threshold and last have one entry per head}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<1xf32>, tensor<2xi32>, index, index) outs(%k, %v, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>
  return
}

// -----

func.func @keep_update_c3_last(%t: tensor<2xf32>, %l: tensor<3xi32>, %n: index, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>) {
  // expected-error@below {{C3: threshold and last have one entry per head}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<3xi32>, index, index) outs(%k, %v, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>
  return
}

// -----

func.func @keep_update_c4(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>) {
  // expected-error@below {{C4: keeps at least one key, got -1}}
  %r:4 = cheems_cpu.keep_update keep -1 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) outs(%k, %v, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>
  return
}

// -----

func.func @keep_update_c6(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %w: tensor<3xi32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>) {
  // expected-error@below {{C6: moves_to has one entry per head}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) moves_to(%w : tensor<3xi32>) outs(%k, %v, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>
  return
}

// -----

func.func @dynamic_mask_attention_c1(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %y: tensor<3x4x4xf32>) {
  // expected-error@below {{C1: shapes of query and y differ}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c2(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xbf16>, %m: tensor<2x9xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C2: keys and values have the same type [G, C, P] with the P of query}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xbf16>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c2_head(%q: tensor<3x4x8xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>, %m: tensor<2x9xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C2: keys and values have the same type [G, C, P] with the P of query}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_keys(%q: tensor<3x4x8xf32>, %k: tensor<3x9x8xf32>, %v: tensor<3x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 3 key heads and 2 mask heads}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<3x9x8xf32>, tensor<3x9x8xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_masks(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<3x9xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 2 key heads and 3 mask heads}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<3x9xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_dynamic(%q: tensor<3x4x8xf32>, %k: tensor<?x9x8xf32>, %v: tensor<?x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<?x9x8xf32>, tensor<?x9x8xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c4(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x8xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C4: mask is [M, C] with the C of keys}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x8xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c5(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: only kind bias keeps keys by rank}}
  %r = cheems_cpu.dynamic_mask_attention scale scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c5_together(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %t: tensor<3x2xf32>) {
  // expected-error@below {{C5: position, threshold and last are given together}}
  %r = "cheems_cpu.dynamic_mask_attention"(%q, %k, %k, %m, %n, %t, %q) <{kind = #cheems<mask_kind bias>, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1>}> : (tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, tensor<3x2xf32>, tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c5_position(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %p: tensor<2x8xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: shapes of position and mask differ}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<2x8xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c5_threshold(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<2x2xf32>, %l: tensor<3x2xi32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: shapes of threshold and [T, M] differ}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<2x2xf32>, tensor<3x2xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c5_last(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x1xi32>, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C5: shapes of last and [T, M] differ}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x1xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c6(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C6: hide_below is given for kind threshold, and only then}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 hide_below 1.0 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c6_missing(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %n: index, %y: tensor<3x4x8xf32>) {
  // expected-error@below {{C6: hide_below is given for kind threshold, and only then}}
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.5 ins(%q, %k, %v, %m, %n : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @parameter_c3() {
  // expected-error@below {{C3: a result with layout}}
  %r = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 2>) : tensor<4x4x16x1xf32>
  return
}

// -----

func.func @parameter_c3_rank() {
  // expected-error@below {{C3: a result with layout}}
  %r = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 1>) : tensor<64x4xf32>
  return
}

// -----

func.func @parameter_c4_layout() {
  // expected-error@below {{C4: permute orders the 2 dimensions of 'tensor<4x4x16x1xf32>'}}
  %r = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 1>) permute [1, 0, 2, 3] : tensor<4x4x16x1xf32>
  return
}

// -----

func.func @parameter_c3_matrices() {
  // expected-error@below {{C3: a result with layout}}
  %r = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 1>) : tensor<2x4x4x16x1xf32>
  return
}

// -----

func.func @worker_c1() {
  // expected-error@below {{C1: must be inside of an scf.forall}}
  %r = cheems_cpu.worker : index
  return
}

// -----

// expected-error@below {{panels need at least one row and one element, got <0, 1>}}
func.func private @panels() attributes {layout = #cheems_cpu.panels<0, 1>}
