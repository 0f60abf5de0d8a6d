// dynamic_mask_attention tiles over its query rows.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// A tile of query rows stands later in its sequence: its first row has more entries before it.
// CHECK-LABEL: @attention
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: %[[FIRST:.*]] = affine.apply {{.*}}()[%arg3, %[[I]]]
// CHECK-DAG: tensor.extract_slice %arg5[%[[I]], 0] [%{{.*}}, 1] [1, 1]
// CHECK-DAG: tensor.extract_slice %arg6[%[[I]], 0] [%{{.*}}, 1] [1, 1]
// CHECK: cheems_cpu.dynamic_mask_attention bias scale 5.000000e-01 ins(%{{.*}}, %arg1, %arg1, %arg2, %[[FIRST]] : tensor<?x2x8xf32>, tensor<1x?x8xf32>
// CHECK-SAME: kept(%arg4, %{{.*}}, %{{.*}} : tensor<1x?xi32>, tensor<?x1xf32>, tensor<?x1xi32>)
func.func @attention(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %m: tensor<1x?xf32>, %first: index, %p: tensor<1x?xi32>, %t: tensor<?x1xf32>, %l: tensor<?x1xi32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %m, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?xf32>, index) kept(%p, %t, %l : tensor<1x?xi32>, tensor<?x1xf32>, tensor<?x1xi32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// There is no mask to leave whole.
// CHECK-LABEL: @none
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: %[[FIRST:.*]] = affine.apply {{.*}}()[%arg2, %[[I]]]
// CHECK: cheems_cpu.dynamic_mask_attention none scale 5.000000e-01 ins(%{{.*}}, %arg1, %arg1, %[[FIRST]] : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, index) outs(
func.func @none(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %first: index, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention none scale 0.5 ins(%q, %k, %k, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, index) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["cheems_cpu.dynamic_mask_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %a:2 = transform.structured.tile_using_for %attention tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
