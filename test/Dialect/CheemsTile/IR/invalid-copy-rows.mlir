// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

cheems_tile.kernel @copy_rows_c1(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C1: 'memref<?x?x64xf32>' takes 3 offsets, not 2}}
  cheems_tile.copy_rows %x[%at, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c1_other(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C1: 'memref<?x1x64xf32>' takes 3 offsets, not 2}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c2_few(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2]}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c2_last(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: the second of dims is the last dimension of 'memref<?x?x64xf32>'}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [0, 1] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c3(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C3: there are two extents, not 1}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c4(%x: memref<?x?x64xf16>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C4: the buffer has elements of 'f32', and the memory of 'f16'}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf16>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c4_other(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf16>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C4: the buffer has elements of 'f32', and the memory of 'f16'}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf16>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c5(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: aligned is 4, 8 or 16 and divides the 256 bytes of a row, not 2}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 2 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c6_rows(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x2x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C6: '!cheems_tile.buffer<2x2x4xi32>' has no row of a number for each row of}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x2x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c6_few(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x2xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C6: '!cheems_tile.buffer<2x1x2xi32>' has no row of a number for each row of}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x2xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c6_type(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xf32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C6: '!cheems_tile.buffer<2x1x4xf32>' has no row of a number for each row of}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c7(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C7: split is at least 1}}
  cheems_tile.copy_rows %x[%at, %c0, %c0] else %y[%c0, %c0, %c0] numbers %list[%c0] split 0 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c8(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C8: the last offsets are not one value, or equal constants}}
  cheems_tile.copy_rows %x[%at, %c0, %at] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @copy_rows_c8_constants(%x: memref<?x?x64xf32>, %y: memref<?x1x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<2x1x4xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C8: the last offsets are not one value, or equal constants}}
  cheems_tile.copy_rows %x[%at, %c0, %c4] else %y[%c0, %c0, %c0] numbers %list[%c0] split 8 dims [1, 2] extents[%at, %c64] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, memref<?x1x64xf32>, !cheems_tile.buffer<2x1x4xi32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}
