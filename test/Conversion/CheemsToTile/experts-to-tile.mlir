// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse --verify-diagnostics | FileCheck %s

// Scores, retrieval and the experts' sum are one launch, a block per row and head. The matmul that makes y adds the heads' sums, and what
// comes after them.
// CHECK-LABEL: func.func @decode
// CHECK: %[[PARTS:.*]]:2 = cheems_tile.launch @experts grid[%{{.*}}, %c2, %{{.*}}] ins(%arg0, %arg4, %arg5, %arg2, %arg3 : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xf32>)
// CHECK: launch @matmul_f32 {{.*}} ins(%arg0, %arg1, %[[PARTS]]#0, %[[PARTS]]#1 : {{.*}}) outs(%arg6 :
// CHECK-NOT: launch
// CHECK-LABEL: kernel @experts({{.*}}) warps(4)
// CHECK: memref<2x2x8x8xf32> -> tensor<16x32xf32
// CHECK: math.fma
// CHECK: cheems_tile.pick {{.*}} -> tensor<4x32xf32
// CHECK: cheems_tile.reduce maximum {{.*}} tensor<4x32xi32
// CHECK: cheems_tile.reduce maximum {{.*}} tensor<4x32xi32
// CHECK: math.exp
// CHECK-COUNT-2: cheems_tile.gather %{{.*}} dims [0, 1] aligned 16 : memref<?x64xf32>
// CHECK: cheems_tile.convert_layout
// CHECK: cheems_tile.reduce add {{.*}} axis 0
#queries = affine_map<(t, p, h, d, n) -> (t, p, h, d)>
#keys = affine_map<(t, p, h, d, n) -> (p, h, d, n)>
#scores = affine_map<(t, p, h, d, n) -> (t, p, h, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
!x = tensor<?x64xf32>
!w = tensor<64x64xf32>
!g = tensor<?x2x2x8xf32>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @decode(%x: !x, %matrix: !w, %q: !g, %keys: tensor<2x2x8x8xf32>, %down: !w, %up: !w, %residual: !x) -> !x attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : !x
    %zero = arith.constant 0.0 : f32
    %x0 = tensor.empty(%rows) : !x
    %xf = linalg.fill ins(%zero : f32) outs(%x0 : !x) -> !x
    %y = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %matrix : !x, !w) outs(%xf : !x) -> !x
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
    %m = cheems.mix_experts softmax silu ins(%x, %r#0, %r#1, %down, %up : !x, tensor<?x2x4xf32>, tensor<?x2x4xi32>, !w, !w) outs(%y : !x) -> !x
    %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%m : !x) outs(%residual : !x) {
    ^bb0(%a: f32, %b: f32):
      %o = arith.addf %a, %b : f32
      linalg.yield %o : f32
    } -> !x
    return %z : !x
  }
}

// -----

// For a prompt, a block has all heads of a row, one after the other, and scores are a launch of their own. What is retrieved for others,
// too, is stored.
// CHECK-LABEL: func.func @prompt
// CHECK: %[[SCORES:.*]] = cheems_tile.launch @key_scores grid[{{.*}}, %c1, %c4]
// CHECK: %[[FOUND:.*]]:2 = cheems_tile.launch @retrieve_experts grid[%{{.*}}, %c2, %{{.*}}] ins(%[[SCORES]] :
// CHECK: launch @mix_experts grid[%{{.*}}, %c1, %c1] ins(%arg0, %arg3, %arg4, %[[FOUND]]#0, %[[FOUND]]#1 :
// CHECK: launch @elementwise {{.*}} outs(%arg5 :
// CHECK-LABEL: kernel @key_scores(
// CHECK: arith.extf
// CHECK: math.fma
// CHECK-LABEL: kernel @retrieve_experts({{.*}}) warps(4)
// CHECK: cheems_tile.store {{.*}} dims [1, 2] extents[{{.*}}] {{.*}}memref<?x2x4xi32>
// CHECK-LABEL: kernel @mix_experts({{.*}}) warps(4)
// CHECK: scf.for {{.*}} = %c0 to %c2 step %c1
#queries = affine_map<(t, p, h, d, n) -> (t, p, h, d)>
#keys = affine_map<(t, p, h, d, n) -> (p, h, d, n)>
#scores = affine_map<(t, p, h, d, n) -> (t, p, h, n)>
!x = tensor<?x64xf32>
!w = tensor<64x64xbf16>
!g = tensor<?x2x2x8xf32>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @prompt(%x: !x, %q: !g, %keys: tensor<2x2x8x8xbf16>, %down: !w, %up: !w, %y: !x, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>)
      -> (!x, tensor<?x2x4xi32>) {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : !x
    %zero = arith.constant 0.0 : f32
    %g0 = tensor.empty(%rows) : !g
    %f = linalg.fill ins(%zero : f32) outs(%g0 : !g) -> !g
    %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !g, tensor<2x2x8x8xbf16>) outs(%f : !g) {
    ^bb0(%a: f32, %b: bf16, %c: f32):
      %w = arith.extf %b : bf16 to f32
      %p = arith.mulf %a, %w : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    %r:2 = cheems.retrieve_experts ins(%g : !g) outs(%s, %e : tensor<?x2x4xf32>, tensor<?x2x4xi32>) -> tensor<?x2x4xf32>, tensor<?x2x4xi32>
    %m = cheems.mix_experts inner gelu ins(%x, %r#0, %r#1, %down, %up : !x, tensor<?x2x4xf32>, tensor<?x2x4xi32>, !w, !w) outs(%y : !x) -> !x
    return %m, %r#1 : !x, tensor<?x2x4xi32>
  }
}

// -----

// With 16-bit keys in rows of 16 bytes, tensor cores multiply both parts of the queries with them.
// CHECK-LABEL: func.func @scores
// CHECK: launch @key_scores grid[{{.*}}, %c2, %c4]
// CHECK-LABEL: kernel @key_scores({{.*}}) warps(4)
// CHECK: cheems_tile.async_copy {{.*}} dims [2, 3] to {{.*}} aligned 16 : memref<2x2x32x80xbf16>, !cheems_tile.buffer<1x32x64xbf16, swizzled>
// CHECK: arith.truncf
// CHECK: arith.subf
// CHECK: arith.truncf
// CHECK: cheems_tile.read {{.*}} transposed
// CHECK-COUNT-2: cheems_tile.mma
// CHECK-NOT: cheems_tile.mma
#queries = affine_map<(t, p, h, d, n) -> (t, p, h, d)>
#keys = affine_map<(t, p, h, d, n) -> (p, h, d, n)>
#scores = affine_map<(t, p, h, d, n) -> (t, p, h, n)>
!q = tensor<?x2x2x32xf32>
!g = tensor<?x2x2x80xf32>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @scores(%q: !q, %keys: tensor<2x2x32x80xbf16>, %out: !g) -> !g {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%out : !g) -> !g
    %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
        ins(%q, %keys : !q, tensor<2x2x32x80xbf16>) outs(%f : !g) {
    ^bb0(%a: f32, %b: bf16, %c: f32):
      %w = arith.extf %b : bf16 to f32
      %p = arith.mulf %a, %w : f32
      %o = arith.addf %c, %p : f32
      linalg.yield %o : f32
    } -> !g
    return %g : !g
  }
}

// -----

// A norm that matmuls read rounded, and experts as it is, is stored both ways by one launch.
// CHECK-LABEL: func.func @both
// CHECK: %[[BOTH:.*]]:2 = cheems_tile.launch @rms_norm {{.*}} ins(%arg0, %arg1 : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xbf16>)
// CHECK-NOT: launch
// CHECK: %[[SUM:.*]] = cheems_tile.launch @mix_experts {{.*}} ins(%[[BOTH]]#0,
// CHECK: launch @elementwise {{.*}} ins(%[[SUM]] :
// CHECK: return %{{.*}}, %[[BOTH]]#1
#all = affine_map<(t, n) -> (t, n)>
!x = tensor<?x64xf32>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @both(%x: !x, %w: tensor<64xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %t: tensor<16x64xf32>, %y: !x, %n: !x, %r: tensor<?x64xbf16>)
      -> (!x, tensor<?x64xbf16>) {
    %normed = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : !x, tensor<64xf32>) outs(%n : !x) -> !x
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%normed : !x) outs(%r : tensor<?x64xbf16>) {
    ^bb0(%p: f32, %q: bf16):
      %1 = arith.truncf %p : f32 to bf16
      linalg.yield %1 : bf16
    } -> tensor<?x64xbf16>
    %0 = cheems.mix_experts softmax silu ins(%normed, %s, %e, %t, %t : !x, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<16x64xf32>, tensor<16x64xf32>)
        outs(%y : !x) -> !x
    return %0, %rounded : !x, tensor<?x64xbf16>
  }
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @keys(%g: tensor<?x2x1x8193xf32>, %s: tensor<?x1x8xf32>, %e: tensor<?x1x8xi32>) -> tensor<?x1x8xi32> {
    // expected-error@below {{has more than 8192 keys per half: GPUs have no kernel for it yet; compile for cpu}}
    %0:2 = cheems.retrieve_experts ins(%g : tensor<?x2x1x8193xf32>) outs(%s, %e : tensor<?x1x8xf32>, tensor<?x1x8xi32>) -> tensor<?x1x8xf32>, tensor<?x1x8xi32>
    return %0#1 : tensor<?x1x8xi32>
  }
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @pairs(%g: tensor<?x2x1x200xf32>, %s: tensor<?x1x129xf32>, %e: tensor<?x1x129xi32>) -> tensor<?x1x129xi32> {
    // expected-error@below {{makes pairs of more than 128 keys per half: GPUs have no kernel for it yet; compile for cpu}}
    %0:2 = cheems.retrieve_experts ins(%g : tensor<?x2x1x200xf32>) outs(%s, %e : tensor<?x1x129xf32>, tensor<?x1x129xi32>) -> tensor<?x1x129xf32>, tensor<?x1x129xi32>
    return %0#1 : tensor<?x1x129xi32>
  }
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @columns(%x: tensor<?x16385xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %d: tensor<16x16385xf32>, %y: tensor<?x16385xf32>) -> tensor<?x16385xf32> {
    // expected-error@below {{has rows of more than 16384 numbers: GPUs have no kernel for it yet; compile for cpu}}
    %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<?x16385xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<16x16385xf32>, tensor<16x16385xf32>)
        outs(%y : tensor<?x16385xf32>) -> tensor<?x16385xf32>
    return %0 : tensor<?x16385xf32>
  }
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @many(%x: tensor<?x8xf32>, %s: tensor<?x1x16385xf32>, %e: tensor<?x1x16385xi32>, %d: tensor<16x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
    // expected-error@below {{adds more than 16384 experts of a head: GPUs have no kernel for it yet; compile for cpu}}
    %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<?x8xf32>, tensor<?x1x16385xf32>, tensor<?x1x16385xi32>, tensor<16x8xf32>, tensor<16x8xf32>)
        outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
}

// -----

// Quantized tables: rows are widened exactly, and the scales of their experts are two further numbers each.
// CHECK-LABEL: cheems_tile.kernel @mix_experts(%arg0: memref<?x8xf32>, %arg1: memref<?x8xi8>, %arg2: memref<?x8xi8>, %arg3: memref<?x1xf32>, %arg4: memref<?x1xf32>,
// CHECK: %[[IDS:.*]] = cheems_tile.pick
// CHECK: %[[DOWN:.*]] = cheems_tile.gather %arg1[%c0, %c0] rows %[[IDS]]
// CHECK: %[[UP:.*]] = cheems_tile.gather %arg2[%c0, %c0] rows %[[IDS]]
// CHECK: arith.sitofp %[[DOWN]]
// CHECK: %[[HIT:.*]] = cheems_tile.reduce add
// CHECK: %[[SCALE:.*]] = cheems_tile.gather %arg3[%c0, %c0] rows %[[IDS]] dims [0] : memref<?x1xf32>
// CHECK: arith.mulf %[[HIT]], %[[SCALE]]
// CHECK: cheems_tile.gather %arg4[%c0, %c0] rows %[[IDS]] dims [0]
// CHECK: arith.sitofp %[[UP]]
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @codes(%x: tensor<?x8xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %d: tensor<16x8xi8>, %column: tensor<16x1xf32>) -> tensor<?x8xf32> {
    %scales = tensor.extract_slice %column[0, 0] [16, 1] [1, 1] : tensor<16x1xf32> to tensor<16xf32>
    %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<?x8xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<16x8xi8>, tensor<16x8xi8>)
        scales(%scales, %scales : tensor<16xf32>, tensor<16xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
}

// -----

// 119 of 1,024 pairs of keys are ranked, and all of them in no turn or one. The rows of experts are fetched before their use, all of them
// by a block that may be alone.
// CHECK-LABEL: cheems_tile.kernel @experts(
// CHECK-DAG: cheems_tile.alloc : !cheems_tile.buffer<6x4x768xbf16>
// CHECK-DAG: cheems_tile.alloc : !cheems_tile.buffer<6x4x768xbf16>
// CHECK: arith.addf {{.*}} : tensor<4x128xf32
// CHECK: %[[MOST:.*]] = cheems_tile.reduce maximum {{.*}} : tensor<1x128xi32, {{.*}}> -> tensor<1xi32
// CHECK: %[[TIE:.*]] = tensor.extract %[[MOST]]
// CHECK: %[[TURNS:.*]] = arith.index_cast %[[TIE]] : i32 to index
// CHECK: scf.for {{.*}} to %[[TURNS]]
// CHECK: arith.addf {{.*}} : tensor<1x1024xf32
// CHECK: scf.for {{.*}} to %c5
// CHECK-COUNT-2: cheems_tile.fetch_rows {{.*}} dims [0, 1] to {{.*}} aligned 16 : memref<?x768xbf16>
// CHECK: cheems_tile.commit
// CHECK: scf.for {{.*}} to %c8
// CHECK: scf.if
// CHECK-COUNT-2: cheems_tile.fetch_rows
// CHECK: cheems_tile.commit
// CHECK: cheems_tile.wait pending 5
// CHECK-NOT: cheems_tile.barrier
// CHECK-COUNT-2: cheems_tile.read {{.*}} -> tensor<4x768xbf16
!x = tensor<?x768xf32>
!w = tensor<1024x768xbf16>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @ahead(%x: !x, %g: tensor<?x2x1x32xf32>, %s: tensor<?x1x32xf32>, %e: tensor<?x1x32xi32>, %down: !w, %up: !w, %y: !x) -> !x
      attributes {cheems.most_rows = 64 : i64} {
    %r:2 = cheems.retrieve_experts ins(%g : tensor<?x2x1x32xf32>) outs(%s, %e : tensor<?x1x32xf32>, tensor<?x1x32xi32>)
        -> tensor<?x1x32xf32>, tensor<?x1x32xi32>
    %m = cheems.mix_experts softmax silu ins(%x, %r#0, %r#1, %down, %up : !x, tensor<?x1x32xf32>, tensor<?x1x32xi32>, !w, !w) outs(%y : !x) -> !x
    return %m : !x
  }
}

// -----

// Known experts of one head: one sum, which is added to what was there.
// CHECK-LABEL: func.func @mix
// CHECK: launch @mix_experts grid[%{{.*}}, %c1, %c1]
// CHECK: launch @elementwise
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @mix(%x: tensor<?x64xf32>, %score: tensor<?x1x4xf32>, %expert: tensor<?x1x4xi32>, %down: tensor<16x64xf32>, %up: tensor<16x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %0 = cheems.mix_experts softmax silu ins(%x, %score, %expert, %down, %up : tensor<?x64xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<16x64xf32>, tensor<16x64xf32>)
        outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
}
