// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c1_m() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x128x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C1: stages are [M, K] and [N, K] and c is [M, N], not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x128x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c1_n() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C1: stages are [M, K] and [N, K] and c is [M, N], not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c1_k() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x32xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C1: stages are [M, K] and [N, K] and c is [M, N], not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x64x32xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c2_differ() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C2: both buffers have f16 or both have bf16, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c2_f32() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x32xf32, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x32xf32, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C2: both buffers have f16 or both have bf16, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x32xf32, swizzled>, !cheems_tile.buffer<1x64x32xf32, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c3_plain() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C3: buffers are swizzled with rows of 32, 64 or 128 bytes, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c3_long() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x128xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x128xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C3: buffers are swizzled with rows of 32, 64 or 128 bytes, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x128xbf16, swizzled>, !cheems_tile.buffer<1x64x128xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c3_short() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x8xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x8xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C3: buffers are swizzled with rows of 32, 64 or 128 bytes, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x8xbf16, swizzled>, !cheems_tile.buffer<1x64x8xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.blocked<rows = 8, columns = 16, width = 1>
cheems_tile.kernel @warpgroup_mma_c4_layout() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C4: c is a fragment of role c with warps_k 1, 4, 8, ... warps_m, 16 rows a warp and at most 256 columns, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c4_role() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C4: c is a fragment of role c with warps_k 1, 4, 8, ... warps_m, 16 rows a warp and at most 256 columns, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1, warps_k = 2>
cheems_tile.kernel @warpgroup_mma_c4_k() warps(8) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C4: c is a fragment of role c with warps_k 1, 4, 8, ... warps_m, 16 rows a warp and at most 256 columns, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
cheems_tile.kernel @warpgroup_mma_c4_warps() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x32x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<32x64xf32, #c>
  // expected-error@below {{C4: c is a fragment of role c with warps_k 1, 4, 8, ... warps_m, 16 rows a warp and at most 256 columns, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x32x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<32x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c4_rows() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x128x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<128x64xf32, #c>
  // expected-error@below {{C4: c is a fragment of role c with warps_k 1, 4, 8, ... warps_m, 16 rows a warp and at most 256 columns, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x128x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<128x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c4_columns() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x264x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x264xf32, #c>
  // expected-error@below {{C4: c is a fragment of role c with warps_k 1, 4, 8, ... warps_m, 16 rows a warp and at most 256 columns, not }}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x264x64xbf16, swizzled>, tensor<64x264xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_c5() warps(4) {
  %c0 = arith.constant 0 : index
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C5: warpgroup_wait, warpgroup_mma and the end of a body take the result, and arith.addf does not}}
  %d = cheems_tile.warpgroup_mma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x64x64xbf16, swizzled>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x64xf32, #c>
  %e = arith.addf %d, %d : tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_wait_c1() warps(4) {
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C1: pending is not negative}}
  %d = cheems_tile.warpgroup_wait pending -1 %c : tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c1_k() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x32xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C1: a is [M, K], stages are [K, N'] and c is [M, N] with N' times up to all stages, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x32xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c1_m() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<128x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C1: a is [M, K], stages are [K, N'] and c is [M, N] with N' times up to all stages, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<128x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c1_n() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x96xf32, #c>
  // expected-error@below {{C1: a is [M, K], stages are [K, N'] and c is [M, N] with N' times up to all stages, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x96xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c1_stages() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C1: a is [M, K], stages are [K, N'] and c is [M, N] with N' times up to all stages, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<1x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c2_differ() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C2: both operands have f16 or both have bf16, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c3_plain() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C3: b is swizzled with rows of 32, 64 or 128 bytes, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c3_long() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x64x128xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C3: b is swizzled with rows of 32, 64 or 128 bytes, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<1x64x128xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c4_role() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C4: a and c are fragments of these roles with one warps_m of 4, 8, ..., 16 rows a warp, warps_n and warps_k 1, at most 256 columns and k_width 2, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1, k_width = 8>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c4_width() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C4: a and c are fragments of these roles with one warps_m of 4, 8, ..., 16 rows a warp, warps_n and warps_k 1, at most 256 columns and k_width 2, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 2>
cheems_tile.kernel @warpgroup_mma_registers_c4_beside() warps(8) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C4: a and c are fragments of these roles with one warps_m of 4, 8, ..., 16 rows a warp, warps_n and warps_k 1, at most 256 columns and k_width 2, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c4_rows() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<128x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<128x128xf32, #c>
  // expected-error@below {{C4: a and c are fragments of these roles with one warps_m of 4, 8, ..., 16 rows a warp, warps_n and warps_k 1, at most 256 columns and k_width 2, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<128x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<128x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c4_columns() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<5x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x320xf32, #c>
  // expected-error@below {{C4: a and c are fragments of these roles with one warps_m of 4, 8, ..., 16 rows a warp, warps_n and warps_k 1, at most 256 columns and k_width 2, not }}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<5x64x64xbf16, swizzled>, tensor<64x320xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c5() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C5: one warpgroup_wait in the same body takes the result, and nothing else does}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %e = arith.addf %d, %d : tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c5_unread() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C5: one warpgroup_wait in the same body takes the result, and nothing else does}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c5_matmul() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C5: one warpgroup_wait in the same body takes the result, and nothing else does}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %e = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %d : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %f = cheems_tile.warpgroup_wait pending 0 %e holding %a of tensor<64x64xbf16, #a> : tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c5_twice() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C5: one warpgroup_wait in the same body takes the result, and nothing else does}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %e = cheems_tile.warpgroup_wait pending 0 %d holding %a of tensor<64x64xbf16, #a> : tensor<64x128xf32, #c>
  %f = cheems_tile.warpgroup_wait pending 0 %d holding %a of tensor<64x64xbf16, #a> : tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c5_branch(%n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %when = arith.cmpi eq, %n, %c0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C5: one warpgroup_wait in the same body takes the result, and nothing else does}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  scf.if %when {
    %e = cheems_tile.warpgroup_wait pending 0 %d holding %a of tensor<64x64xbf16, #a> : tensor<64x128xf32, #c>
  }
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c5_yielded(%n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  %c1 = arith.constant 1 : index
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> tensor<64x128xf32, #c> {
    // expected-error@below {{C5: one warpgroup_wait in the same body takes the result, and nothing else does}}
    %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %sums : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
    scf.yield %d : tensor<64x128xf32, #c>
  }
  %f = cheems_tile.warpgroup_wait pending 0 %e : tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c6() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C6: the warpgroup_wait for the result has pending 0 and holds a}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %e = cheems_tile.warpgroup_wait pending 0 %d : tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c6_other() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  %other = arith.constant dense<1.0> : tensor<64x64xbf16, #a>
  // expected-error@below {{C6: the warpgroup_wait for the result has pending 0 and holds a}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %e = cheems_tile.warpgroup_wait pending 0 %d holding %other of tensor<64x64xbf16, #a> : tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c6_pending() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // expected-error@below {{C6: the warpgroup_wait for the result has pending 0 and holds a}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %e = cheems_tile.warpgroup_wait pending 1 %d holding %a of tensor<64x64xbf16, #a> : tensor<64x128xf32, #c>
  cheems_tile.return
}

// -----

#a = #cheems_tile.fragment<role = a, warps_m = 4, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @warpgroup_mma_registers_c6_none() warps(4) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense<0.0> : tensor<64x64xbf16, #a>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %c = arith.constant dense<0.0> : tensor<64x128xf32, #c>
  // A wait without pending, which its own verifier has not refused yet.
  // expected-error@below {{C6: the warpgroup_wait for the result has pending 0 and holds a}}
  %d = cheems_tile.warpgroup_mma_registers %a, %b[%c0], %c : tensor<64x64xbf16, #a>, !cheems_tile.buffer<2x64x64xbf16, swizzled>, tensor<64x128xf32, #c>
  %e = "cheems_tile.warpgroup_wait"(%d, %a) : (tensor<64x128xf32, #c>, tensor<64x64xbf16, #a>) -> tensor<64x128xf32, #c>
  cheems_tile.return
}
