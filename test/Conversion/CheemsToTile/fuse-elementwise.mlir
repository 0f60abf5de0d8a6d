// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-fuse-elementwise),canonicalize,cse)' | FileCheck %s

// CHECK-LABEL: @chain
// CHECK: %[[ALL:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: arith.truncf
// CHECK-NOT: linalg.generic
// CHECK: return %[[ALL]]
// doc: func.func(cheems-fuse-elementwise),canonicalize
#all = affine_map<(t, n) -> (t, n)>
#column = affine_map<(t, n) -> (n)>
func.func @chain(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %e: tensor<?x8xf32>, %r: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  %scaled = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled : tensor<?x8xf32>) outs(%r : tensor<?x8xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<?x8xbf16>
  return %rounded : tensor<?x8xbf16>
}
// doc-end

// The first result has another use, and a matmul is no elementwise op: nothing is fused.
// CHECK-LABEL: @apart
// CHECK-COUNT-3: linalg.generic
// CHECK: return
#same = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
func.func @apart(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %e: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %c, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x8xf32>
  %q = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  return %p, %q, %r : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
