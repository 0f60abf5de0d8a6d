// Kept keys: one scan for as many candidates as rows can push out, then no entry is looked at again.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32}),canonicalize,cse)' | FileCheck %s --implicit-check-not=cheems.keep

// Candidates of 64 rows stand in registers; what is scratch does not grow.
// CHECK-LABEL: @block
// CHECK: memref.alloc() : memref<16xi64>
// CHECK-NOT: memref.alloc
// CHECK: scf.for {{.*}} step %c64 iter_args(%[[BOUND:.*]] = %{{.*}}) -> (i64)
// CHECK: scf.for {{.*}} step %c16 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, vector<64xi64>)
// CHECK: vector.maskedload %arg0
// CHECK: vector.maskedload %arg1
// CHECK: scf.while
// CHECK: math.cttz
// CHECK: vector.shuffle
// A row: its own entry alone is read.
// CHECK: scf.for {{.*}} step %c1 iter_args
// CHECK-NEXT: memref.load %arg0
// CHECK-NEXT: memref.load %arg1
// CHECK-NOT: scf.for
// CHECK: memref.store {{.*}} %arg3
func.func @block(%m: memref<2x?xf32>, %p: memref<2x?xi32>, %first: index, %t: memref<?x2xf32>, %l: memref<?x2xi32>) {
  cheems_cpu.keep_threshold keep 100 ins(%m, %p, %first : memref<2x?xf32>, memref<2x?xi32>, index) outs(%t, %l : memref<?x2xf32>, memref<?x2xi32>)
  return
}

// One row pushes out one entry: the two least of all are enough.
// CHECK-LABEL: @row
// CHECK: scf.for {{.*}} step %c16 iter_args({{.*}}) -> (i64, vector<1xi64>)
// CHECK-NOT: step %c16
func.func @row(%m: memref<1x?xf32>, %p: memref<1x?xi32>, %first: index, %t: memref<1x1xf32>, %l: memref<1x1xi32>) {
  cheems_cpu.keep_threshold keep 100 ins(%m, %p, %first : memref<1x?xf32>, memref<1x?xi32>, index) outs(%t, %l : memref<1x1xf32>, memref<1x1xi32>)
  return
}

// With an index the same scan carries where the least of all is; the update then compares no entries.
// CHECK-LABEL: @place
// CHECK: scf.for {{.*}} step %c16 iter_args({{.*}}) -> (i64, vector<1xi64>, index)
// CHECK: memref.store %{{.*}}, %arg5[%c0, %c0]
// CHECK-NOT: arith.cmpf {{.*}} vector
// CHECK: %[[PLACE:.*]] = memref.load %arg6
// CHECK: %[[AT:.*]] = arith.index_cast %[[PLACE]]
// CHECK: %[[MOVES:.*]] = arith.cmpi ult, %[[AT]], %c100
// CHECK: scf.if %[[MOVES]]
// CHECK: vector.load %arg9[%c0, %arg2,
// CHECK: return
func.func @place(%m: memref<1x?xf32>, %p: memref<1x?xi32>, %first: index, %t: memref<1x1xf32>, %l: memref<1x1xi32>, %w: memref<1x1xi32>, %w1: memref<1xi32>, %t1: memref<1xf32>, %l1: memref<1xi32>, %k: memref<1x?x64xf32>) {
  %one = arith.constant 1 : index
  cheems_cpu.keep_threshold keep 100 ins(%m, %p, %first : memref<1x?xf32>, memref<1x?xi32>, index) outs(%t, %l : memref<1x1xf32>, memref<1x1xi32>) moves_to(%w : memref<1x1xi32>)
  cheems_cpu.keep_update keep 100 ins(%t1, %l1, %first, %one : memref<1xf32>, memref<1xi32>, index, index) moves_to(%w1 : memref<1xi32>) outs(%k, %k, %m, %p : memref<1x?x64xf32>, memref<1x?x64xf32>, memref<1x?xf32>, memref<1x?xi32>)
  return
}

// Nothing is read while there is room. A key moves in vectors, here of 64, 32 and 4 elements.
// CHECK-LABEL: @update
// CHECK: %[[OVER:.*]] = arith.cmpi ugt
// CHECK-NEXT: scf.if %[[OVER]]
// CHECK: arith.cmpf ogt, {{.*}} : vector<64xf32>
// CHECK: scf.while
// CHECK: vector.store {{.*}} : memref<1x?x100xbf16>, vector<64xbf16>
// CHECK: vector.store {{.*}} : memref<1x?x100xbf16>, vector<32xbf16>
// CHECK: vector.store {{.*}} : memref<1x?x100xbf16>, vector<4xbf16>
func.func @update(%t: memref<1xf32>, %l: memref<1xi32>, %first: index, %rows: index, %k: memref<1x?x100xbf16>, %m: memref<1x?xf32>, %p: memref<1x?xi32>) {
  cheems_cpu.keep_update keep 100 ins(%t, %l, %first, %rows : memref<1xf32>, memref<1xi32>, index, index) outs(%k, %k, %m, %p : memref<1x?x100xbf16>, memref<1x?x100xbf16>, memref<1x?xf32>, memref<1x?xi32>)
  return
}
