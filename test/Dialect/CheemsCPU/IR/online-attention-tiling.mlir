// online_attention tiles over its rows: destinations are cut too, and a tile's first row has more entries before it. So does
// dynamic_mask_attention with `seen`.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @online
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[M:.*]] = %arg7, %[[S:.*]] = %arg8, %[[Y:.*]] = %arg9)
// CHECK-DAG: %[[FIRST:.*]] = affine.apply {{.*}}()[%arg3, %[[I]]]
// CHECK-DAG: tensor.extract_slice %arg5[%[[I]], 0] [%{{.*}}, 1] [1, 1]
// CHECK-DAG: tensor.extract_slice %arg6[%[[I]], 0] [%{{.*}}, 1] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[M]][%[[I]], 0] [%{{.*}}, 2] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[S]][%[[I]], 0] [%{{.*}}, 2] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[Y]][%[[I]], 0, 0] [%{{.*}}, 2, 8] [1, 1, 1]
// CHECK: cheems_cpu.online_attention bias scale 5.000000e-01 ins(%{{.*}}, %arg1, %arg1, %arg2, %[[FIRST]], %arg3 : tensor<?x2x8xf32>, tensor<1x?x8xf32>
// CHECK-SAME: kept(%arg4, %{{.*}}, %{{.*}} : tensor<1x?xi32>, tensor<?x1xf32>, tensor<?x1xi32>)
// CHECK-DAG: tensor.insert_slice %{{.*}} into %[[M]][%[[I]], 0]
// CHECK-DAG: tensor.insert_slice %{{.*}} into %[[S]][%[[I]], 0]
// CHECK-DAG: tensor.insert_slice %{{.*}} into %[[Y]][%[[I]], 0, 0]
func.func @online(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %mask: tensor<1x?xf32>, %first: index, %p: tensor<1x?xi32>, %t: tensor<?x1xf32>, %l: tensor<?x1xi32>, %m: tensor<?x2xf32>, %s: tensor<?x2xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %mask, %first, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?xf32>, index, index) kept(%p, %t, %l : tensor<1x?xi32>, tensor<?x1xf32>, tensor<?x1xi32>) outs(%m, %s, %y : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>
  return %r#2 : tensor<?x2x8xf32>
}

// CHECK-LABEL: @seen
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[SEEN:.*]] = tensor.extract_slice %arg4[%[[I]]] [%{{.*}}] [1]
// CHECK: cheems_cpu.dynamic_mask_attention threshold {{.*}} seen(%[[SEEN]] : tensor<?xi32>)
func.func @seen(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %mask: tensor<2x?xf32>, %first: index, %s: tensor<?xi32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 ins(%q, %k, %k, %mask, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<2x?xf32>, index) seen(%s : tensor<?xi32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @none
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: %[[FIRST:.*]] = affine.apply {{.*}}()[%arg2, %[[I]]]
// CHECK: cheems_cpu.online_attention none scale 5.000000e-01 ins(%{{.*}}, %arg1, %arg1, %[[FIRST]], %arg2 : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, index, index) outs(
func.func @none(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %first: index, %m: tensor<?x2xf32>, %s: tensor<?x2xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r:3 = cheems_cpu.online_attention none scale 0.5 ins(%q, %k, %k, %first, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, index, index) outs(%m, %s, %y : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x8xf32>
  return %r#2 : tensor<?x2x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %online = transform.structured.match ops{["cheems_cpu.online_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %o:2 = transform.structured.tile_using_for %online tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %attention = transform.structured.match ops{["cheems_cpu.dynamic_mask_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %a:2 = transform.structured.tile_using_for %attention tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
