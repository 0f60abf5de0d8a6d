// Panels that may cut a head are no tile.
// RUN: cheems-opt %s --transform-interpreter --split-input-file --verify-diagnostics

func.func @half_a_head(%c: tensor<?x16xf32>, %s: tensor<?x16xf32>, %y: tensor<?x96xf32>) -> tensor<?x96xf32> {
  // expected-error@below {{faild to tile operation}}
  // expected-error@below {{failed to generate tiling loops}}
  %r = cheems_cpu.column_epilogue rotated 64 angles(%c, %s : tensor<?x16xf32>, tensor<?x16xf32>) outs(%y : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %finish = transform.structured.match ops{["cheems_cpu.column_epilogue"]} in %root : (!transform.any_op) -> !transform.any_op
    %t:2 = transform.structured.tile_using_for %finish tile_sizes [0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A head and a half, then less.
func.func @half_a_head_more(%c: tensor<?x16xf32>, %s: tensor<?x16xf32>, %y: tensor<?x80xf32>) -> tensor<?x80xf32> {
  // expected-error@below {{faild to tile operation}}
  // expected-error@below {{failed to generate tiling loops}}
  %r = cheems_cpu.column_epilogue rotated 64 angles(%c, %s : tensor<?x16xf32>, tensor<?x16xf32>) outs(%y : tensor<?x80xf32>) -> tensor<?x80xf32>
  return %r : tensor<?x80xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %finish = transform.structured.match ops{["cheems_cpu.column_epilogue"]} in %root : (!transform.any_op) -> !transform.any_op
    %t:2 = transform.structured.tile_using_for %finish tile_sizes [0, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
