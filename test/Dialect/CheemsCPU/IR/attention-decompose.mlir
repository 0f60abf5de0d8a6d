// What keep_threshold, keep_update and dynamic_mask_attention stand for in upstream ops.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s --check-prefix=LEFT
// LEFT-NOT: cheems_cpu.

// Nothing is added up: comparisons, and a scan only where the threshold moves.
// CHECK-LABEL: @threshold
// CHECK-NOT: arith.addf
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: arith.addf
func.func @threshold(%m: tensor<2x?xf32>, %p: tensor<2x?xi32>, %first: index, %t: tensor<?x2xf32>, %l: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %r:2 = cheems_cpu.keep_threshold keep 16 ins(%m, %p, %first : tensor<2x?xf32>, tensor<2x?xi32>, index) outs(%t, %l : tensor<?x2xf32>, tensor<?x2xi32>) -> tensor<?x2xf32>, tensor<?x2xi32>
  return %r#0, %r#1 : tensor<?x2xf32>, tensor<?x2xi32>
}

// CHECK-LABEL: @update
// CHECK: scf.while
func.func @update(%t: tensor<1xf32>, %l: tensor<1xi32>, %first: index, %rows: index, %k: tensor<1x9x8xf32>, %v: tensor<1x9x8xf32>, %m: tensor<1x9xf32>, %p: tensor<1x9xi32>) -> tensor<1x9x8xf32> {
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %first, %rows : tensor<1xf32>, tensor<1xi32>, index, index) outs(%k, %v, %m, %p : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9xf32>, tensor<1x9xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9xf32>, tensor<1x9xi32>
  return %r#0 : tensor<1x9x8xf32>
}

// One search finds where one row's entry goes. Moving the entry takes no search.
// CHECK-LABEL: @place
// CHECK: scf.while
// CHECK: %[[PLACE:.*]] = tensor.extract %arg6
// CHECK-NOT: scf.while
// CHECK: return
func.func @place(%t: tensor<1x1xf32>, %l: tensor<1x1xi32>, %w: tensor<1x1xi32>, %first: index, %t1: tensor<1xf32>, %l1: tensor<1xi32>, %w1: tensor<1xi32>, %k: tensor<1x9x8xf32>, %m: tensor<1x9xf32>, %p: tensor<1x9xi32>) -> (tensor<1x1xi32>, tensor<1x9x8xf32>) {
  %one = arith.constant 1 : index
  %f:3 = cheems_cpu.keep_threshold keep 4 ins(%m, %p, %first : tensor<1x9xf32>, tensor<1x9xi32>, index) outs(%t, %l : tensor<1x1xf32>, tensor<1x1xi32>) moves_to(%w : tensor<1x1xi32>) -> tensor<1x1xf32>, tensor<1x1xi32>, tensor<1x1xi32>
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t1, %l1, %first, %one : tensor<1xf32>, tensor<1xi32>, index, index) moves_to(%w1 : tensor<1xi32>) outs(%k, %k, %m, %p : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9xf32>, tensor<1x9xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9xf32>, tensor<1x9xi32>
  return %f#2, %r#0 : tensor<1x1xi32>, tensor<1x9x8xf32>
}

// Keys are widened exactly; no buffer of scores is made.
// CHECK-LABEL: @attention
// CHECK-NOT: tensor.empty
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: math.exp
// CHECK-NOT: tensor.empty
func.func @attention(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %m: tensor<1x?xf32>, %first: index, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.125 ins(%q, %k, %k, %m, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, tensor<1x?xf32>, index) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}

// Without a mask a scaled score is what the maximum takes.
// CHECK-LABEL: @none
// CHECK: %[[SCORE:.*]] = arith.mulf %{{.*}}, %cst{{.*}} : f32
// CHECK: arith.maximumf %{{.*}}, %[[SCORE]] : f32
// CHECK: math.exp
func.func @none(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %first: index, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention none scale 0.125 ins(%q, %k, %k, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}

// A window bounds the loops over entries from below.
// CHECK-LABEL: @window
// CHECK: %[[OLD:.*]] = arith.subi %{{.*}}, %c5{{.*}} : index
// CHECK: %[[FROM:.*]] = arith.maxsi %{{.*}}, %[[OLD]] : index
// CHECK: scf.for %{{.*}} = %[[FROM]] to
func.func @window(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %first: index, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention none scale 0.125 window 5 ins(%q, %k, %k, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}
