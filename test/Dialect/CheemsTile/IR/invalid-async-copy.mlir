// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c1(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C1: 'memref<?x?x64xf32>' takes 3 offsets, not 2}}
  cheems_tile.async_copy %x[%at, %c0] dims [1, 2] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c2_few(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2]}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [2] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c2_many(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [0, 1, 2]}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [0, 1, 2] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c2_twice(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2, 2]}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [2, 2] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c2_past(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [2, 3]}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [2, 3] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c2_negative(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: dims are 2 different dimensions of 'memref<?x?x64xf32>', not [-1, 2]}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [-1, 2] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c3(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C3: there are no extents or 2, not 1}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [1, 2] extents[%at] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c4(%x: memref<?x?x64xf16>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C4: the buffer has elements of 'f32', and the memory of 'f16'}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [1, 2] to %ring[%c0] aligned 16 : memref<?x?x64xf16>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c2_last(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C2: the second of dims is the last dimension of 'memref<?x?x64xf32>'}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [0, 1] to %ring[%c0] aligned 16 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c5_two(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: aligned is 4, 8 or 16 and divides the 256 bytes of a row, not 2}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [1, 2] to %ring[%c0] aligned 2 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c5_more(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: aligned is 4, 8 or 16 and divides the 256 bytes of a row, not 32}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [1, 2] to %ring[%c0] aligned 32 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @async_copy_c5_odd(%x: memref<?x?x64xf32>, %at: index) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x64xf32>
  // expected-error@below {{C5: aligned is 4, 8 or 16 and divides the 256 bytes of a row, not 6}}
  cheems_tile.async_copy %x[%at, %c0, %c0] dims [1, 2] to %ring[%c0] aligned 6 : memref<?x?x64xf32>, !cheems_tile.buffer<2x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @async_copy_c5_row(%x: memref<?x6xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<1x4x6xf32>
  // expected-error@below {{C5: aligned is 4, 8 or 16 and divides the 24 bytes of a row, not 16}}
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %ring[%c0] aligned 16 : memref<?x6xf32>, !cheems_tile.buffer<1x4x6xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @wait_c1() warps(4) {
  // expected-error@below {{C1: pending is not negative}}
  cheems_tile.wait pending -1
  cheems_tile.return
}
