// Expert ops tile over rows; heads, and the tables of mix_experts with their scales, stay whole.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @retrieve
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[E:.*]] = %{{.*}})
// CHECK: %[[N:.*]] = affine.min {{.*}}(%[[I]])
// CHECK: %[[G:.*]] = tensor.extract_slice %arg0[%[[I]], 0, 0, 0] [%[[N]], 2, 2, 16] [1, 1, 1, 1]
// CHECK: %[[PS:.*]] = tensor.extract_slice %[[S]][%[[I]], 0, 0] [%[[N]], 2, 4] [1, 1, 1]
// CHECK: %[[PE:.*]] = tensor.extract_slice %[[E]][%[[I]], 0, 0] [%[[N]], 2, 4] [1, 1, 1]
// CHECK: cheems.retrieve_experts ins(%[[G]] : tensor<?x2x2x16xf32>) outs(%[[PS]], %[[PE]] : tensor<?x2x4xf32>, tensor<?x2x4xi32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[S]][%[[I]], 0, 0] [%[[N]], 2, 4]
// CHECK: tensor.insert_slice %{{.*}} into %[[E]][%[[I]], 0, 0] [%[[N]], 2, 4]
func.func @retrieve(%g: tensor<7x2x2x16xf32>, %s: tensor<7x2x4xf32>, %e: tensor<7x2x4xi32>) -> (tensor<7x2x4xf32>, tensor<7x2x4xi32>) {
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<7x2x2x16xf32>) outs(%s, %e : tensor<7x2x4xf32>, tensor<7x2x4xi32>) -> tensor<7x2x4xf32>, tensor<7x2x4xi32>
  return %0, %1 : tensor<7x2x4xf32>, tensor<7x2x4xi32>
}

// Tiles have the order of the whole.
// CHECK-LABEL: @ascending
// CHECK: scf.for
// CHECK: cheems.retrieve_experts ascending ins(%{{.*}} : tensor<?x2x2x16xf32>)
func.func @ascending(%g: tensor<7x2x2x16xf32>, %s: tensor<7x2x4xf32>, %e: tensor<7x2x4xi32>) -> (tensor<7x2x4xf32>, tensor<7x2x4xi32>) {
  %0, %1 = cheems.retrieve_experts ascending ins(%g : tensor<7x2x2x16xf32>) outs(%s, %e : tensor<7x2x4xf32>, tensor<7x2x4xi32>) -> tensor<7x2x4xf32>, tensor<7x2x4xi32>
  return %0, %1 : tensor<7x2x4xf32>, tensor<7x2x4xi32>
}

// CHECK-LABEL: @mix
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[Y:.*]] = %{{.*}})
// CHECK: %[[N:.*]] = affine.min {{.*}}(%[[I]])
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [%[[N]], 8] [1, 1]
// CHECK: %[[S:.*]] = tensor.extract_slice %arg1[%[[I]], 0, 0] [%[[N]], 2, 4] [1, 1, 1]
// CHECK: %[[E:.*]] = tensor.extract_slice %arg2[%[[I]], 0, 0] [%[[N]], 2, 4] [1, 1, 1]
// CHECK: %[[P:.*]] = tensor.extract_slice %[[Y]][%[[I]], 0] [%[[N]], 8] [1, 1]
// CHECK: cheems.mix_experts softmax silu ins(%[[X]], %[[S]], %[[E]], %arg3, %arg4 : {{.*}}tensor<16x8xf32>, tensor<16x8xf32>) outs(%[[P]] : tensor<?x8xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %[[Y]][%[[I]], 0] [%[[N]], 8]
func.func @mix(%x: tensor<7x8xf32>, %s: tensor<7x2x4xf32>, %e: tensor<7x2x4xi32>, %d: tensor<16x8xf32>, %u: tensor<16x8xf32>, %y: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %u : tensor<7x8xf32>, tensor<7x2x4xf32>, tensor<7x2x4xi32>, tensor<16x8xf32>, tensor<16x8xf32>) outs(%y : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}

// CHECK-LABEL: @codes
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[Y:.*]] = %{{.*}})
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], 0]
// CHECK: cheems.mix_experts inner relu ins(%[[X]], %{{.*}}, %{{.*}}, %arg3, %arg4 : {{.*}}tensor<16x8xi8>, tensor<16x8xi8>) scales(%arg5, %arg6 : tensor<16xf32>, tensor<16xf32>) outs(%{{.*}} : tensor<?x8xf32>)
func.func @codes(%x: tensor<7x8xf32>, %s: tensor<7x2x4xf32>, %e: tensor<7x2x4xi32>, %d: tensor<16x8xi8>, %u: tensor<16x8xi8>, %c: tensor<16xf32>, %g: tensor<16xf32>, %y: tensor<7x8xf32>) -> tensor<7x8xf32> {
  %0 = cheems.mix_experts inner relu ins(%x, %s, %e, %d, %u : tensor<7x8xf32>, tensor<7x2x4xf32>, tensor<7x2x4xi32>, tensor<16x8xi8>, tensor<16x8xi8>) scales(%c, %g : tensor<16xf32>, tensor<16xf32>) outs(%y : tensor<7x8xf32>) -> tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["cheems.retrieve_experts", "cheems.mix_experts"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %ops tile_sizes [2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
