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
cheems_tile.kernel @mma_c1_m() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x32xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  // expected-error@below {{C1: a is [M, K], b is [N, K] and c is [M, N], not }}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a>, tensor<16x32xbf16, #b>, tensor<64x16xf32, #c>
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
cheems_tile.kernel @mma_c1_n() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x32xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  // expected-error@below {{C1: a is [M, K], b is [N, K] and c is [M, N], not }}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a>, tensor<16x32xbf16, #b>, tensor<32x32xf32, #c>
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
cheems_tile.kernel @mma_c1_k() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x64xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #c>
  // expected-error@below {{C1: a is [M, K], b is [N, K] and c is [M, N], not }}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a>, tensor<16x64xbf16, #b>, tensor<32x16xf32, #c>
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
cheems_tile.kernel @mma_c1_dimensions() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32xbf16, #rows>
  %b = arith.constant dense<0.0> : tensor<16x32xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #c>
  // expected-error@below {{C1: a is [M, K], b is [N, K] and c is [M, N], not }}
  %d = cheems_tile.mma %a, %b, %c : tensor<32xbf16, #rows>, tensor<16x32xbf16, #b>, tensor<32x16xf32, #c>
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
cheems_tile.kernel @mma_c2() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x32xf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #c>
  // expected-error@below {{C2: a has elements of 'bf16', and b of 'f16'}}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a>, tensor<16x32xf16, #b>, tensor<32x16xf32, #c>
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
cheems_tile.kernel @mma_c3_role() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #b>
  %b = arith.constant dense<0.0> : tensor<16x32xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #c>
  // expected-error@below {{C3: the layouts are fragments of the roles a, b and c with the same warps}}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #b>, tensor<16x32xbf16, #b>, tensor<32x16xf32, #c>
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
cheems_tile.kernel @mma_c3_blocked() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x32xbf16, #wide>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #c>
  // expected-error@below {{C3: the layouts are fragments of the roles a, b and c with the same warps}}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a>, tensor<16x32xbf16, #wide>, tensor<32x16xf32, #c>
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
cheems_tile.kernel @mma_c3_sums() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x32xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #wide>
  // expected-error@below {{C3: the layouts are fragments of the roles a, b and c with the same warps}}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a>, tensor<16x32xbf16, #b>, tensor<32x16xf32, #wide>
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
cheems_tile.kernel @mma_c3_warps() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x32xbf16, #b1>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  // expected-error@below {{C3: the layouts are fragments of the roles a, b and c with the same warps}}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a>, tensor<32x32xbf16, #b1>, tensor<32x32xf32, #c>
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
cheems_tile.kernel @mma_c4() warps(4) {
  %a = arith.constant dense<0.0> : tensor<32x32xbf16, #a8>
  %b = arith.constant dense<0.0> : tensor<16x32xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x16xf32, #c>
  // expected-error@below {{C4: a has k_width 8, and b 2}}
  %d = cheems_tile.mma %a, %b, %c : tensor<32x32xbf16, #a8>, tensor<16x32xbf16, #b>, tensor<32x16xf32, #c>
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
cheems_tile.kernel @fma_c1_m() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<2x16x8xf32>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x32x8xf32>
  %c = arith.constant dense<0.0> : tensor<8x32xf32, #wide>
  // expected-error@below {{C1: stages are [M, K] and [N, K] of f32 and c is [M, N], not }}
  %d = cheems_tile.fma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<2x16x8xf32>, !cheems_tile.buffer<1x32x8xf32>, tensor<8x32xf32, #wide>
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
cheems_tile.kernel @fma_c1_n() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<2x16x8xf32>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x32x8xf32>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #wide>
  // expected-error@below {{C1: stages are [M, K] and [N, K] of f32 and c is [M, N], not }}
  %d = cheems_tile.fma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<2x16x8xf32>, !cheems_tile.buffer<1x32x8xf32>, tensor<16x16xf32, #wide>
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
cheems_tile.kernel @fma_c1_k() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<2x16x8xf32>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x32x4xf32>
  %c = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: stages are [M, K] and [N, K] of f32 and c is [M, N], not }}
  %d = cheems_tile.fma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<2x16x8xf32>, !cheems_tile.buffer<1x32x4xf32>, tensor<16x32xf32, #wide>
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
cheems_tile.kernel @fma_c1_element() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<2x16x8xbf16>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x32x8xf32>
  %c = arith.constant dense<0.0> : tensor<16x32xf32, #wide>
  // expected-error@below {{C1: stages are [M, K] and [N, K] of f32 and c is [M, N], not }}
  %d = cheems_tile.fma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<2x16x8xbf16>, !cheems_tile.buffer<1x32x8xf32>, tensor<16x32xf32, #wide>
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
cheems_tile.kernel @fma_c1_dimensions() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<2x16x8xf32>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x32x8xf32>
  %c = arith.constant dense<0.0> : tensor<16xf32, #rows>
  // expected-error@below {{C1: stages are [M, K] and [N, K] of f32 and c is [M, N], not }}
  %d = cheems_tile.fma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<2x16x8xf32>, !cheems_tile.buffer<1x32x8xf32>, tensor<16xf32, #rows>
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
cheems_tile.kernel @fma_c2() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<2x32x8xf32>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x32x8xf32>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  // expected-error@below {{C2: c has a blocked layout, not #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>}}
  %d = cheems_tile.fma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<2x32x8xf32>, !cheems_tile.buffer<1x32x8xf32>, tensor<32x32xf32, #c>
  cheems_tile.return
}
