// RUN: cheems-opt %s --split-input-file --cheems-group-rows --verify-diagnostics | FileCheck %s

// A norm stands where the last of its ops was. What is read after it is a result.
// CHECK-LABEL: func.func @normalize
// CHECK-NEXT: %[[BOTH:.*]]:2 = cheems_tile.group norm -> tensor<?x128xf32>, tensor<?x128xbf16> {
// CHECK-NEXT: linalg.generic
// CHECK: cheems.rms_norm
// CHECK: linalg.generic
// CHECK: cheems_tile.group_yield
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
// doc: cheems-group-rows
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

// A rotation of heads has the norm before it. Tables of the same positions stand together.
// CHECK-LABEL: func.func @rotate
// CHECK: cheems_tile.group rotary_tables
// CHECK-COUNT-2: cheems.rotary_table
// CHECK: cheems_tile.group rotary ->
// CHECK-NEXT: cheems.rms_norm
// CHECK-NEXT: cheems.rotary
// CHECK: cheems_tile.group elementwise ->
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @rotate(%h: tensor<?x4x32xf32>, %g: tensor<32xf32>, %n: tensor<?x4x32xf32>, %position: tensor<?xi32>, %length: tensor<?xi32>, %c: tensor<?x16xf32>, %x: tensor<?x128xf32>)
      -> (tensor<?x4x32xf32>, tensor<?x8xf32>, tensor<?x128xf32>) {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %position, %c0 : tensor<?xi32>
    %a:2 = cheems.rotary_table theta 1.0e+04 ins(%position, %length : tensor<?xi32>, tensor<?xi32>) outs(%c, %c : tensor<?x16xf32>, tensor<?x16xf32>)
        -> tensor<?x16xf32>, tensor<?x16xf32>
    %0 = cheems.rms_norm epsilon 1.0e-06 ins(%h, %g : tensor<?x4x32xf32>, tensor<32xf32>) outs(%n : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    %1 = cheems.rotary ins(%0, %a#0, %a#1 : tensor<?x4x32xf32>, tensor<?x16xf32>, tensor<?x16xf32>) outs(%n : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    %e = tensor.empty(%rows) : tensor<?x8xf32>
    %b:2 = cheems.rotary_table theta 1.0e+04 ins(%position, %length : tensor<?xi32>, tensor<?xi32>) outs(%e, %e : tensor<?x8xf32>, tensor<?x8xf32>)
        -> tensor<?x8xf32>, tensor<?x8xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<?x128xf32>) {
    ^bb0(%out: f32):
      %3 = arith.addf %out, %out : f32
      linalg.yield %3 : f32
    } -> tensor<?x128xf32>
    return %1, %b#0, %2 : tensor<?x4x32xf32>, tensor<?x8xf32>, tensor<?x128xf32>
  }
}

// -----

// A rotation of a part of each head leaves the norm alone.
// CHECK-LABEL: func.func @in_part
// CHECK: cheems_tile.group norm ->
// CHECK-NEXT: cheems.rms_norm
// CHECK: cheems_tile.group rotary ->
// CHECK-NEXT: cheems.rotary
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @in_part(%h: tensor<?x4x32xf32>, %g: tensor<32xf32>, %n: tensor<?x4x32xf32>, %c: tensor<?x8xf32>, %s: tensor<?x8xf32>) -> tensor<?x4x32xf32> {
    %0 = cheems.rms_norm epsilon 1.0e-06 ins(%h, %g : tensor<?x4x32xf32>, tensor<32xf32>) outs(%n : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    %1 = cheems.rotary ins(%0, %c, %s : tensor<?x4x32xf32>, tensor<?x8xf32>, tensor<?x8xf32>) outs(%n : tensor<?x4x32xf32>) -> tensor<?x4x32xf32>
    return %1 : tensor<?x4x32xf32>
  }
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @none(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
    // expected-error@below {{is of a kind or shape that is left: GPUs have no kernel for it yet; compile for cpu}}
    %0 = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}
