// append_visible prints as it parses.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @append
// CHECK: %{{.*}}:4 = cheems_cpu.append_visible hide_below 5.000000e-01 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x2xf32>, index) outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>) -> tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>
func.func @append(%key: tensor<?x64xf32>, %value: tensor<?x64xf32>, %mask: tensor<?x2xf32>, %count: index, %k: tensor<1x?x64xbf16>, %v: tensor<1x?x64xbf16>, %m: tensor<2x?xf32>, %s: tensor<?xi32>) -> tensor<?xi32> {
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %value, %mask, %count : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x2xf32>, index) outs(%k, %v, %m, %s : tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>) -> tensor<1x?x64xbf16>, tensor<1x?x64xbf16>, tensor<2x?xf32>, tensor<?xi32>
  return %u#3 : tensor<?xi32>
}

// CHECK-LABEL: @buffers
// CHECK: cheems_cpu.append_visible hide_below 1.000000e+00 ins({{.*}}) outs({{.*}} : memref<1x9x8xf32>, memref<1x9x8xf32>, memref<1x9xf32>, memref<3xi32>){{$}}
func.func @buffers(%key: memref<3x8xf32>, %mask: memref<3x1xf32>, %count: index, %k: memref<1x9x8xf32>, %v: memref<1x9x8xf32>, %m: memref<1x9xf32>, %s: memref<3xi32>) {
  cheems_cpu.append_visible hide_below 1.0 ins(%key, %key, %mask, %count : memref<3x8xf32>, memref<3x8xf32>, memref<3x1xf32>, index) outs(%k, %v, %m, %s : memref<1x9x8xf32>, memref<1x9x8xf32>, memref<1x9xf32>, memref<3xi32>)
  return
}
