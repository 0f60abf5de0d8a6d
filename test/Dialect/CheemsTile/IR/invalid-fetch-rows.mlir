// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c1(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C1: 'memref<?x?x64xf32>' takes 3 offsets, not 2}}
  cheems_tile.fetch_rows %x[%at, %c0] rows %n dims [1, 2] to %b[%c0] aligned 8 : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c2_few(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2]}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [2] to %b[%c0] aligned 8 : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c2_last(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: the second of dims is the last dimension of 'memref<?x?x64xf32>'}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [0, 1] to %b[%c0] aligned 8 : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 2, columns = 64, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c3_few(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<2xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C3: 'tensor<2xi32}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 8 : memref<?x?x64xf32>, tensor<2xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @fetch_rows_c3_axis(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<64xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C3: 'tensor<64xi32}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 8 : memref<?x?x64xf32>, tensor<64xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c4(%x: memref<?x?x64xf16>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C4: the buffer has elements of 'f32', and the memory of 'f16'}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 8 : memref<?x?x64xf16>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c5(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: aligned is 4, 8 or 16 and divides the 256 bytes of a row, not 2}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 2 : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c5_row(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x66xf32>
  // expected-error@below {{C5: aligned is 4, 8 or 16 and divides the 264 bytes of a row, not 16}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 16 : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x66xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @fetch_rows_c5_neighbours(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<4xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: a thread holds 8 bytes of neighbours, which 16 does not divide}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 16 : memref<?x?x64xf32>, tensor<4xi32, #rows>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#acc = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, warps_k = 1, k_width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #acc>
cheems_tile.kernel @fetch_rows_c6(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %n = arith.constant dense<3> : tensor<32xi32, #rows>
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x32x64xf32>
  // expected-error@below {{C6: several threads hold an element of}}
  cheems_tile.fetch_rows %x[%at, %c0, %c0] rows %n dims [1, 2] to %b[%c0] aligned 8 : memref<?x?x64xf32>, tensor<32xi32, #rows>, !cheems_tile.buffer<2x32x64xf32>
  cheems_tile.return
}
