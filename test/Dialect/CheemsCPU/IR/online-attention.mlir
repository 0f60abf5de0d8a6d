// online_attention prints as it parses: every kind, with and without seen and kept keys; so does merge_attention.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @bias
// CHECK: %{{.*}}:3 = cheems_cpu.online_attention bias scale 1.250000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, tensor<1x?xf32>, index, index) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>
func.func @bias(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %v: tensor<2x?x8xbf16>, %mask: tensor<1x?xf32>, %first: index, %from: index, %m: tensor<?x4xf32>, %s: tensor<?x4xf32>, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r:3 = cheems_cpu.online_attention bias scale 0.125 ins(%q, %k, %v, %mask, %first, %from : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, tensor<1x?xf32>, index, index) outs(%m, %s, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>
  return %r#2 : tensor<?x4x8xf32>
}

// CHECK-LABEL: @kept
// CHECK: cheems_cpu.online_attention bias scale 1.250000e-01 ins({{.*}}) kept(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs({{.*}})
func.func @kept(%q: tensor<3x4x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<2x9xf32>, %first: index, %p: tensor<2x9xi32>, %t: tensor<3x2xf32>, %l: tensor<3x2xi32>, %m: tensor<3x4xf32>, %s: tensor<3x4xf32>, %y: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %r:3 = cheems_cpu.online_attention bias scale 0.125 ins(%q, %k, %k, %mask, %first, %first : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) kept(%p, %t, %l : tensor<2x9xi32>, tensor<3x2xf32>, tensor<3x2xi32>) outs(%m, %s, %y : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return %r#2 : tensor<3x4x8xf32>
}

// CHECK-LABEL: @buffers
// CHECK: cheems_cpu.online_attention threshold scale 5.000000e-01 hide_below 1.000000e+00 ins({{.*}}) seen(%{{.*}} : memref<3xi32>) outs(%{{.*}}, %{{.*}}, %{{.*}} : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>){{$}}
// CHECK: cheems_cpu.online_attention scale scale 5.000000e-01 ins({{.*}}) outs({{.*}} : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>){{$}}
func.func @buffers(%q: memref<3x4x8xf32>, %k: memref<2x9x8xf32>, %mask: memref<2x9xf32>, %first: index, %seen: memref<3xi32>, %m: memref<3x4xf32>, %s: memref<3x4xf32>, %y: memref<3x4x8xf32>) {
  cheems_cpu.online_attention threshold scale 0.5 hide_below 1.0 ins(%q, %k, %k, %mask, %first, %first : memref<3x4x8xf32>, memref<2x9x8xf32>, memref<2x9x8xf32>, memref<2x9xf32>, index, index) seen(%seen : memref<3xi32>) outs(%m, %s, %y : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>)
  cheems_cpu.online_attention scale scale 0.5 ins(%q, %k, %k, %mask, %first, %first : memref<3x4x8xf32>, memref<2x9x8xf32>, memref<2x9x8xf32>, memref<2x9xf32>, index, index) outs(%m, %s, %y : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>)
  return
}

// CHECK-LABEL: @merged
// CHECK: cheems_cpu.merge_attention ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>) outs(%{{.*}}, %{{.*}}, %{{.*}} : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>){{$}}
func.func @merged(%m: memref<3x4xf32>, %s: memref<3x4xf32>, %y: memref<3x4x8xf32>, %n: memref<3x4xf32>, %t: memref<3x4xf32>, %z: memref<3x4x8xf32>) {
  cheems_cpu.merge_attention ins(%m, %s, %y : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>) outs(%n, %t, %z : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32>)
  return
}

// CHECK-LABEL: @none
// CHECK: cheems_cpu.online_attention none scale 1.250000e-01 ins(%arg0, %arg1, %arg1, %arg2, %arg3 : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index, index) outs(%arg4, %arg5, %arg6 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>)
func.func @none(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %first: index, %from: index, %m: tensor<?x4xf32>, %s: tensor<?x4xf32>, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r:3 = cheems_cpu.online_attention none scale 0.125 ins(%q, %k, %k, %first, %from : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index, index) outs(%m, %s, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>
  return %r#2 : tensor<?x4x8xf32>
}

// CHECK-LABEL: @window
// CHECK: cheems_cpu.online_attention none scale 1.250000e-01 window 7 ins(
func.func @window(%q: tensor<?x4x8xf32>, %k: tensor<2x?x8xbf16>, %first: index, %m: tensor<?x4xf32>, %s: tensor<?x4xf32>, %y: tensor<?x4x8xf32>) -> tensor<?x4x8xf32> {
  %r:3 = cheems_cpu.online_attention none scale 0.125 window 7 ins(%q, %k, %k, %first, %first : tensor<?x4x8xf32>, tensor<2x?x8xbf16>, tensor<2x?x8xbf16>, index, index) outs(%m, %s, %y : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4x8xf32>
  return %r#2 : tensor<?x4x8xf32>
}
