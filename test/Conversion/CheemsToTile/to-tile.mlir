// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse --verify-diagnostics | FileCheck %s

// A residual, its norm and the rounding after it are one kernel. The residual is updated in place.
// CHECK-LABEL: func.func @normalize
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui
// CHECK: %[[BOTH:.*]]:2 = cheems_tile.launch @rms_norm grid[%[[BLOCKS]], %{{.*}}, %{{.*}}] ins(%arg1, %arg2 : {{.*}}) outs(%arg0, %{{.*}} :
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
// CHECK-LABEL: cheems_tile.kernel @rms_norm(%arg0: memref<?x128xf32>, %arg1: memref<128xf32>, %arg2: memref<?x128xf32>, %arg3: memref<?x128xbf16>) warps(4)
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: cheems_tile.store %[[SUM]], %arg2
// CHECK: cheems_tile.reduce add
// CHECK: math.rsqrt
// CHECK: arith.truncf
// CHECK: cheems_tile.store %{{.*}}, %arg3
// CHECK: cheems_tile.return
// doc: cheems-form-groups,cheems-select-gpu-strategy,cheems-to-tile,canonicalize,cse
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @normalize(%x: tensor<?x128xf32>, %y: tensor<?x128xf32>, %w: tensor<128xf32>, %n: tensor<?x128xf32>, %r: tensor<?x128xbf16>)
      -> (tensor<?x128xf32>, tensor<?x128xbf16>) {
    %sum = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%y : tensor<?x128xf32>) outs(%x : tensor<?x128xf32>) {
    ^bb0(%p: f32, %q: f32):
      %1 = arith.addf %p, %q : f32
      linalg.yield %1 : f32
    } -> tensor<?x128xf32>
    %normed = cheems.rms_norm epsilon 1.0e-06 ins(%sum, %w : tensor<?x128xf32>, tensor<128xf32>)
        outs(%n : tensor<?x128xf32>) -> tensor<?x128xf32>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%normed : tensor<?x128xf32>) outs(%r : tensor<?x128xbf16>) {
    ^bb0(%p: f32, %q: bf16):
      %1 = arith.truncf %p : f32 to bf16
      linalg.yield %1 : bf16
    } -> tensor<?x128xbf16>
    return %sum, %rounded : tensor<?x128xf32>, tensor<?x128xbf16>
  }
}
// doc-end

// -----

// Two norms of one length are one kernel; one of another length is another. Heads are rows.
// CHECK-LABEL: func.func @same
// CHECK-COUNT-2: cheems_tile.launch @rms_norm grid
// CHECK: tensor.collapse_shape
// CHECK: cheems_tile.launch @rms_norm_1 grid
// CHECK: tensor.expand_shape
// CHECK: kernel @rms_norm(
// CHECK: kernel @rms_norm_1(
// CHECK-NOT: kernel
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @same(%x: tensor<?x128xf32>, %h: tensor<?x4x32xf32>, %w: tensor<128xf32>, %v: tensor<32xf32>, %e: tensor<?x128xf32>, %f: tensor<?x4x32xf32>)
      -> (tensor<?x128xf32>, tensor<?x4x32xf32>) {
    %a = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
    %b = cheems.rms_norm epsilon 1.0e-06 ins(%a, %w : tensor<?x128xf32>, tensor<128xf32>) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
    %c = cheems.rms_norm epsilon 1.0e-06 ins(%h, %v : tensor<?x4x32xf32>, tensor<32xf32>) outs(%f : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    return %b, %c : tensor<?x128xf32>, tensor<?x4x32xf32>
  }
}

// -----

// The residual is read between it and the norm: each has a kernel.
// CHECK-LABEL: func.func @between
// CHECK: launch @elementwise
// CHECK: launch @gather_rows
// CHECK: launch @rms_norm
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @between(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>, %w: tensor<128xf32>, %ids: tensor<?xi32>, %e: tensor<8x128xf32>, %g: tensor<?x128xf32>)
      -> (tensor<8x128xf32>, tensor<?x128xf32>) {
    %sum = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x128xf32>) outs(%x : tensor<8x128xf32>) {
    ^bb0(%p: f32, %q: f32):
      %1 = arith.addf %p, %q : f32
      linalg.yield %1 : f32
    } -> tensor<8x128xf32>
    %rows = cheems.gather_rows ins(%sum, %ids : tensor<8x128xf32>, tensor<?xi32>) outs(%g : tensor<?x128xf32>) -> tensor<?x128xf32>
    %n = cheems.rms_norm epsilon 1.0e-06 ins(%sum, %w : tensor<8x128xf32>, tensor<128xf32>) outs(%e : tensor<8x128xf32>) -> tensor<8x128xf32>
    return %n, %rows : tensor<8x128xf32>, tensor<?x128xf32>
  }
}

// -----

// expected-error@+1 {{has no #cheems_tile.target as cheems.target}}
module {
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @no_columns(%x: tensor<?x0xf32>, %a: tensor<0xf32>, %y: tensor<?x0xf32>) -> tensor<?x0xf32> {
    // expected-error@below {{is on a tensor with an extent of 0: GPUs have no kernel for it; compile for cpu}}
    %m = cheems.dynamic_mask ins(%x, %a : tensor<?x0xf32>, tensor<0xf32>) outs(%y : tensor<?x0xf32>) -> tensor<?x0xf32>
    return %m : tensor<?x0xf32>
  }
}

// -----

// A body may yield a constant from outside.
// CHECK-LABEL: func.func @constant
// CHECK: launch @elementwise
// CHECK: kernel @elementwise
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00>
// CHECK: cheems_tile.store %[[TWO]]
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @constant(%x: tensor<?x128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
    %two = arith.constant 2.0 : f32
    %all = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%y : tensor<?x128xf32>) outs(%x : tensor<?x128xf32>) {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %two : f32
    } -> tensor<?x128xf32>
    return %all : tensor<?x128xf32>
  }
}
