// Heads that are neither one nor whole groups are no tile.
// RUN: cheems-opt %s --transform-interpreter --split-input-file --verify-diagnostics

func.func @half_a_group(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x1x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  // expected-error@below {{faild to tile operation}}
  // expected-error@below {{failed to generate tiling loops}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %b : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return %r#1 : tensor<4x6x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ssd = transform.structured.match ops{["cheems_cpu.ssd"]} in %root : (!transform.any_op) -> !transform.any_op
    %t:2 = transform.structured.tile_using_for %ssd tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
