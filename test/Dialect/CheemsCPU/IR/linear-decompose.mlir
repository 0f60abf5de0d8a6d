// linear as contractions with the panels and one elementwise op; the kernels' unit tests check what it computes.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose{kernels=true}))' | FileCheck %s --check-prefix=KERNELS

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d2, d4)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>

// Rows of the last panel past N are left out.
// CHECK-LABEL: @plain
// CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<?x8xf32> into tensor<?x4x2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: tensor.collapse_shape %{{.*}} into tensor<?x32xf32>
// CHECK: %[[SUMS:.*]] = tensor.extract_slice %{{.*}}[0, 0] [%{{.*}}, 20] [1, 1]
// CHECK: linalg.copy ins(%[[SUMS]] : tensor<?x20xf32>) outs(%arg2 : tensor<?x20xf32>)
// CHECK-NOT: cheems.
// KERNELS-LABEL: @plain
// KERNELS: cheems_cpu.linear
func.func @plain(%x: tensor<?x8xf32>, %w: tensor<2x4x16x2xbf16>, %y: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x4x16x2xbf16>) outs(%y : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

// CHECK-LABEL: @gated
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1 :
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg2 :
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %arg3, %arg4 : tensor<?x16xf32>, tensor<?x16xf32>, tensor<16xf32>, tensor<?x16xf32>) outs(%arg5
// CHECK: ^bb0(%[[G:.*]]: f32, %[[U:.*]]: f32, %[[B:.*]]: f32, %[[R:.*]]: f32, %{{.*}}: f32):
// CHECK: arith.addf %[[G]], %[[B]]
// CHECK: arith.mulf %{{.*}}, %[[U]]
// CHECK: arith.addf %{{.*}}, %[[R]]
// CHECK: linalg.yield
// CHECK-NOT: cheems.
func.func @gated(%x: tensor<?x3xf32>, %g: tensor<1x3x16x1xf32>, %u: tensor<1x3x16x1xf32>, %b: tensor<16xf32>, %h: tensor<?x16xf32>, %y: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x3xf32>) weights(%g, %u : tensor<1x3x16x1xf32>, tensor<1x3x16x1xf32>) with(%b, %h : tensor<16xf32>, tensor<?x16xf32>) outs(%y : tensor<?x16xf32>) {
  ^bb0(%gate: f32, %up: f32, %bias: f32, %before: f32):
    %0 = arith.addf %gate, %bias : f32
    %1 = arith.mulf %0, %up : f32
    %2 = arith.addf %1, %before : f32
    cheems_cpu.yield %2 : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Sums of quantized values are integers: the row's greatest magnitude, its quantized values, their matmuls per group, the chain over
// groups, the row's scale.
// CHECK-LABEL: @codes
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0
// CHECK: math.absf
// CHECK: arith.maximumf
// CHECK: math.roundeven
// CHECK: arith.fptosi
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.shrui
// CHECK: arith.subi
// CHECK: arith.muli
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: arith.sitofp
// CHECK: math.fma
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK: arith.mulf
// CHECK: linalg.copy
// CHECK-NOT: cheems.
func.func @codes(%x: tensor<?x128xf32>, %w: tensor<2x16x16x4xi8>, %s: tensor<2x2x16xbf16>, %y: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x128xf32>) weights(%w : tensor<2x16x16x4xi8>) bits 4 scales(%s : tensor<2x2x16xbf16>) outs(%y : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}
