// Attention over quantized values: a tile of rows takes all scales, a split of entries its own.
// RUN: cheems-opt %s --transform-interpreter --canonicalize --cse | FileCheck %s --check-prefix=ROWS
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-tile-keys))' | FileCheck %s --check-prefix=KEYS

// ROWS-LABEL: @attention
// ROWS: scf.for
// ROWS: cheems_cpu.dynamic_mask_attention bias scale 5.000000e-01 allow_bf16 {{.*}}ins({{.*}}) scales(%arg4, %arg5 : tensor<1x?xf32>, tensor<1x?xf32>) outs(

// KEYS-LABEL: @attention
// KEYS: scf.for
// KEYS: scf.for %[[FROM:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// KEYS-DAG: %[[K:.*]] = tensor.extract_slice %arg4[0, %[[FROM]]]
// KEYS-DAG: %[[V:.*]] = tensor.extract_slice %arg5[0, %[[FROM]]]
// KEYS: cheems_cpu.online_attention bias scale 5.000000e-01 allow_bf16 ins({{.*}}) scales(%[[K]], %[[V]] : tensor<1x?xf32>, tensor<1x?xf32>) outs(
func.func @attention(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xi8>, %mask: tensor<1x?xf32>, %first: index, %ks: tensor<1x?xf32>, %vs: tensor<1x?xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 allow_bf16 {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 4, keys = 8>} ins(%q, %k, %k, %mask, %first : tensor<?x2x8xf32>, tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<1x?xf32>, index) scales(%ks, %vs : tensor<1x?xf32>, tensor<1x?xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["cheems_cpu.dynamic_mask_attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %a:2 = transform.structured.tile_using_for %attention tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
