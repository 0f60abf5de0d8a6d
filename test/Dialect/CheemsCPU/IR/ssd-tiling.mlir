// ssd tiles over rows into chunks that pass the state on, and over heads with the groups they read; ssd_chunk over heads.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @rows
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[Y:.*]] = %arg5, %[[H:.*]] = %arg6)
// CHECK: %[[N:.*]] = affine.min {{.*}}(%[[I]])
// CHECK-DAG: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], 0, 0] [%[[N]], 4, 8] [1, 1, 1]
// CHECK-DAG: %[[DT:.*]] = tensor.extract_slice %arg1[%[[I]], 0] [%[[N]], 4] [1, 1]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %arg3[%[[I]], 0, 0] [%[[N]], 2, 6] [1, 1, 1]
// CHECK-DAG: %[[C:.*]] = tensor.extract_slice %arg4[%[[I]], 0, 0] [%[[N]], 2, 6] [1, 1, 1]
// CHECK-DAG: %[[O:.*]] = tensor.extract_slice %[[Y]][%[[I]], 0, 0] [%[[N]], 4, 8] [1, 1, 1]
// CHECK: %[[R:.*]]:2 = cheems_cpu.ssd_chunk {rows} ins(%[[X]], %[[DT]], %arg2, %[[B]], %[[C]] : {{.*}}) outs(%[[O]], %[[H]] : {{.*}}) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
// CHECK: %[[INSERTED:.*]] = tensor.insert_slice %[[R]]#0 into %[[Y]][%[[I]], 0, 0] [%[[N]], 4, 8]
// CHECK: scf.yield %[[INSERTED]], %[[R]]#1
func.func @rows(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) -> (tensor<?x4x8xf32>, tensor<4x6x8xf32>) {
  %r:2 = cheems_cpu.ssd {rows} ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return %r#0, %r#1 : tensor<?x4x8xf32>, tensor<4x6x8xf32>
}

// One head reads the group it belongs to. All rows: it stays a recurrence.
// CHECK-LABEL: @head
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[Y:.*]] = %arg6, %[[H:.*]] = %arg7)
// CHECK-DAG: %[[G:.*]] = affine.apply {{.*}}(%[[J]])
// CHECK-DAG: tensor.extract_slice %arg0[0, %[[J]], 0] [%{{.*}}, 1, 8] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg1[0, %[[J]]] [%{{.*}}, 1] [1, 1]
// CHECK-DAG: tensor.extract_slice %arg2[%[[J]]] [1] [1]
// CHECK-DAG: tensor.extract_slice %arg3[0, %[[G]], 0] [%{{.*}}, 1, 6] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg4[0, %[[G]], 0] [%{{.*}}, 1, 6] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg5[%[[J]]] [1] [1]
// CHECK-DAG: tensor.extract_slice %[[Y]][0, %[[J]], 0] [%{{.*}}, 1, 8] [1, 1, 1]
// CHECK-DAG: tensor.extract_slice %[[H]][%[[J]], 0, 0] [1, 6, 8] [1, 1, 1]
// CHECK: %[[R:.*]]:2 = cheems_cpu.ssd {head} ins({{.*}} : tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) skip(%{{.*}} : tensor<1xf32>)
// CHECK-DAG: tensor.insert_slice %[[R]]#0 into %[[Y]][0, %[[J]], 0]
// CHECK-DAG: tensor.insert_slice %[[R]]#1 into %[[H]][%[[J]], 0, 0]
func.func @head(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %d: tensor<4xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) -> (tensor<?x4x8xf32>, tensor<4x6x8xf32>) {
  %r:2 = cheems_cpu.ssd {head} ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) skip(%d : tensor<4xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return %r#0, %r#1 : tensor<?x4x8xf32>, tensor<4x6x8xf32>
}

// Two heads are a whole group here.
// CHECK-LABEL: @group
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[G:.*]] = affine.apply {{.*}}(%[[J]])
// CHECK: tensor.extract_slice %arg3[0, %[[G]], 0] [5, 1, 6] [1, 1, 1]
// CHECK: cheems_cpu.ssd_chunk {group} ins({{.*}} : tensor<5x2x8xf32>, tensor<5x2xf32>, tensor<2xf32>, tensor<5x1x6xf32>, tensor<5x1x6xf32>)
func.func @group(%x: tensor<5x4x8xf32>, %dt: tensor<5x4xf32>, %a: tensor<4xf32>, %b: tensor<5x2x6xf32>, %c: tensor<5x2x6xf32>, %y: tensor<5x4x8xf32>, %h: tensor<4x6x8xf32>) -> (tensor<5x4x8xf32>, tensor<4x6x8xf32>) {
  %r:2 = cheems_cpu.ssd_chunk {group} ins(%x, %dt, %a, %b, %c : tensor<5x4x8xf32>, tensor<5x4xf32>, tensor<4xf32>, tensor<5x2x6xf32>, tensor<5x2x6xf32>) outs(%y, %h : tensor<5x4x8xf32>, tensor<4x6x8xf32>) -> tensor<5x4x8xf32>, tensor<4x6x8xf32>
  return %r#0, %r#1 : tensor<5x4x8xf32>, tensor<4x6x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %rows = transform.structured.match attributes{rows} in %root : (!transform.any_op) -> !transform.any_op
    %r:2 = transform.structured.tile_using_for %rows tile_sizes [3, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %head = transform.structured.match attributes{head} in %root : (!transform.any_op) -> !transform.any_op
    %h:2 = transform.structured.tile_using_for %head tile_sizes [0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %group = transform.structured.match attributes{group} in %root : (!transform.any_op) -> !transform.any_op
    %g:2 = transform.structured.tile_using_for %group tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
