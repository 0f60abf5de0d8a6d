// Ops tile over rows (and heads where they are independent): every operand that has rows is cut, the rest stay whole.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @norm
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: %[[N:.*]] = affine.min {{.*}}(%[[I]])
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [%[[N]], 8] [1, 1]
// CHECK: %[[Y:.*]] = tensor.extract_slice %[[ACC]][%[[I]], 0] [%[[N]], 8] [1, 1]
// CHECK: cheems.rms_norm epsilon 5.000000e-01 ins(%[[X]], %arg1 : tensor<?x8xf32>, tensor<8xf32>) outs(%[[Y]] : tensor<?x8xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[ACC]][%[[I]], 0] [%[[N]], 8]
func.func @norm(%x: tensor<7x8xf32>, %w: tensor<8xf32>, %y: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<7x8xf32>, tensor<8xf32>) outs(%y : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

// CHECK-LABEL: @rotary
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: tensor.extract_slice %arg0[%[[I]], 0, 0] [%[[N:.*]], 2, 8] [1, 1, 1]
// CHECK: tensor.extract_slice %arg1[%[[I]], 0] [%[[N]], 4] [1, 1]
// CHECK: tensor.extract_slice %arg2[%[[I]], 0] [%[[N]], 4] [1, 1]
// CHECK: cheems.rotary ins(%{{.*}} : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%{{.*}} : tensor<?x2x8xf32>)
func.func @rotary(%x: tensor<?x2x8xf32>, %c: tensor<?x4xf32>, %s: tensor<?x4xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems.rotary ins(%x, %c, %s : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @partial
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: tensor.extract_slice %arg0[%[[I]], 0, 0] [%[[N:.*]], 2, 8] [1, 1, 1]
// CHECK: tensor.extract_slice %arg1[%[[I]], 0] [%[[N]], 3] [1, 1]
func.func @partial(%x: tensor<?x2x8xf32>, %c: tensor<?x3xf32>, %s: tensor<?x3xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems.rotary ins(%x, %c, %s : tensor<?x2x8xf32>, tensor<?x3xf32>, tensor<?x3xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @mask
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: cheems.dynamic_mask ins(%{{.*}}, %arg1 : tensor<?x2xf32>, tensor<2xf32>) outs(%{{.*}} : tensor<?x2xf32>)
func.func @mask(%d: tensor<?x2xf32>, %a: tensor<2xf32>, %o: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %r = cheems.dynamic_mask ins(%d, %a : tensor<?x2xf32>, tensor<2xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %norm = transform.structured.match ops{["cheems.rms_norm"]} in %root : (!transform.any_op) -> !transform.any_op
    %n:2 = transform.structured.tile_using_for %norm tile_sizes [3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %rotary = transform.structured.match ops{["cheems.rotary"]} in %root : (!transform.any_op) -> !transform.any_op
    %r:2 = transform.structured.tile_using_for %rotary tile_sizes [4, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %mask = transform.structured.match ops{["cheems.dynamic_mask"]} in %root : (!transform.any_op) -> !transform.any_op
    %m:2 = transform.structured.tile_using_for %mask tile_sizes [4, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
