// linear tiles over rows and over panels: a tile of panels is a tile of columns, fewer where N ends in the last panel.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @both
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: %[[N:.*]] = affine.apply #{{.*}}(%[[P]])
// CHECK-DAG: tensor.extract_slice %arg0[%[[T]], 0] [%[[ROWS:.*]], 8] [1, 1]
// CHECK-DAG: tensor.extract_slice %arg1[%[[P]], 0, 0, 0] [%[[PANELS:.*]], 8, 16, 1]
// CHECK-DAG: tensor.extract_slice %arg2[%[[N]]] [%[[COLUMNS:.*]]] [1]
// CHECK-DAG: tensor.extract_slice %arg3[%[[T]], %[[N]]] [%[[ROWS]], %[[COLUMNS]]] [1, 1]
// CHECK: cheems_cpu.linear ins(%{{.*}} : tensor<?x8xf32>) weights(%{{.*}} : tensor<?x8x16x1xf32>) with(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[T]], %[[N]]] [%[[ROWS]], %[[COLUMNS]]]
func.func @both(%x: tensor<7x8xf32>, %w: tensor<5x8x16x1xf32>, %s: tensor<70xf32>, %h: tensor<7x70xf32>, %y: tensor<7x70xf32>) -> tensor<7x70xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<7x8xf32>) weights(%w : tensor<5x8x16x1xf32>) with(%s, %h : tensor<70xf32>, tensor<7x70xf32>) outs(%y : tensor<7x70xf32>) {
  ^bb0(%sum: f32, %b: f32, %a: f32):
    %scaled = arith.mulf %b, %a : f32
    %all = arith.addf %sum, %scaled : f32
    cheems_cpu.yield %all : f32
  } -> tensor<7x70xf32>
  return %r : tensor<7x70xf32>
}

// A tile of panels takes their scales.
// CHECK-LABEL: @codes
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[P:.*]] = %{{.*}} to %{{.*}} step
// CHECK-DAG: tensor.extract_slice %arg1[%[[P]], 0, 0, 0] [%[[PANELS:.*]], 16, 16, 4] [1, 1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg2[%[[P]], 0, 0] [%[[PANELS]], 2, 16] [1, 1, 1]
// CHECK: cheems_cpu.linear ins(%{{.*}} : tensor<?x128xf32>) weights(%{{.*}} : tensor<?x16x16x4xi8>) bits 4 scales(%{{.*}} : tensor<?x2x16xbf16>)
func.func @codes(%x: tensor<7x128xf32>, %w: tensor<5x16x16x4xi8>, %s: tensor<5x2x16xbf16>, %y: tensor<7x70xf32>) -> tensor<7x70xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<7x128xf32>) weights(%w : tensor<5x16x16x4xi8>) bits 4 scales(%s : tensor<5x2x16xbf16>) outs(%y : tensor<7x70xf32>) -> tensor<7x70xf32>
  return %r : tensor<7x70xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %linear = transform.structured.match ops{["cheems_cpu.linear"]} in %root : (!transform.any_op) -> !transform.any_op
    %l:3 = transform.structured.tile_using_for %linear tile_sizes [3, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
