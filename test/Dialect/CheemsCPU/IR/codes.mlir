// Ops on keys and values that are quantized print as they parse.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @attention
// CHECK: cheems_cpu.dynamic_mask_attention threshold scale 5.000000e-01 hide_below 1.000000e+00 allow_bf16 ins({{.*}}) seen(%{{.*}} : tensor<?xi32>) scales(%{{.*}}, %{{.*}} : tensor<2x?xf32>, tensor<2x?xf32>) outs(
func.func @attention(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xi8>, %m: tensor<1x?xf32>, %first: index, %seen: tensor<?xi32>, %s: tensor<2x?xf32>, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 allow_bf16 ins(%q, %k, %k, %m, %first : tensor<?x4x8xf32>, tensor<2x?x8xi8>, tensor<2x?x8xi8>, tensor<1x?xf32>, index) seen(%seen : tensor<?xi32>) scales(%s, %s : tensor<2x?xf32>, tensor<2x?xf32>) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}

// CHECK-LABEL: @online
// CHECK: cheems_cpu.online_attention bias scale 5.000000e-01 ins({{.*}}) kept(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x?xi32>, tensor<?x1xf32>, tensor<?x1xi32>) scales(%{{.*}}, %{{.*}} : tensor<2x?xf32>, tensor<2x?xf32>) outs(
func.func @online(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xi8>, %m: tensor<1x?xf32>, %n: index, %p: tensor<1x?xi32>, %t: tensor<?x1xf32>, %l: tensor<?x1xi32>, %s: tensor<2x?xf32>, %h: tensor<?x4xf32>, %i: tensor<?x4xf32>, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %m, %n, %n : tensor<?x4x8xf32>, tensor<2x?x8xi8>, tensor<2x?x8xi8>, tensor<1x?xf32>, index, index) kept(%p, %t, %l : tensor<1x?xi32>, tensor<?x1xf32>, tensor<?x1xi32>) scales(%s, %s : tensor<2x?xf32>, tensor<2x?xf32>) outs(%h, %i, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>
  return %r#2 : tensor<?x4x8xf32>
}

// CHECK-LABEL: @update
// CHECK: %{{.*}}:6 = cheems_cpu.keep_update keep 4 ins({{.*}}) outs({{.*}}) scales(%{{.*}}, %{{.*}} : tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, tensor<1x9xi32>, tensor<1x9xf32>, tensor<1x9xf32>
func.func @update(%t: tensor<1xf32>, %l: tensor<1xi32>, %n: index, %k: tensor<1x9x8xi8>, %v: tensor<1x9x8xi8>, %m: tensor<1x9xf32>, %p: tensor<1x9xi32>, %ks: tensor<1x9xf32>, %vs: tensor<1x9xf32>) -> tensor<1x9xf32> {
  %r:6 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<1xf32>, tensor<1xi32>, index, index) outs(%k, %v, %m, %p : tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, tensor<1x9xi32>) scales(%ks, %vs : tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, tensor<1x9xi32>, tensor<1x9xf32>, tensor<1x9xf32>
  return %r#5 : tensor<1x9xf32>
}

// CHECK-LABEL: @append
// CHECK: %{{.*}}:6 = cheems_cpu.append_visible hide_below 5.000000e-01 ins({{.*}}) outs({{.*}}) scales(%{{.*}}, %{{.*}} : tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<2x?xf32>, tensor<?xi32>, tensor<1x?xf32>, tensor<1x?xf32>
func.func @append(%key: tensor<?x8xf32>, %mask: tensor<?x2xf32>, %n: index, %k: tensor<1x?x8xi8>, %v: tensor<1x?x8xi8>, %m: tensor<2x?xf32>, %seen: tensor<?xi32>, %ks: tensor<1x?xf32>, %vs: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %u:6 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x2xf32>, index) outs(%k, %v, %m, %seen : tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<2x?xf32>, tensor<?xi32>) scales(%ks, %vs : tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<2x?xf32>, tensor<?xi32>, tensor<1x?xf32>, tensor<1x?xf32>
  return %u#4 : tensor<1x?xf32>
}

// CHECK-LABEL: @quantize
// CHECK: %{{.*}}:2 = cheems.quantize_entries ins(%{{.*}} : tensor<?x64xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x64xi8>, tensor<?xf32>) -> tensor<?x64xi8>, tensor<?xf32>
// CHECK: cheems.quantize_entries ins(%{{.*}} : memref<3x8xf32>) outs(%{{.*}}, %{{.*}} : memref<3x8xi8>, memref<3xf32>){{$}}
func.func @quantize(%x: tensor<?x64xf32>, %c: tensor<?x64xi8>, %s: tensor<?xf32>, %xb: memref<3x8xf32>, %cb: memref<3x8xi8>, %sb: memref<3xf32>) -> tensor<?xf32> {
  %r:2 = cheems.quantize_entries ins(%x : tensor<?x64xf32>) outs(%c, %s : tensor<?x64xi8>, tensor<?xf32>) -> tensor<?x64xi8>, tensor<?xf32>
  cheems.quantize_entries ins(%xb : memref<3x8xf32>) outs(%cb, %sb : memref<3x8xi8>, memref<3xf32>)
  return %r#1 : tensor<?xf32>
}
