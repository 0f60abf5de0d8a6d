// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c1(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C1: 'memref<?x?x64xf32>' takes 3 offsets, not 2}}
  %u = cheems_tile.gather %x[%n, %c0] rows %r dims [1, 2] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c2_few(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2]}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [2] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c2_same(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2, 2]}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [2, 2] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c3_extent(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C3: 'tensor<4xi32, #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>>' has no number for each row of}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [1, 2] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<8x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c3_axis(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<128xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C3: 'tensor<128xi32, #cheems_tile.slice<axis = 0, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>>' has no number for each row of}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %v dims [1, 2] : memref<?x?x64xf32>, tensor<128xi32, #columns> -> tensor<64x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c3_rank(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C3: 'tensor<4xi32, #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>>' has no number for each row of}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [1] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<64xf32, #columns>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @gather_c2_number(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  // expected-error@below {{C2: dims are 1 different dimensions of 'memref<?x?x64xf32>', not [1, 2]}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [1, 2] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4xf32, #rows>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c4(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C4: the tile has elements of 'bf16', and the memory of 'f32'}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [1, 2] : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xbf16, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c5_bytes(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: aligned is a power of two from 4 to 16, not 32}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [1, 2] aligned 32 : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c5_dimension(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: aligned accesses are along the last dimension of 'memref<?x?x64xf32>'}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [2, 1] aligned 8 : memref<?x?x64xf32>, tensor<4xi32, #rows> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c5_columns(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: numbers choose columns, so that no access has two elements}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %v dims [1, 2] aligned 8 : memref<?x?x64xf32>, tensor<64xi32, #columns> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#numbers = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @gather_c5_number(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<64xi32, #numbers>
  // expected-error@below {{C5: numbers choose each element, so that no access has two elements}}
  %u = cheems_tile.gather %x[%n, %c0, %c0] rows %r dims [2] aligned 8 : memref<?x?x64xf32>, tensor<64xi32, #numbers> -> tensor<64xf32, #numbers>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @pick_c1(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C1: the tile has elements of 'i32', and the buffer of 'f32'}}
  %u = cheems_tile.pick %b[%c0] rows %r columns %r : !cheems_tile.buffer<2x4x64xf32>, tensor<4xi32, #rows> -> tensor<4xi32, #rows>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @pick_c2_shape(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: 'tensor<8x64xf32, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>' has another shape or layout than}}
  %u = cheems_tile.pick %b[%c0] rows %m columns %m : !cheems_tile.buffer<2x4x64xf32>, tensor<4x64xi32, #wide> -> tensor<8x64xf32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @pick_c2_layout(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: 'tensor<4x64xf32, #cheems_tile.blocked<rows = 2, columns = 64, width = 1>>' has another shape or layout than}}
  %u = cheems_tile.pick %b[%c0] rows %m columns %m : !cheems_tile.buffer<2x4x64xf32>, tensor<4x64xi32, #wide> -> tensor<4x64xf32, #cheems_tile.blocked<rows = 2, columns = 64, width = 1>>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @scatter_c1(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %t = arith.constant dense<1.0> : tensor<4xf32, #rows>
  // expected-error@below {{C1: 'memref<?x?x64xf32>' takes 3 offsets, not 2}}
  cheems_tile.scatter %t, %x[%n, %c0] indices %r dim 1 : tensor<4xf32, #rows>, tensor<4xi32, #rows>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @scatter_c2(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %t = arith.constant dense<1.0> : tensor<4xf32, #rows>
  // expected-error@below {{C2: dims are 1 different dimensions of 'memref<?x?x64xf32>', not [3]}}
  cheems_tile.scatter %t, %x[%n, %c0, %c0] indices %r dim 3 : tensor<4xf32, #rows>, tensor<4xi32, #rows>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @scatter_c3_rank(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %t = arith.constant dense<1.0> : tensor<4xf32, #rows>
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %f = arith.constant dense<1.0> : tensor<4x64xf32, #wide>
  // expected-error@below {{C3: 'tensor<4x64xi32, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>' has no number for each element of}}
  cheems_tile.scatter %f, %x[%n, %c0, %c0] indices %m dim 1 : tensor<4x64xf32, #wide>, tensor<4x64xi32, #wide>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @scatter_c3_layout(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %t = arith.constant dense<1.0> : tensor<4xf32, #rows>
  // expected-error@below {{has no number for each element of}}
  cheems_tile.scatter %t, %x[%n, %c0, %c0] indices %v dim 1 : tensor<4xf32, #rows>, tensor<64xi32, #columns>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
#columns = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @scatter_c4(%x: memref<?x?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<3> : tensor<4xi32, #rows>
  %v = arith.constant dense<1> : tensor<64xi32, #columns>
  %t = arith.constant dense<1.0> : tensor<4xf32, #rows>
  // expected-error@below {{C4: the tile has elements of 'i32', and the memory of 'f32'}}
  cheems_tile.scatter %r, %x[%n, %c0, %c0] indices %r dim 1 : tensor<4xi32, #rows>, tensor<4xi32, #rows>, memref<?x?x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @tally_c1_type(%n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %r = arith.constant dense<1> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x8x64xf32>
  // expected-error@below {{C1: numbers are counted in a buffer of i32 that is not swizzled, not }}
  cheems_tile.tally %b[%c0] rows %m columns %m below 64 : !cheems_tile.buffer<1x8x64xf32>, tensor<4x64xi32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @tally_c1_swizzled(%n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %r = arith.constant dense<1> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x8x64xi32, swizzled>
  // expected-error@below {{C1: numbers are counted in a buffer of i32 that is not swizzled, not }}
  cheems_tile.tally %b[%c0] rows %m columns %m below 64 : !cheems_tile.buffer<1x8x64xi32, swizzled>, tensor<4x64xi32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @tally_c2(%n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %r = arith.constant dense<1> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x8x64xi32>
  // expected-error@below {{C2: several threads hold an element of 'tensor<4xi32, }}
  cheems_tile.tally %b[%c0] rows %r columns %r below 64 : !cheems_tile.buffer<1x8x64xi32>, tensor<4xi32, #rows>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @tally_c3_least(%n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %r = arith.constant dense<1> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x8x64xi32>
  // expected-error@below {{C3: below is 1 to 64, not 0}}
  cheems_tile.tally %b[%c0] rows %m columns %m below 0 : !cheems_tile.buffer<1x8x64xi32>, tensor<4x64xi32, #wide>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @tally_c3_most(%n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %m = arith.constant dense<1> : tensor<4x64xi32, #wide>
  %r = arith.constant dense<1> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x8x64xi32>
  // expected-error@below {{C3: below is 1 to 64, not 65}}
  cheems_tile.tally %b[%c0] rows %m columns %m below 65 : !cheems_tile.buffer<1x8x64xi32>, tensor<4x64xi32, #wide>
  cheems_tile.return
}
