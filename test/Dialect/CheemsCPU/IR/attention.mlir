// dynamic_mask_attention prints as it parses: every kind, with and without seen and kept keys.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @bias
// CHECK: cheems_cpu.dynamic_mask_attention bias scale 1.250000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, tensor<1x?xf32>, index) outs(%{{.*}} : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
func.func @bias(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %v: tensor<2x?x8xbf16>, %m: tensor<1x?xf32>, %first: index, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.125 ins(%q, %k, %v, %m, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, tensor<1x?xf32>, index) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}

// CHECK-LABEL: @kept
// CHECK: cheems_cpu.dynamic_mask_attention bias scale 1.250000e-01 ins({{.*}}) kept(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%{{.*}} : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
func.func @kept(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %first: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %y: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.125 ins(%q, %k, %k, %m, %first : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%y : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %r : tensor<3x4x8xf32>
}

// CHECK-LABEL: @seen
// CHECK: cheems_cpu.dynamic_mask_attention threshold scale 1.250000e-01 hide_below 5.000000e-01 ins({{.*}}) seen(%{{.*}} : tensor<?xi32>) outs(%{{.*}} : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
func.func @seen(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %m: tensor<2x?xf32>, %first: index, %s: tensor<?xi32>, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.125 hide_below 0.5 ins(%q, %k, %k, %m, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, tensor<2x?xf32>, index) seen(%s : tensor<?xi32>) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}

// CHECK-LABEL: @buffers
// CHECK: cheems_cpu.dynamic_mask_attention threshold scale 5.000000e-01 hide_below 1.000000e+00 ins({{.*}}) outs(%{{.*}} : memref<3x4x8xf32>){{$}}
// CHECK: cheems_cpu.dynamic_mask_attention scale scale 5.000000e-01 ins({{.*}}) outs(%{{.*}} : memref<3x4x8xf32>){{$}}
func.func @buffers(%q: memref<3x4x8xf32>, %k: memref<2x9x8xf32>, %m: memref<2x9xf32>, %first: index, %y: memref<3x4x8xf32>) {
  cheems_cpu.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 ins(%q, %k, %k, %m, %first : memref<3x4x8xf32>, memref<2x9x8xf32>, memref<2x9x8xf32>, memref<2x9xf32>, index) outs(%y : memref<3x4x8xf32>)
  cheems_cpu.dynamic_mask_attention scale scale 0.5 ins(%q, %k, %k, %m, %first : memref<3x4x8xf32>, memref<2x9x8xf32>, memref<2x9x8xf32>, memref<2x9xf32>, index) outs(%y : memref<3x4x8xf32>)
  return
}

// CHECK-LABEL: @none
// CHECK: cheems_cpu.dynamic_mask_attention none scale 1.250000e-01 ins(%arg0, %arg1, %arg2, %arg3 : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index) outs(%arg4 : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
func.func @none(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %v: tensor<2x?x8xbf16>, %first: index, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention none scale 0.125 ins(%q, %k, %v, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}

// CHECK-LABEL: @window
// CHECK: cheems_cpu.dynamic_mask_attention none scale 1.250000e-01 window 4096 ins(
// CHECK: cheems_cpu.dynamic_mask_attention none scale 1.250000e-01 window 1 allow_bf16 ins({{.*}}) scales(
func.func @window(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %c: tensor<2x?x8xi8>, %s: tensor<2x?xf32>, %first: index, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %a = cheems_cpu.dynamic_mask_attention none scale 0.125 window 4096 ins(%q, %k, %k, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  %r = cheems_cpu.dynamic_mask_attention none scale 0.125 window 1 allow_bf16 ins(%a, %c, %c, %first : tensor<?x4x8xf32>, tensor<2x?x8xi8>, tensor<2x?x8xi8>, index) scales(%s, %s : tensor<2x?xf32>, tensor<2x?xf32>) outs(%y : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %r : tensor<?x4x8xf32>
}
