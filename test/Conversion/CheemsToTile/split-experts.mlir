// RUN: cheems-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(cheems-split-experts))' | FileCheck %s

// Nine heads are two for each of four blocks, and one for a fifth. What the matmul before gives is an input of the sum, and so is what is
// added after it. A strategy is that of the first part.
// CHECK-LABEL: func.func @few
// CHECK: %[[Y:.*]] = linalg.matmul
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[S0:.*]] = tensor.extract_slice %arg1[0, 0, 0] [%{{.*}}, 2, 4] [1, 1, 1] : tensor<?x9x4xf32> to tensor<?x2x4xf32>
// CHECK: %[[E0:.*]] = tensor.extract_slice %arg2[0, 0, 0] [%{{.*}}, 2, 4] [1, 1, 1] : tensor<?x9x4xi32> to tensor<?x2x4xi32>
// CHECK: %[[P0:.*]] = cheems.mix_experts softmax silu {cheems_tile.strategy = #cheems_tile.experts_strategy<{{.*}}>} ins(%arg0, %[[S0]], %[[E0]], %arg3, %arg3 : {{.*}}) outs(%[[ZERO]] :
// CHECK: tensor.extract_slice %arg1[0, 2, 0] [%{{.*}}, 2, 4]
// CHECK: %[[P1:.*]] = cheems.mix_experts softmax silu ins(
// CHECK: tensor.extract_slice %arg1[0, 4, 0] [%{{.*}}, 2, 4]
// CHECK: %[[P2:.*]] = cheems.mix_experts softmax silu ins(
// CHECK: tensor.extract_slice %arg1[0, 6, 0] [%{{.*}}, 2, 4]
// CHECK: %[[P3:.*]] = cheems.mix_experts softmax silu ins(
// CHECK: tensor.extract_slice %arg1[0, 8, 0] [%{{.*}}, 1, 4] [1, 1, 1] : tensor<?x9x4xf32> to tensor<?x1x4xf32>
// CHECK: tensor.extract_slice %arg2[0, 8, 0] [%{{.*}}, 1, 4]
// CHECK: %[[P4:.*]] = cheems.mix_experts softmax silu ins(
// CHECK-NOT: mix_experts
// CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[P0]], %[[P1]], %[[P2]], %[[P3]], %[[P4]] : {{.*}}) outs(%arg4 :
// CHECK-NEXT: ^bb0(%[[Y0:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32, %[[E:.*]]: f32, %[[R:.*]]: f32):
// CHECK-NEXT: %[[T0:.*]] = arith.addf %[[Y0]], %[[A]]
// CHECK-NEXT: %[[T1:.*]] = arith.addf %[[T0]], %[[B]]
// CHECK-NEXT: %[[T2:.*]] = arith.addf %[[T1]], %[[C]]
// CHECK-NEXT: %[[T3:.*]] = arith.addf %[[T2]], %[[D]]
// CHECK-NEXT: %[[T4:.*]] = arith.addf %[[T3]], %[[E]]
// CHECK-NEXT: arith.addf %[[R]], %[[T4]]
// CHECK: return %[[ALL]]
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
!x = tensor<?x64xf32>
!w = tensor<64x64xf32>
func.func @few(%x: !x, %s: tensor<?x9x4xf32>, %e: tensor<?x9x4xi32>, %table: !w, %residual: !x) -> !x attributes {cheems.most_rows = 64 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : !x
  %empty = tensor.empty(%rows) : !x
  %f = linalg.fill ins(%zero : f32) outs(%empty : !x) -> !x
  %y = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %table : !x, !w) outs(%f : !x) -> !x
  %m = cheems.mix_experts softmax silu {cheems_tile.strategy = #cheems_tile.experts_strategy<warps = 4, scores = <rows = 1, threads = 32, width = 4, columns = 128>, keys = <rows = 1, threads = 32, width = 4, columns = 128>, pairs = <rows = 1, threads = 32, width = 4, columns = 128>, tables = <rows = 1, threads = 32, width = 4, columns = 128>, sums = <rows = 1, threads = 32, width = 4, columns = 128>, heads = 2>}
      ins(%x, %s, %e, %table, %table : !x, tensor<?x9x4xf32>, tensor<?x9x4xi32>, !w, !w) outs(%y : !x) -> !x
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%m : !x) outs(%residual : !x) {
  ^bb0(%a: f32, %b: f32):
    %o = arith.addf %b, %a : f32
    linalg.yield %o : f32
  } -> !x
  return %r : !x
}

// -----

// If rows are many, a block has all heads, and the sum is added to what was there.
// CHECK-LABEL: func.func @many
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK-NOT: extract_slice
// CHECK: %[[SUM:.*]] = cheems.mix_experts softmax silu ins(%arg0, %arg1, %arg2, %arg3, %arg3 : {{.*}}) outs(%[[ZERO]] :
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : {{.*}}) outs(%arg4 :
!x = tensor<?x64xf32>
!w = tensor<64x64xf32>
func.func @many(%x: !x, %s: tensor<?x9x4xf32>, %e: tensor<?x9x4xi32>, %table: !w, %y: !x) -> !x {
  %m = cheems.mix_experts softmax silu ins(%x, %s, %e, %table, %table : !x, tensor<?x9x4xf32>, tensor<?x9x4xi32>, !w, !w) outs(%y : !x) -> !x
  return %m : !x
}

// -----

// An op that no kernel has stays.
// CHECK-LABEL: func.func @none
// CHECK-NOT: linalg
// CHECK: cheems.mix_experts {{.*}} outs(%arg4 :
// CHECK-NOT: linalg
func.func @none(%x: tensor<?x16385xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %d: tensor<16x16385xf32>, %y: tensor<?x16385xf32>) -> tensor<?x16385xf32> {
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<?x16385xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<16x16385xf32>, tensor<16x16385xf32>)
      outs(%y : tensor<?x16385xf32>) -> tensor<?x16385xf32>
  return %0 : tensor<?x16385xf32>
}

// -----

// If rows are few, each of two blocks has a head.
// CHECK-LABEL: func.func @mix
// CHECK-COUNT-2: cheems.mix_experts
// CHECK: linalg.generic {{.*}} outs(%arg5 :
// doc: func.func(cheems-split-experts)
func.func @mix(%x: tensor<?x64xf32>, %score: tensor<?x2x4xf32>, %expert: tensor<?x2x4xi32>, %down: tensor<16x64xf32>, %up: tensor<16x64xf32>, %y: tensor<?x64xf32>)
    -> tensor<?x64xf32> attributes {cheems.most_rows = 64 : i64} {
  %0 = cheems.mix_experts softmax silu ins(%x, %score, %expert, %down, %up : tensor<?x64xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<16x64xf32>, tensor<16x64xf32>)
      outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
// doc-end
