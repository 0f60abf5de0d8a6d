// RUN: cheems-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(cheems-split-experts),cheems-group-experts)' | FileCheck %s
// Experts that add to something have not been split.
// RUN: not cheems-opt %s --split-input-file --cheems-group-experts --cheems-group-rows 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: 'cheems.mix_experts' op adds to what is no zeros: cheems-split-experts comes first

// A group has both sums of heads, the retrieval, and the scores that a block of few rows computes itself.
// CHECK-LABEL: func.func @decode
// CHECK-NOT: linalg.generic
// CHECK-NOT: cheems.retrieve_experts
// CHECK: %[[SUMS:.*]]:2 = cheems_tile.group experts -> tensor<?x64xf32>, tensor<?x64xf32> {
// CHECK: linalg.fill
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%arg1, %arg2 :
// CHECK: %[[FOUND:.*]]:2 = cheems.retrieve_experts ins(%[[G]] :
// CHECK: tensor.extract_slice %[[FOUND]]#0[0, 0, 0]
// CHECK: tensor.extract_slice %[[FOUND]]#1[0, 0, 0]
// CHECK: %[[A:.*]] = cheems.mix_experts
// CHECK: tensor.extract_slice %[[FOUND]]#0[0, 1, 0]
// CHECK: tensor.extract_slice %[[FOUND]]#1[0, 1, 0]
// CHECK: %[[B:.*]] = cheems.mix_experts
// CHECK: cheems_tile.group_yield %[[A]], %[[B]]
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]]#0, %[[SUMS]]#1 : {{.*}}) outs(%arg4 :
#queries = affine_map<(t, p, h, d, n) -> (t, p, h, d)>
#keys = affine_map<(t, p, h, d, n) -> (p, h, d, n)>
#scores = affine_map<(t, p, h, d, n) -> (t, p, h, n)>
!x = tensor<?x64xf32>
!w = tensor<64x64xf32>
!g = tensor<?x2x2x8xf32>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @decode(%x: !x, %q: !g, %keys: tensor<2x2x8x8xf32>, %table: !w, %y: !x) -> !x attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : !x
    %zero = arith.constant 0.0 : f32
    %g0 = tensor.empty(%rows) : !g
    %f = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !g, tensor<2x2x8x8xf32>) outs(%f : !g) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %s = tensor.empty(%rows) : tensor<?x2x4xf32>
    %e = tensor.empty(%rows) : tensor<?x2x4xi32>
    %r:2 = cheems.retrieve_experts ins(%g : !g) outs(%s, %e : tensor<?x2x4xf32>, tensor<?x2x4xi32>) -> tensor<?x2x4xf32>, tensor<?x2x4xi32>
    %m = cheems.mix_experts softmax silu ins(%x, %r#0, %r#1, %table, %table : !x, tensor<?x2x4xf32>, tensor<?x2x4xi32>, !w, !w) outs(%y : !x) -> !x
    return %m : !x
  }
}

// -----

// Where others read what is retrieved, the group has what is there. The column of all scales is in it.
// CHECK-LABEL: func.func @kept
// CHECK: %[[FOUND:.*]]:2 = cheems.retrieve_experts
// CHECK: %[[SUM:.*]] = cheems_tile.group experts -> tensor<?x8xf32> {
// CHECK: %[[SCALES:.*]] = tensor.extract_slice %arg4[0, 0] [16, 1]
// CHECK: cheems.mix_experts {{.*}} ins(%arg0, %[[FOUND]]#0, %[[FOUND]]#1, {{.*}}) scales(%[[SCALES]], %[[SCALES]] :
// CHECK: return {{.*}}, %[[FOUND]]#1
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @kept(%x: tensor<?x8xf32>, %g: tensor<?x2x1x8xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %column: tensor<16x1xf32>, %d: tensor<16x8xi8>)
      -> (tensor<?x8xf32>, tensor<?x1x4xi32>) {
    %scales = tensor.extract_slice %column[0, 0] [16, 1] [1, 1] : tensor<16x1xf32> to tensor<16xf32>
    %r:2 = cheems.retrieve_experts ins(%g : tensor<?x2x1x8xf32>) outs(%s, %e : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
    %0 = cheems.mix_experts softmax silu ins(%x, %r#0, %r#1, %d, %d : tensor<?x8xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<16x8xi8>, tensor<16x8xi8>)
        scales(%scales, %scales : tensor<16xf32>, tensor<16xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %0, %r#1 : tensor<?x8xf32>, tensor<?x1x4xi32>
  }
}

// -----

// doc: func.func(cheems-split-experts),cheems-group-experts
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @found(%x: tensor<?x64xf32>, %scores: tensor<?x2x1x8xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %down: tensor<64x64xf32>, %up: tensor<64x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %r:2 = cheems.retrieve_experts ins(%scores : tensor<?x2x1x8xf32>) outs(%s, %e : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
    %0 = cheems.mix_experts softmax silu ins(%x, %r#0, %r#1, %down, %up : tensor<?x64xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
}
// doc-end
