// Ops on stored entries that are not decomposed take their buffers.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map})' | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.copy

// CHECK-LABEL: @append
// CHECK: cheems_cpu.append_visible hide_below 5.000000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : memref<?x8xf32>, memref<?x8xf32>, memref<?x2xf32>, index) outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : memref<1x?x8xbf16>, memref<1x?x8xbf16>, memref<2x?xf32>, memref<?xi32>){{$}}
func.func @append(%key: tensor<?x8xf32>, %value: tensor<?x8xf32>, %mask: tensor<?x2xf32>, %count: index, %k: tensor<1x?x8xbf16>, %v: tensor<1x?x8xbf16>, %m: tensor<2x?xf32>, %s: tensor<?xi32>) -> (tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<2x?xf32>, tensor<?xi32>) {
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %value, %mask, %count : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x2xf32>, index) outs(%k, %v, %m, %s : tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<2x?xf32>, tensor<?xi32>) -> tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<2x?xf32>, tensor<?xi32>
  return %u#0, %u#1, %u#2, %u#3 : tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<2x?xf32>, tensor<?xi32>
}

// CHECK-LABEL: @quantize
// CHECK: cheems.quantize_entries ins(%{{.*}} : memref<?x8xf32>) outs(%{{.*}}, %{{.*}} : memref<?x8xi8>, memref<?xf32>){{$}}
func.func @quantize(%x: tensor<?x8xf32>, %codes: tensor<?x8xi8>, %scales: tensor<?xf32>) -> (tensor<?x8xi8>, tensor<?xf32>) {
  %r:2 = cheems.quantize_entries ins(%x : tensor<?x8xf32>) outs(%codes, %scales : tensor<?x8xi8>, tensor<?xf32>) -> tensor<?x8xi8>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x8xi8>, tensor<?xf32>
}
