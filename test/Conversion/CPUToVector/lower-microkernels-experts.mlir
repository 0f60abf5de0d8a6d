// mix_experts by groups of rows: a row of a table is read after lists in the order of experts, never after a row's own experts.
// And in a decode step the buffer between pieces.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse)" | FileCheck %s

// CHECK-LABEL: func.func @group
// CHECK-SAME: (%[[X:[a-z0-9_]+]]: memref<?x128xf32>, %[[SCORE:[a-z0-9_]+]]: memref<?x2x4xf32>, %[[ID:[a-z0-9_]+]]: memref<?x2x4xi32>, %[[DOWN:[a-z0-9_]+]]: memref<9x128xbf16>, %[[UP:[a-z0-9_]+]]: memref<9x128xbf16>, %[[Y:[a-z0-9_]+]]: memref<?x128xf32>
// CHECK: scf.forall
// CHECK-DAG: %[[START:.*]] = memref.alloc() : memref<10xi32>
// CHECK-DAG: memref.alloc() : memref<24x128xf32>
// A counting sort: how many pairs an expert has, where they begin, and each pair to its index.
// CHECK: memref.load %[[ID]]
// CHECK: memref.load %[[START]]
// CHECK: memref.load %[[ID]]
// CHECK-NOT: memref.load %[[ID]]
// Matmuls, eight pairs at a time.
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c8
// CHECK-NOT: memref.load %[[ID]]
// CHECK-COUNT-8: vector.load %[[DOWN]]
// CHECK-NOT: vector.load %[[DOWN]]
// Their weights.
// CHECK: math.exp
// CHECK: vector.maskedstore
// A strip of columns: pieces of the group's rows, which the pairs are added to, then y.
// CHECK-COUNT-4: vector.load %[[UP]]
// CHECK-COUNT-8: vector.fma
// CHECK-NOT: vector.load %[[UP]]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK-NOT: cheems.mix_experts
func.func @group(%x: memref<?x128xf32>, %s: memref<?x2x4xf32>, %e: memref<?x2x4xi32>, %down: memref<9x128xbf16>, %up: memref<9x128xbf16>, %y: memref<?x128xf32>) {
  cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 12>} ins(%x, %s, %e, %down, %up : memref<?x128xf32>, memref<?x2x4xf32>, memref<?x2x4xi32>, memref<9x128xbf16>, memref<9x128xbf16>) outs(%y : memref<?x128xf32>)
  return
}

// -----

func.func @nothing(%x: memref<?x32xf32>, %s: memref<?x2x4xf32>, %e: memref<?x2x4xi32>, %down: memref<9x32xbf16>, %up: memref<9x32xbf16>, %y: memref<?x32xf32>) {
  // expected-error@+1 {{needs rows of at least 1, not 0}}
  cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 0>} ins(%x, %s, %e, %down, %up : memref<?x32xf32>, memref<?x2x4xf32>, memref<?x2x4xi32>, memref<9x32xbf16>, memref<9x32xbf16>) outs(%y : memref<?x32xf32>)
  return
}

// -----

// In a decode step splits of a row's experts are in a buffer with the rows of x, which are not the first dimension of what x is cut from.
// CHECK-LABEL: func.func @slab
// CHECK-SAME: %[[ROWS:[a-z0-9_]+]]: index
// CHECK: memref.alloc(%[[ROWS]]) : memref<?x2x128xf32>
// CHECK: return
func.func @slab(%x: memref<?x?x128xf32>, %rows: index, %s: memref<?x2x4xf32>, %e: memref<?x2x4xi32>, %down: memref<16384x128xbf16>, %up: memref<16384x128xbf16>, %y: memref<?x128xf32>) {
  %slab = memref.subview %x[1, 0, 0] [1, %rows, 128] [1, 1, 1] : memref<?x?x128xf32> to memref<?x128xf32, strided<[128, 1], offset: ?>>
  cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_piece, rows = 1, fetch = true>} ins(%slab, %s, %e, %down, %up : memref<?x128xf32, strided<[128, 1], offset: ?>>, memref<?x2x4xf32>, memref<?x2x4xi32>, memref<16384x128xbf16>, memref<16384x128xbf16>) outs(%y : memref<?x128xf32>)
  return
}
