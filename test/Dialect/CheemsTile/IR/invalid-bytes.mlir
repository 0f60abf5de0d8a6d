// Constraints of matmuls of bytes and of nibbles: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @mma_c2_f32_of_bytes() warps(1) {
  %a = arith.constant dense<0> : tensor<16x64xi8, #a4>
  %b = arith.constant dense<0> : tensor<8x64xi8, #b4>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error@below {{C2: sums of products of 'i8' are no 'f32'}}
  %d = cheems_tile.mma %a, %b, %c : tensor<16x64xi8, #a4>, tensor<8x64xi8, #b4>, tensor<16x8xf32, #c>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @mma_c2_i32_of_halves() warps(1) {
  %a = arith.constant dense<0.0> : tensor<16x64xbf16, #a2>
  %b = arith.constant dense<0.0> : tensor<8x64xbf16, #b2>
  %c = arith.constant dense<0> : tensor<16x8xi32, #c>
  // expected-error@below {{C2: sums of products of 'bf16' are no 'i32'}}
  %d = cheems_tile.mma %a, %b, %c : tensor<16x64xbf16, #a2>, tensor<8x64xbf16, #b2>, tensor<16x8xi32, #c>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @mma_c4_bytes() warps(1) {
  %a = arith.constant dense<0> : tensor<16x64xi8, #a4>
  %b = arith.constant dense<0> : tensor<8x64xi8, #b16>
  %c = arith.constant dense<0> : tensor<16x8xi32, #c>
  // expected-error@below {{C4: a has k_width 4, and b 16}}
  %d = cheems_tile.mma %a, %b, %c : tensor<16x64xi8, #a4>, tensor<8x64xi8, #b16>, tensor<16x8xi32, #c>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @mma_c4_width() warps(1) {
  %a = arith.constant dense<0> : tensor<16x64xi8, #a2>
  %b = arith.constant dense<0> : tensor<8x64xi8, #b2>
  %c = arith.constant dense<0> : tensor<16x8xi32, #c>
  // expected-error@below {{C4: elements of 'i8' have no k_width 2}}
  %d = cheems_tile.mma %a, %b, %c : tensor<16x64xi8, #a2>, tensor<8x64xi8, #b2>, tensor<16x8xi32, #c>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @mma_c4_halves() warps(1) {
  %a = arith.constant dense<0.0> : tensor<16x64xbf16, #a16>
  %b = arith.constant dense<0.0> : tensor<8x64xbf16, #b16>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error@below {{C4: elements of 'bf16' have no k_width 16}}
  %d = cheems_tile.mma %a, %b, %c : tensor<16x64xbf16, #a16>, tensor<8x64xbf16, #b16>, tensor<16x8xf32, #c>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @nibbles_c1_columns() warps(1) {
  %p = arith.constant dense<0> : tensor<16x128xi8, #a16>
  // expected-error@below {{C1: packed is [M, 64 C] and the result [M, 32 C], not}}
  %r = cheems_tile.nibbles %p part 0 : tensor<16x128xi8, #a16> -> tensor<16x32xi8, #a4>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @nibbles_c1_rows() warps(1) {
  %p = arith.constant dense<0> : tensor<32x64xi8, #a16>
  // expected-error@below {{C1: packed is [M, 64 C] and the result [M, 32 C], not}}
  %r = cheems_tile.nibbles %p part 0 : tensor<32x64xi8, #a16> -> tensor<16x32xi8, #a4>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @nibbles_c2_role() warps(1) {
  %p = arith.constant dense<0> : tensor<16x64xi8, #a16>
  // expected-error@below {{C2: the layouts are fragments of one role, a or b}}
  %r = cheems_tile.nibbles %p part 0 : tensor<16x64xi8, #a16> -> tensor<16x32xi8, #b4>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @nibbles_c2_packed() warps(1) {
  %p = arith.constant dense<0> : tensor<16x64xi8, #a4>
  // expected-error@below {{C2: the layouts are fragments of one role, a or b}}
  %r = cheems_tile.nibbles %p part 0 : tensor<16x64xi8, #a4> -> tensor<16x32xi8, #a4>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @nibbles_c2_result() warps(1) {
  %p = arith.constant dense<0> : tensor<16x128xi8, #a16>
  // expected-error@below {{C2: the layouts are fragments of one role, a or b}}
  %r = cheems_tile.nibbles %p part 0 : tensor<16x128xi8, #a16> -> tensor<16x64xi8, #a16>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @nibbles_c3() warps(1) {
  %p = arith.constant dense<0> : tensor<16x64xi8, #a16>
  // expected-error@below {{C3: part is 0 to 3, not 4}}
  %r = cheems_tile.nibbles %p part 4 : tensor<16x64xi8, #a16> -> tensor<16x32xi8, #a4>
  cheems_tile.return
}

// -----

#a4 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 4>
#a16 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, k_width = 16>
#b4 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 4>
#b16 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 16>
#b2 = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#a2 = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#wide = #cheems_tile.blocked<rows = 16, columns = 8, width = 1>
cheems_tile.kernel @sum_partials_c2_element() warps(4) {
  %t = arith.constant dense<0> : tensor<16x8xi32, #ck>
  // expected-error@below {{C2: the result is a tile of the same shape and element type whose elements are whole}}
  %r = cheems_tile.sum_partials %t : tensor<16x8xi32, #ck> -> tensor<16x8xf32, #wide>
  cheems_tile.return
}
