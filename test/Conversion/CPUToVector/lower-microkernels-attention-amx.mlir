// Attention of bf16 keys on tiles of 16 by 32.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{lanes=16 registers=32 products=amx}),canonicalize,cse)' --split-input-file | FileCheck %s

// Keys that 16 rows share are put in pairs, and so are values; queries are rounded, and so are exponentials.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: cheems_cpu.online_attention
// CHECK: memref.alloc() : memref<32x128xbf16>
// CHECK-NOT: memref.prefetch
// CHECK: arith.truncf {{.*}} : vector<32xf32> to vector<32xbf16>
// CHECK: scf.for
// CHECK: amx.tile_load {{.*}} : memref<16x64xbf16>
// CHECK-COUNT-4: amx.tile_mulf
// CHECK: scf.yield
// CHECK-COUNT-4: amx.tile_store
// CHECK: math.exp
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK-COUNT-4: amx.tile_mulf
// CHECK: scf.yield
// CHECK-COUNT-4: amx.tile_store
// CHECK: return
func.func @rows(%q: memref<?x4x64xf32>, %k: memref<2x?x64xbf16>, %mask: memref<1x?xf32>, %first: index, %m: memref<?x4xf32>, %s: memref<?x4xf32>, %y: memref<?x4x64xf32>) {
  cheems_cpu.online_attention bias scale 0.125 ins(%q, %k, %k, %mask, %first, %first : memref<?x4x64xf32>, memref<2x?x64xbf16>, memref<2x?x64xbf16>, memref<1x?xf32>, index, index) outs(%m, %s, %y : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x64xf32>)
  return
}

// -----

// For a row alone, 64 whole keys are multiplied as they are stored, while values are fetched; fewer are copied first. Meanwhile come the
// next keys.
// CHECK-LABEL: func.func @row
// CHECK-SAME: %{{.*}}: memref<1x4x64xf32>, %[[KEYS:[a-z0-9]+]]: memref<2x?x64xbf16>
// CHECK: scf.if
// CHECK: scf.for
// CHECK-COUNT-16: memref.prefetch
// CHECK: amx.tile_load %[[KEYS]]
// CHECK: amx.tile_mulf
// CHECK: scf.yield
// CHECK-COUNT-4: amx.tile_store
// CHECK: else
// CHECK-NOT: amx.tile_load %[[KEYS]]
// CHECK: memref.prefetch
// CHECK-COUNT-4: amx.tile_mulf
// CHECK: memref.prefetch %[[KEYS]]
// CHECK: return
func.func @row(%q: memref<1x4x64xf32>, %k: memref<2x?x64xbf16>, %v: memref<2x?x64xbf16>, %mask: memref<1x?xf32>, %first: index, %m: memref<1x4xf32>, %s: memref<1x4xf32>, %y: memref<1x4x64xf32>) {
  cheems_cpu.online_attention bias scale 0.125 ins(%q, %k, %v, %mask, %first, %first : memref<1x4x64xf32>, memref<2x?x64xbf16>, memref<2x?x64xbf16>, memref<1x?xf32>, index, index) outs(%m, %s, %y : memref<1x4xf32>, memref<1x4xf32>, memref<1x4x64xf32>)
  return
}

// -----

// If there are no rows, there is no last one, whose count would be read.
// CHECK-LABEL: func.func @stored
// CHECK-SAME: %[[SEEN:[a-z0-9]+]]: memref<?xi32>
// CHECK-NOT: memref.load %[[SEEN]]
// CHECK: scf.if
// CHECK: memref.load %[[SEEN]]
// CHECK: return
func.func @stored(%q: memref<?x4x64xf32>, %k: memref<2x?x64xbf16>, %mask: memref<1x?xf32>, %first: index, %seen: memref<?xi32>, %m: memref<?x4xf32>, %s: memref<?x4xf32>, %y: memref<?x4x64xf32>) {
  cheems_cpu.online_attention threshold scale 0.125 hide_below 0.5 ins(%q, %k, %k, %mask, %first, %first : memref<?x4x64xf32>, memref<2x?x64xbf16>, memref<2x?x64xbf16>, memref<1x?xf32>, index, index) seen(%seen : memref<?xi32>) outs(%m, %s, %y : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x64xf32>)
  return
}

// -----

// Keys of f32 keep f32 matmuls.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: amx.
// CHECK: vector.fma
// CHECK: return
func.func @wide(%q: memref<?x4x64xf32>, %k: memref<2x?x64xf32>, %mask: memref<1x?xf32>, %first: index, %m: memref<?x4xf32>, %s: memref<?x4xf32>, %y: memref<?x4x64xf32>) {
  cheems_cpu.online_attention bias scale 0.125 ins(%q, %k, %k, %mask, %first, %first : memref<?x4x64xf32>, memref<2x?x64xf32>, memref<2x?x64xf32>, memref<1x?xf32>, index, index) outs(%m, %s, %y : memref<?x4xf32>, memref<?x4xf32>, memref<?x4x64xf32>)
  return
}
