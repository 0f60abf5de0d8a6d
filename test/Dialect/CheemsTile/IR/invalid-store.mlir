// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c1(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C1: 'memref<?x?x64xf32>' takes 3 offsets, not 2}}
  cheems_tile.store %t, %x[%at, %c0] dims [1, 2] : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c2_few(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2]}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [2] : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c2_many(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [0, 1, 2]}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [0, 1, 2] : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c2_twice(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2, 2]}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [2, 2] : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c2_past(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2, 3]}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [2, 3] : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c2_negative(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [-1, 2]}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [-1, 2] : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c3(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C3: there are no extents or 2, not 1}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [1, 2] extents[%at] : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c4(%x: memref<?x?x64xf16>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C4: the tile has elements of 'f32', and the memory of 'f16'}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [1, 2] : tensor<4x64xf32, #wide>, memref<?x?x64xf16>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c5_three(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C5: aligned is a power of two from 4 to 16, not 12}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [1, 2] aligned 12 : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c5_less(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C5: aligned is a power of two from 4 to 16, not 2}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [1, 2] aligned 2 : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c5_more(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C5: aligned is a power of two from 4 to 16, not 32}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [1, 2] aligned 32 : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @store_c5_other(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C5: aligned accesses are along the last dimension of 'memref<?x?x64xf32>'}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [0, 1] aligned 8 : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#partial = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
cheems_tile.kernel @store_c7(%x: memref<16x8xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<16x8xf32, #partial>
  // expected-error@below {{C7: the tile holds sums over a part of k: add them by sum_partials before}}
  cheems_tile.store %t, %x[%c0, %c0] dims [0, 1] : tensor<16x8xf32, #partial>, memref<16x8xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @store_c6_thread(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C6: threads hold no parts of 8 rows of}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [0, 2] parts 8 along 1 : tensor<64x64xf32, #c>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @store_c6_dims(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C6: parts follow each other along a dimension of 'memref<?x?x64xf32>' that is not one of [0, 2], not along 0}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [0, 2] parts 32 along 0 : tensor<64x64xf32, #c>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @store_c6_same(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error@below {{C6: parts of a tile that is stored have an along}}
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [0, 2] parts 32 : tensor<64x64xf32, #c>, memref<?x?x64xf32>
  cheems_tile.return
}
