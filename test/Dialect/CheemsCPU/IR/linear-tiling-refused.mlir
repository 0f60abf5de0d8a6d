// Columns that begin inside a panel are no tile of a matmul: it stays whole, before the loop of what reads it.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s

#all = affine_map<(t, n) -> (t, n)>

// CHECK-LABEL: @half_a_panel
// CHECK: %[[SUMS:.*]] = cheems_cpu.linear ins(%arg0 : tensor<7x8xf32>) weights(%arg1 : tensor<2x8x16x1xf32>)
// CHECK: scf.for
// CHECK-NOT: cheems_cpu.linear
// CHECK: tensor.extract_slice %[[SUMS]]
// CHECK: linalg.generic
func.func @half_a_panel(%x: tensor<7x8xf32>, %w: tensor<2x8x16x1xf32>, %y: tensor<7x32xf32>, %e: tensor<7x32xf32>) -> tensor<7x32xf32> {
  %p = cheems_cpu.linear ins(%x : tensor<7x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%y : tensor<7x32xf32>) -> tensor<7x32xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<7x32xf32>) outs(%e : tensor<7x32xf32>) {
  ^bb0(%q: f32, %o: f32):
    %0 = arith.negf %q : f32
    linalg.yield %0 : f32
  } -> tensor<7x32xf32>
  return %r : tensor<7x32xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generic = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %t:2 = transform.structured.fuse %generic tile_sizes [0, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
