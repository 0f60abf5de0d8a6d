// Ops between memory, shared memory and registers print as they parse.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>

// CHECK-LABEL: @accesses
cheems_tile.kernel @accesses(%x: memref<?x?x64xf32>, %w: memref<?x64xbf16>, %n: memref<64xf32>, %at: index, %end: index) warps(4) {
  %c0 = arith.constant 0 : index
  // CHECK: %tile = cheems_tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] dims [1, 2] : memref<?x?x64xf32> -> tensor<4x64xf32, #blocked>
  %t = cheems_tile.load %x[%at, %c0, %c0] dims [1, 2] : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  // CHECK: cheems_tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] dims [0, 2] extents[%{{.*}}, %{{.*}}] aligned 8 {test.note = 1 : i64} : memref<?x?x64xf32> -> tensor<4x64xf32, #blocked>
  %u = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] extents[%end, %at] aligned 8 {test.note = 1} : memref<?x?x64xf32> -> tensor<4x64xf32, #wide>
  // CHECK: cheems_tile.load %{{.*}}[%{{.*}}] dims [0] extents[%{{.*}}] : memref<64xf32> -> tensor<64xf32, #columns>
  %v = cheems_tile.load %n[%c0] dims [0] extents[%end] : memref<64xf32> -> tensor<64xf32, #row>
  // CHECK: cheems_tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] dims [0, 2] extents[%{{.*}}, %{{.*}}] aligned 16 : tensor<4x64xf32, #blocked>, memref<?x?x64xf32>
  cheems_tile.store %t, %x[%at, %c0, %c0] dims [0, 2] extents[%end, %at] aligned 16 : tensor<4x64xf32, #wide>, memref<?x?x64xf32>
  // CHECK: cheems_tile.store %{{.*}}, %{{.*}}[%{{.*}}] dims [0] : tensor<64xf32, #columns>, memref<64xf32>
  cheems_tile.store %v, %n[%c0] dims [0] : tensor<64xf32, #row>, memref<64xf32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  // CHECK: cheems_tile.async_copy %{{.*}}[%{{.*}}, %{{.*}}] dims [0, 1] to %{{.*}}[%{{.*}}] aligned 16 : memref<?x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
  cheems_tile.async_copy %w[%at, %c0] dims [0, 1] to %ring[%c0] aligned 16 : memref<?x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
  // CHECK: cheems_tile.async_copy %{{.*}}[%{{.*}}, %{{.*}}] dims [0, 1] extents[%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}] aligned 4 : memref<?x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
  cheems_tile.async_copy %w[%at, %c0] dims [0, 1] extents[%end, %end] to %ring[%c0] aligned 4 : memref<?x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
  // CHECK: cheems_tile.commit
  cheems_tile.commit
  // CHECK: cheems_tile.wait pending 2
  cheems_tile.wait pending 2
  // CHECK: cheems_tile.read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !cheems_tile.buffer<3x64x64xbf16, swizzled> -> tensor<32x16xbf16, #fragment_b>
  %p = cheems_tile.read %ring[%c0, %at, %c0] : !cheems_tile.buffer<3x64x64xbf16, swizzled> -> tensor<32x16xbf16, #b>
  // CHECK: cheems_tile.read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] transposed : !cheems_tile.buffer<3x64x64xbf16, swizzled> -> tensor<64x16xbf16, #fragment_b>
  %q = cheems_tile.read %ring[%c0, %c0, %at] transposed : !cheems_tile.buffer<3x64x64xbf16, swizzled> -> tensor<64x16xbf16, #b>
  // CHECK: cheems_tile.read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !cheems_tile.buffer<3x64x64xbf16, swizzled> -> tensor<32xbf16, #{{.*}}>
  %r = cheems_tile.read %ring[%c0, %at, %c0] : !cheems_tile.buffer<3x64x64xbf16, swizzled> -> tensor<32xbf16, #cheems_tile.slice<axis = 1, of = #b>>
  // CHECK: cheems_tile.write %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<32x16xbf16, #fragment_b>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
  cheems_tile.write %p, %ring[%c0, %at, %c0] : tensor<32x16xbf16, #b>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
  // CHECK: cheems_tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] dims [0, 2] aligned 8 parts 32 along 1 : memref<?x?x64xf32> -> tensor<64x64xf32, #fragment_c>
  %heads = cheems_tile.load %x[%at, %c0, %c0] dims [0, 2] aligned 8 parts 32 along 1 : memref<?x?x64xf32> -> tensor<64x64xf32, #c>
  // CHECK: cheems_tile.load %{{.*}}[%{{.*}}] dims [0] parts 32 : memref<64xf32> -> tensor<64xf32, #{{.*}}>
  %same = cheems_tile.load %n[%c0] dims [0] parts 32 : memref<64xf32> -> tensor<64xf32, #cheems_tile.slice<axis = 1, of = #c>>
  // CHECK: cheems_tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] dims [0, 2] parts 32 along 1 : tensor<64x64xf32, #fragment_c>, memref<?x?x64xf32>
  cheems_tile.store %heads, %x[%at, %c0, %c0] dims [0, 2] parts 32 along 1 : tensor<64x64xf32, #c>, memref<?x?x64xf32>
  %masks = cheems_tile.alloc : !cheems_tile.buffer<2x2x64xf32>
  // CHECK: cheems_tile.read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] parts 32 : !cheems_tile.buffer<2x2x64xf32> -> tensor<64x64xf32, #fragment_c>
  %mask = cheems_tile.read %masks[%c0, %c0, %c0] parts 32 : !cheems_tile.buffer<2x2x64xf32> -> tensor<64x64xf32, #c>
  cheems_tile.return
}
