// What is written stays where it is, and what is only read or made may go: canonicalisation, CSE and LICM keep the order of
// copies, waits, barriers and accesses.
// RUN: cheems-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 1, of = #wide>

// Two buffers of one type are two. One that is not used, and a tile that is only loaded or read, go.
// CHECK-LABEL: @allocs
// CHECK: alloc
// CHECK: alloc
// CHECK-NOT: alloc
// CHECK-NOT: load
// CHECK-NOT: read
// CHECK: write
// CHECK: write
// CHECK-NOT: read
// CHECK: return
cheems_tile.kernel @allocs(%x: memref<4x64xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %first = cheems_tile.alloc : !cheems_tile.buffer<1x4x64xf32>
  %second = cheems_tile.alloc : !cheems_tile.buffer<1x4x64xf32>
  %third = cheems_tile.alloc : !cheems_tile.buffer<1x4x64xf32>
  %t = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<4x64xf32> -> tensor<4x64xf32, #wide>
  %zero = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  cheems_tile.write %zero, %first[%c0, %c0, %c0] : tensor<4x64xf32, #wide>, !cheems_tile.buffer<1x4x64xf32>
  cheems_tile.write %zero, %second[%c0, %c0, %c0] : tensor<4x64xf32, #wide>, !cheems_tile.buffer<1x4x64xf32>
  %r = cheems_tile.read %first[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.return
}

// A tile that is read again after a barrier, a wait, a write, or after a copy that was begun, is another one. With none of them
// between it is the same.
// CHECK-LABEL: @reads
// CHECK: %[[FIRST:.*]] = cheems_tile.read
// CHECK-NEXT: cheems_tile.barrier
// CHECK-NEXT: %[[SECOND:.*]] = cheems_tile.read
// CHECK-NEXT: cheems_tile.async_copy
// CHECK-NEXT: cheems_tile.commit
// CHECK-NEXT: cheems_tile.wait pending 0
// CHECK-NEXT: %[[THIRD:.*]] = cheems_tile.read
// CHECK-NEXT: cheems_tile.write
// CHECK-NEXT: %[[FOURTH:.*]] = cheems_tile.read
// CHECK-NEXT: cheems_tile.store %[[FIRST]]
// CHECK-NEXT: cheems_tile.store %[[SECOND]]
// CHECK-NEXT: cheems_tile.store %[[THIRD]]
// CHECK-NEXT: cheems_tile.store %[[FOURTH]]
// CHECK-NEXT: cheems_tile.store %[[FOURTH]]
cheems_tile.kernel @reads(%x: memref<4x64xf32>, %y: memref<?x64xf32>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x4x64xf32>
  %first = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.barrier
  %second = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %b[%c0] aligned 16 : memref<4x64xf32>, !cheems_tile.buffer<1x4x64xf32>
  cheems_tile.commit
  cheems_tile.wait pending 0
  %third = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.write %first, %b[%c0, %c0, %c0] : tensor<4x64xf32, #wide>, !cheems_tile.buffer<1x4x64xf32>
  %fourth = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x64xf32> -> tensor<4x64xf32, #wide>
  %fifth = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.store %first, %y[%n, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<?x64xf32>
  cheems_tile.store %second, %y[%n, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<?x64xf32>
  cheems_tile.store %third, %y[%n, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<?x64xf32>
  cheems_tile.store %fourth, %y[%n, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<?x64xf32>
  cheems_tile.store %fifth, %y[%n, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<?x64xf32>
  cheems_tile.return
}

// Nothing that touches memory leaves a loop, though its operands do not change in it; a sum of a tile does.
// CHECK-LABEL: @loops
// CHECK: cheems_tile.load
// CHECK-NEXT: cheems_tile.reduce
// CHECK-NEXT: cheems_tile.broadcast
// CHECK-NEXT: scf.for
// CHECK-NEXT: cheems_tile.load
// CHECK-NEXT: cheems_tile.async_copy
// CHECK-NEXT: cheems_tile.commit
// CHECK-NEXT: cheems_tile.wait
// CHECK-NEXT: cheems_tile.barrier
// CHECK-NEXT: cheems_tile.read
// CHECK-NEXT: cheems_tile.fma
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: cheems_tile.write
// CHECK-NEXT: cheems_tile.store
// CHECK-NEXT: }
cheems_tile.kernel @loops(%n: index, %x: memref<4x64xf32>, %y: memref<4x64xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x4x64xf32>
  %w = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xf32>
  %before = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<4x64xf32> -> tensor<4x64xf32, #wide>
  scf.for %i = %c0 to %n step %c1 {
    %s = cheems_tile.reduce add %before axis 1 : tensor<4x64xf32, #wide> -> tensor<4xf32, #row>
    %r = cheems_tile.broadcast %s : tensor<4xf32, #row> -> tensor<4x64xf32, #wide>
    %t = cheems_tile.load %y[%c0, %c0] dims [0, 1] : memref<4x64xf32> -> tensor<4x64xf32, #wide>
    cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %b[%c0] aligned 16 : memref<4x64xf32>, !cheems_tile.buffer<1x4x64xf32>
    cheems_tile.commit
    cheems_tile.wait pending 0
    cheems_tile.barrier
    %u = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x64xf32> -> tensor<4x64xf32, #wide>
    %f = cheems_tile.fma %b[%c0], %w[%c0], %r : !cheems_tile.buffer<1x4x64xf32>, !cheems_tile.buffer<1x64x64xf32>, tensor<4x64xf32, #wide>
    %v = arith.addf %t, %u : tensor<4x64xf32, #wide>
    %o = arith.addf %v, %f : tensor<4x64xf32, #wide>
    cheems_tile.write %o, %b[%c0, %c0, %c0] : tensor<4x64xf32, #wide>, !cheems_tile.buffer<1x4x64xf32>
    cheems_tile.store %o, %y[%c0, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<4x64xf32>
  }
  cheems_tile.return
}

// A launch on memory stays, twice too. One on tensors whose results nobody wants goes.
// CHECK-LABEL: @launches
// CHECK: cheems_tile.launch
// CHECK-NEXT: cheems_tile.launch
// CHECK-NEXT: return
func.func @launches(%x: memref<4x64xf32>, %y: memref<4x64xf32>, %t: tensor<4x64xf32>, %n: index) {
  cheems_tile.launch @loops grid[%n, %n, %n] ins(%n, %x : index, memref<4x64xf32>) outs(%y : memref<4x64xf32>)
  cheems_tile.launch @loops grid[%n, %n, %n] ins(%n, %x : index, memref<4x64xf32>) outs(%y : memref<4x64xf32>)
  %r = cheems_tile.launch @loops grid[%n, %n, %n] ins(%n, %t : index, tensor<4x64xf32>) outs(%t : tensor<4x64xf32>) -> tensor<4x64xf32>
  return
}

// An earlier kernel may write what is loaded before it has ended.
// CHECK-LABEL: @overlaps
// CHECK: %[[EARLY:.*]] = cheems_tile.load
// CHECK-NEXT: cheems_tile.wait_for_launches
// CHECK-NEXT: %[[LATE:.*]] = cheems_tile.load
// CHECK-NEXT: cheems_tile.store %[[EARLY]]
// CHECK-NEXT: cheems_tile.store %[[LATE]]
cheems_tile.kernel @overlaps(%x: memref<4x64xf32>, %y: memref<8x64xf32>) warps(4) overlaps {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %early = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<4x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.wait_for_launches
  %late = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<4x64xf32> -> tensor<4x64xf32, #wide>
  cheems_tile.store %early, %y[%c0, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<8x64xf32>
  cheems_tile.store %late, %y[%c4, %c0] dims [0, 1] : tensor<4x64xf32, #wide>, memref<8x64xf32>
  cheems_tile.return
}
