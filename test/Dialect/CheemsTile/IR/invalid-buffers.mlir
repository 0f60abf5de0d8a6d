// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c1() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  // expected-error@below {{C1: the tile has elements of 'f32', and the buffer of 'bf16'}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<2x32x64xbf16> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c2_rows() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  // expected-error@below {{C2: 'tensor<36x64xbf16, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>' does not fit into a stage of '!cheems_tile.buffer<2x32x64xbf16>'}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<2x32x64xbf16> -> tensor<36x64xbf16, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c2_columns() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  // expected-error@below {{C2: 'tensor<4x128xbf16, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>' does not fit}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<2x32x64xbf16> -> tensor<4x128xbf16, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c2_one_dimension() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  // expected-error@below {{C2: 'tensor<128xbf16, #cheems_tile.slice<axis = 0, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>>' does not fit}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<2x32x64xbf16> -> tensor<128xbf16, #row>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c2_transposed() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  // expected-error@below {{C2: 'tensor<32x64xbf16, #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>>' does not fit}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] transposed : !cheems_tile.buffer<2x32x64xbf16> -> tensor<32x64xbf16, #b>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c3_c() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  // expected-error@below {{C3: what is read transposed is a fragment of role a or b with k_width 2 and 16-bit elements, not }}
  %t = cheems_tile.read %b[%c0, %c0, %c0] transposed : !cheems_tile.buffer<2x32x64xbf16> -> tensor<64x32xbf16, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c3_blocked() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16>
  // expected-error@below {{C3: what is read transposed is a fragment of role a or b with k_width 2 and 16-bit elements, not }}
  %t = cheems_tile.read %b[%c0, %c0, %c0] transposed : !cheems_tile.buffer<2x64x64xbf16> -> tensor<64x64xbf16, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c3_width() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  // expected-error@below {{C3: what is read transposed is a fragment of role a or b with k_width 2 and 16-bit elements, not }}
  %t = cheems_tile.read %b[%c0, %c0, %c0] transposed : !cheems_tile.buffer<2x32x64xbf16> -> tensor<64x32xbf16, #b8>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
cheems_tile.kernel @read_c3_element() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xf32>
  // expected-error@below {{C3: what is read transposed is a fragment of role a or b with k_width 2 and 16-bit elements, not }}
  %t = cheems_tile.read %b[%c0, %c0, %c0] transposed : !cheems_tile.buffer<2x32x64xf32> -> tensor<64x32xf32, #b>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
#partial = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @write_c1() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C1: the tile has elements of 'f32', and the buffer of 'bf16'}}
  cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<4x64xf32, #wide>, !cheems_tile.buffer<2x32x64xbf16>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
#partial = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @write_c2_rows() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  %t = arith.constant dense<0.0> : tensor<36x64xbf16, #wide>
  // expected-error@below {{C2: 'tensor<36x64xbf16, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>' does not fit into a stage of '!cheems_tile.buffer<2x32x64xbf16>'}}
  cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<36x64xbf16, #wide>, !cheems_tile.buffer<2x32x64xbf16>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
#partial = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @write_c2_columns() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  %t = arith.constant dense<0.0> : tensor<4x128xbf16, #wide>
  // expected-error@below {{C2: 'tensor<4x128xbf16, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>' does not fit}}
  cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<4x128xbf16, #wide>, !cheems_tile.buffer<2x32x64xbf16>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
#partial = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @write_c2_one_dimension() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xbf16>
  %t = arith.constant dense<0.0> : tensor<64xbf16, #row>
  // expected-error@below {{C2: 'tensor<64xbf16, #cheems_tile.slice<axis = 0, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>>' does not fit}}
  cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<64xbf16, #row>, !cheems_tile.buffer<2x32x64xbf16>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
#partial = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @write_c3() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xf32>
  %t = arith.constant dense<0.0> : tensor<16x8xf32, #partial>
  // expected-error@below {{C3: the tile holds sums over a part of k: add them by sum_partials before}}
  cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<16x8xf32, #partial>, !cheems_tile.buffer<2x32x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
cheems_tile.kernel @read_c2_parts() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x1x64xf32>
  // expected-error@below {{C2: 'tensor<64x64xf32,}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] parts 32 : !cheems_tile.buffer<2x1x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
cheems_tile.kernel @read_c4_thread() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x8x64xf32>
  // expected-error@below {{C4: threads hold no parts of 8 rows of}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] parts 8 : !cheems_tile.buffer<2x8x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
cheems_tile.kernel @read_c4_row() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x1x64xf32>
  // expected-error@below {{C4: threads hold no parts of 64 rows of}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] parts 64 : !cheems_tile.buffer<2x1x64xf32> -> tensor<64xf32, #cheems_tile.slice<axis = 0, of = #c>>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
cheems_tile.kernel @read_c4_transposed() warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16>
  // expected-error@below {{C4: threads hold no parts of 32 rows of}}
  %t = cheems_tile.read %b[%c0, %c0, %c0] transposed parts 32 : !cheems_tile.buffer<2x64x64xbf16> -> tensor<64x64xbf16, #a>
  cheems_tile.return
}
