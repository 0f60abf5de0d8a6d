// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-round-inputs),canonicalize,cse)' | FileCheck %s

// Two matmuls of one input share what is rounded; weights in f32 get the input as it is.
// CHECK-LABEL: @products
// CHECK: %[[ROUNDED:.*]] = linalg.generic
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: linalg.matmul {{.*}} ins(%[[ROUNDED]], %arg1 : tensor<?x8xbf16>, tensor<16x8xbf16>)
// CHECK: linalg.matmul {{.*}} ins(%[[ROUNDED]], %arg2 : tensor<?x8xbf16>, tensor<16x8xbf16>)
// CHECK: linalg.matmul {{.*}} ins(%arg0, %arg3 : tensor<?x8xf32>, tensor<16x8xf32>)
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
func.func @products(%x: tensor<?x8xf32>, %a: tensor<16x8xbf16>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>, %zero: tensor<?x16xf32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x8xf32>, tensor<16x8xbf16>) outs(%zero : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %b : tensor<?x8xf32>, tensor<16x8xbf16>) outs(%zero : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %c : tensor<?x8xf32>, tensor<16x8xf32>) outs(%zero : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %p, %q, %r : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}

// f16 is rounded to f16.
// CHECK-LABEL: @half
// CHECK: arith.truncf %{{.*}} : f32 to f16
// doc: func.func(cheems-round-inputs),canonicalize
#input = affine_map<(t, n, k) -> (t, k)>
#weights = affine_map<(t, n, k) -> (n, k)>
#sums = affine_map<(t, n, k) -> (t, n)>
func.func @half(%x: tensor<?x8xf32>, %w: tensor<16x8xf16>, %zero: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %y = linalg.matmul indexing_maps = [#input, #weights, #sums]
      ins(%x, %w : tensor<?x8xf32>, tensor<16x8xf16>) outs(%zero : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
// doc-end

// Inputs of SSD are rounded where a matmul makes them. A row alone is not rounded, and neither is what has no kernel on tensor cores,
// or pairs.
// CHECK-LABEL: @ssd
// CHECK: %[[X:.*]] = linalg.matmul
// CHECK: %[[SHORT:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<?x16xf32>) outs(%{{.*}} : tensor<?x16xbf16>)
// CHECK: %[[HEADS:.*]] = tensor.expand_shape %[[SHORT]] {{.*}} into tensor<?x2x8xbf16>
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[HEADS]] : tensor<?x2x8xbf16>) outs(%{{.*}} : tensor<?x2x8xf32>)
// CHECK: arith.extf
// CHECK: cheems.segmented_ssd allow_bf16 ins(%[[WIDE]], %arg3, %arg4, %[[GATE:.*]], %[[GATE]] :
// CHECK-NOT: bf16>
// CHECK: cheems.segmented_ssd allow_bf16 one_row ins(%{{.*}}, %arg3, %arg4, %arg5, %arg5 :
// CHECK: cheems.segmented_ssd allow_pairs ins(%{{.*}}, %arg3, %arg4, %arg5, %arg5 :
#rows = affine_map<(t, n, k) -> (t, k)>
#columns = affine_map<(t, n, k) -> (n, k)>
#both = affine_map<(t, n, k) -> (t, n)>
func.func @ssd(%h: tensor<?x4xf32>, %w: tensor<16x4xf32>, %zero: tensor<?x16xf32>, %dt: tensor<?x2xf32>, %a: tensor<2xf32>,
               %b: tensor<?x1x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x2x8xf32>, %pool: tensor<?x3x2x6x8xf32>)
    -> (tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %h, %c0 : tensor<?x4xf32>
  %p = linalg.matmul indexing_maps = [#rows, #columns, #both] ins(%h, %w : tensor<?x4xf32>, tensor<16x4xf32>) outs(%zero : tensor<?x16xf32>) -> tensor<?x16xf32>
  %x = tensor.expand_shape %p [[0], [1, 2]] output_shape [%t, 2, 8] : tensor<?x16xf32> into tensor<?x2x8xf32>
  %0:2 = cheems.segmented_ssd allow_bf16 ins(%x, %dt, %a, %b, %b : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
      segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>) -> tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>
  %1:2 = cheems.segmented_ssd allow_bf16 one_row ins(%x, %dt, %a, %b, %b : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
      segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%0#0, %0#1 : tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>) -> tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>
  %2:2 = cheems.segmented_ssd allow_pairs ins(%x, %dt, %a, %b, %b : tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
      segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%1#0, %1#1 : tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>) -> tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>
  return %2#0, %2#1 : tensor<?x2x8xf32>, tensor<?x3x2x6x8xf32>
}
