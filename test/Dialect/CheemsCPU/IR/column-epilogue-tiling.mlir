// finish tiles over rows and over panels of columns; a tile says which column of the matmul is its first.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @both
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: %[[N:.*]] = affine.apply #{{.*}}(%[[P]])
// CHECK-DAG: tensor.extract_slice %arg0[%[[T]], 0] [%[[ROWS:.*]], 16] [1, 1]
// CHECK-DAG: tensor.extract_slice %{{.*}}[%[[T]], %[[N]]] [%[[ROWS]], %[[COLUMNS:.*]]] [1, 1]
// CHECK: cheems_cpu.column_epilogue rotated 32 mapped [64, 70] at %[[N]] angles(%{{.*}}, %{{.*}} : tensor<?x16xf32>, tensor<?x16xf32>) with(%arg2 : tensor<6xf32>) outs(%{{.*}} : tensor<?x?xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[T]], %[[N]]] [%[[ROWS]], %[[COLUMNS]]]
func.func @both(%c: tensor<7x16xf32>, %s: tensor<7x16xf32>, %b: tensor<6xf32>, %y: tensor<7x70xf32>) -> tensor<7x70xf32> {
  %r = cheems_cpu.column_epilogue rotated 32 mapped [64, 70] angles(%c, %s : tensor<7x16xf32>, tensor<7x16xf32>) with(%b : tensor<6xf32>) outs(%y : tensor<7x70xf32>) {
  ^bb0(%step: f32, %bias: f32):
    %0 = arith.addf %step, %bias : f32
    cheems_cpu.yield %0 : f32
  } -> tensor<7x70xf32>
  return %r : tensor<7x70xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %finish = transform.structured.match ops{["cheems_cpu.column_epilogue"]} in %root : (!transform.any_op) -> !transform.any_op
    %l:3 = transform.structured.tile_using_for %finish tile_sizes [3, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
