// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c1_axis() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: a tile of two dimensions is reduced along axis 0 or 1}}
  %r = cheems_tile.reduce maximum %t axis 2 : tensor<16x32xf32, #wide> -> tensor<16xf32, #rows>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c1_negative() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: a tile of two dimensions is reduced along axis 0 or 1}}
  %r = cheems_tile.reduce maximum %t axis -1 : tensor<16x32xf32, #wide> -> tensor<16xf32, #rows>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c1_dimensions() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16xf32, #rows>
  // expected-error@below {{C1: a tile of two dimensions is reduced along axis 0 or 1}}
  %r = cheems_tile.reduce maximum %t axis 0 : tensor<16xf32, #rows> -> tensor<16xf32, #rows>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c2_extent() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C2: the result has 16 elements of 'f32' and the slice of the tile's layout along axis 1}}
  %r = cheems_tile.reduce maximum %t axis 1 : tensor<16x32xf32, #wide> -> tensor<32xf32, #rows>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c2_axis() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C2: the result has 16 elements of 'f32' and the slice of the tile's layout along axis 1}}
  %r = cheems_tile.reduce maximum %t axis 1 : tensor<16x32xf32, #wide> -> tensor<16xf32, #columns>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c2_layout() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C2: the result has 16 elements of 'f32' and the slice of the tile's layout along axis 1}}
  %r = cheems_tile.reduce maximum %t axis 1 : tensor<16x32xf32, #wide> -> tensor<16xf32, #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 1>>>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c2_no_slice() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C2: the result has 16 elements of 'f32' and the slice of the tile's layout along axis 1}}
  %r = cheems_tile.reduce maximum %t axis 1 : tensor<16x32xf32, #wide> -> tensor<16x16xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @reduce_c3() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x8xf32, #ck>
  // expected-error@below {{C3: the tile holds sums over a part of k: add them by sum_partials before}}
  %r = cheems_tile.reduce maximum %t axis 1 : tensor<16x8xf32, #ck> -> tensor<16xf32, #cheems_tile.slice<axis = 1, of = #ck>>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @sum_partials_c1_blocked() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: partial sums are a fragment of role c, not #cheems_tile.blocked}}
  %r = cheems_tile.sum_partials %t : tensor<16x32xf32, #wide> -> tensor<16x32xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @sum_partials_c1_role() warps(4) {
  %t = arith.constant dense<0.0> : tensor<32x32xf32, #a>
  // expected-error@below {{C1: partial sums are a fragment of role c, not #cheems_tile.fragment<role = a}}
  %r = cheems_tile.sum_partials %t : tensor<32x32xf32, #a> -> tensor<32x32xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @sum_partials_c2_shape() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x16xf32, #ck>
  // expected-error@below {{C2: the result is a tile of the same shape and element type whose elements are whole}}
  %r = cheems_tile.sum_partials %t : tensor<16x16xf32, #ck> -> tensor<8x16xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @sum_partials_c2_sums() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x16xf32, #ck>
  // expected-error@below {{C2: the result is a tile of the same shape and element type whose elements are whole}}
  %r = cheems_tile.sum_partials %t : tensor<16x16xf32, #ck> -> tensor<16x16xf32, #ck>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @convert_layout_c1_shape() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: shape and element type stay the same, from }}
  %r = cheems_tile.convert_layout %t : tensor<16x32xf32, #wide> -> tensor<32x32xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @convert_layout_c1_element() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: shape and element type stay the same, from }}
  %r = cheems_tile.convert_layout %t : tensor<16x32xf32, #wide> -> tensor<16x32xf16, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @convert_layout_c2_from() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x16xf32, #ck>
  // expected-error@below {{C2: layouts of sums over a part of k are not converted: add them by sum_partials before}}
  %r = cheems_tile.convert_layout %t : tensor<16x16xf32, #ck> -> tensor<16x16xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @convert_layout_c2_to() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x16xf32, #wide>
  // expected-error@below {{C2: layouts of sums over a part of k are not converted: add them by sum_partials before}}
  %r = cheems_tile.convert_layout %t : tensor<16x16xf32, #wide> -> tensor<16x16xf32, #ck>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @broadcast_c1_no_slice() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: 'tensor<16x32xf32, #cheems_tile.blocked<rows = 8, columns = 16, width = 1>>' has no slice of #cheems_tile.blocked<rows = 8, columns = 16, width = 1>}}
  %r = cheems_tile.broadcast %t : tensor<16x32xf32, #wide> -> tensor<16x32xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @broadcast_c1_other() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16xf32, #rows>
  // expected-error@below {{C1: 'tensor<16xf32, #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>>>' has no slice of #cheems_tile.blocked<rows = 4, columns = 32, width = 1>}}
  %r = cheems_tile.broadcast %t : tensor<16xf32, #rows> -> tensor<16x32xf32, #cheems_tile.blocked<rows = 4, columns = 32, width = 1>>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @broadcast_c2_extent() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16xf32, #rows>
  // expected-error@below {{C2: 'tensor<16xf32, #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>>>' can't be repeated to 'tensor<32x32xf32, }}
  %r = cheems_tile.broadcast %t : tensor<16xf32, #rows> -> tensor<32x32xf32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @broadcast_c2_element() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16xf32, #rows>
  // expected-error@below {{C2: 'tensor<16xf32, #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>>>' can't be repeated to 'tensor<16x32xf16, }}
  %r = cheems_tile.broadcast %t : tensor<16xf32, #rows> -> tensor<16x32xf16, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @indices_c1_two() warps(4) {
  // expected-error@below {{C1: axis 2 is no dimension of }}
  %i = cheems_tile.indices axis 2 : tensor<16x32xi32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @indices_c1_negative() warps(4) {
  // expected-error@below {{C1: axis -1 is no dimension of }}
  %i = cheems_tile.indices axis -1 : tensor<16x32xi32, #wide>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b1 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 4>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @indices_c1_slice() warps(4) {
  // expected-error@below {{C1: axis 1 is no dimension of }}
  %i = cheems_tile.indices axis 1 : tensor<16xi32, #rows>
  cheems_tile.return
}

// -----

cheems_tile.kernel @a_tensor_without_layout() warps(4) {
  %t = arith.constant dense<0.0> : tensor<16x32xf32>
  // expected-error@below {{operand #0 must be tile with a layout, but got 'tensor<16x32xf32>'}}
  %r = "cheems_tile.convert_layout"(%t) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
cheems_tile.kernel @prefix_sum_c1_layout() warps(4) {
  %t = arith.constant dense<0> : tensor<32x16xi32, #c>
  // expected-error@below {{C1: the tile has two dimensions and a blocked layout, not #cheems_tile.fragment<role = c}}
  %s = cheems_tile.prefix_sum %t : tensor<32x16xi32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @prefix_sum_c1_rank() warps(4) {
  %t = arith.constant dense<0> : tensor<8xi32, #rows>
  // expected-error@below {{C1: the tile has two dimensions and a blocked layout, not #cheems_tile.slice<axis = 1}}
  %s = cheems_tile.prefix_sum %t : tensor<8xi32, #rows>
  cheems_tile.return
}
