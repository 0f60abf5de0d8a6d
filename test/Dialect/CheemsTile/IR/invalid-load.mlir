// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c1(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C1: 'memref<?x?x64xf32>' takes 3 offsets, not 2}}
  %u = cheems_tile.load %x[%at, %c0] dims [1, 2] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c2_few(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2]}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [2] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c2_many(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [0, 1, 2]}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 1, 2] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c2_twice(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2, 2]}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [2, 2] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c2_past(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2, 3]}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [2, 3] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c2_negative(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [-1, 2]}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [-1, 2] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c3(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C3: there are no extents or 2, not 1}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [1, 2] extents[%at] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c4(%x: memref<?x?x64xf16>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C4: the tile has elements of 'f32', and the memory of 'f16'}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [1, 2] : memref<?x?x64xf16> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c5_three(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C5: aligned is a power of two from 4 to 16, not 12}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [1, 2] aligned 12 : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c5_less(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C5: aligned is a power of two from 4 to 16, not 2}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [1, 2] aligned 2 : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c5_more(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C5: aligned is a power of two from 4 to 16, not 32}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [1, 2] aligned 32 : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @load_c5_other(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C5: aligned accesses are along the last dimension of 'memref<?x?x64xf32>'}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 1] aligned 8 : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_power(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: threads hold no parts of 24 rows of}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] parts 24 along 1 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_multiple(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: threads hold no parts of 128 rows of}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] parts 128 along 1 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_thread(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: threads hold no parts of 8 rows of}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] parts 8 along 1 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_layout(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: threads hold no parts of 32 rows of}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] parts 32 along 1 : memref<?x?x64xf32> -> tensor<64x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_zero(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: threads hold no parts of 0 rows of}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] parts 0 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_dims(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: parts follow each other along a dimension of 'memref<?x?x64xf32>' that is not one of [0, 2], not along 2}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] parts 32 along 2 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_rank(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: parts follow each other along a dimension of 'memref<?x?x64xf32>' that is not one of [0, 2], not along 3}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] parts 32 along 3 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @load_c6_alone(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  // expected-error@below {{C6: parts follow each other along a dimension of 'memref<?x?x64xf32>' that is not one of [0, 2], not along 1}}
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] along 1 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}
