// online_attention as loops: a row that sees nothing of the block yields its state as it was. With `seen` a row's entries are
// counted from it, in both ops.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s --implicit-check-not=cheems.

// CHECK-LABEL: @online
// CHECK: scf.for {{.*}} iter_args(%[[M:.*]] = %arg6, %[[S:.*]] = %arg7, %[[Y:.*]] = %arg8)
// CHECK: %[[COUNT:.*]] = arith.subi %{{.*}}, %arg5 : index
// CHECK: arith.minsi %[[COUNT]], %{{.*}} : index
// CHECK: %[[BEST:.*]]:2 = scf.for {{.*}} -> (i1, f32)
// CHECK: scf.if %[[BEST]]#0 -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>)
// CHECK: arith.maximumf %{{.*}}, %[[BEST]]#1 : f32
// CHECK: math.exp
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>
func.func @online(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xbf16>, %v: tensor<1x?x8xbf16>, %mask: tensor<1x?xf32>, %first: index, %from: index, %m: tensor<?x2xf32>, %s: tensor<?x2xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %v, %mask, %first, %from : tensor<?x2x8xf32>, tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<1x?xf32>, index, index) outs(%m, %s, %y : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>
  return %r#2 : tensor<?x2x8xf32>
}

// CHECK-LABEL: @seen
// CHECK: %[[SEEN:.*]] = tensor.extract %arg4[%{{.*}}] : tensor<?xi32>
// CHECK: %[[END:.*]] = arith.index_cast %[[SEEN]] : i32 to index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step
func.func @seen(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %mask: tensor<2x?xf32>, %first: index, %s: tensor<?xi32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 ins(%q, %k, %k, %mask, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<2x?xf32>, index) seen(%s : tensor<?xi32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @none
// CHECK: %[[SCORE:.*]] = arith.mulf %{{.*}}, %cst{{.*}} : f32
// CHECK: arith.maximumf %{{.*}}, %[[SCORE]] : f32
func.func @none(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %first: index, %m: tensor<?x2xf32>, %s: tensor<?x2xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r:3 = cheems_cpu.online_attention none scale 0.5 ins(%q, %k, %k, %first, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, index, index) outs(%m, %s, %y : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>
  return %r#2 : tensor<?x2x8xf32>
}

// CHECK-LABEL: @window
// CHECK: %[[OLD:.*]] = arith.subi %{{.*}}, %c5{{.*}} : index
// CHECK: %[[PASSED:.*]] = arith.maxsi %{{.*}}, %[[OLD]] : index
// CHECK: %[[HERE:.*]] = arith.subi %[[PASSED]], %arg3 : index
// CHECK: %[[FROM:.*]] = arith.maxsi %{{.*}}, %[[HERE]] : index
// CHECK: scf.for %{{.*}} = %[[FROM]] to
func.func @window(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %first: index, %from: index, %m: tensor<?x2xf32>, %s: tensor<?x2xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r:3 = cheems_cpu.online_attention none scale 0.5 window 5 ins(%q, %k, %k, %first, %from : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, index, index) outs(%m, %s, %y : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>
  return %r#2 : tensor<?x2x8xf32>
}
