// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-round-inputs),canonicalize,cse)' | FileCheck %s

// Two products of one input share what is rounded; weights in f32 get the input as it is.
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
