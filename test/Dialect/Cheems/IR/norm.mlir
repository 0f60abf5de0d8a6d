// rms_norm prints as it parses: tensors and buffers, ranks 2 and 3, static and dynamic.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @static
// CHECK: cheems.rms_norm epsilon 2.500000e-01 ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @static(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = cheems.rms_norm epsilon 0.25 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: @heads
// CHECK: cheems.rms_norm epsilon 0.000000e+00 ins(%{{.*}}, %{{.*}} : tensor<?x2x8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
func.func @heads(%x: tensor<?x2x8xf32>, %w: tensor<8xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems.rms_norm epsilon 0.0 ins(%x, %w : tensor<?x2x8xf32>, tensor<8xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// The least normal f32.
// CHECK-LABEL: @least
// CHECK: cheems.rms_norm epsilon 1.17549{{.*}}-38 ins
func.func @least(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = cheems.rms_norm epsilon 0x3810000000000000 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: @buffers
// CHECK: cheems.rms_norm epsilon 1.000000e-05 ins(%{{.*}}, %{{.*}} : memref<?x8xf32>, memref<8xf32>) outs(%{{.*}} : memref<?x8xf32>){{$}}
func.func @buffers(%x: memref<?x8xf32>, %w: memref<8xf32>, %y: memref<?x8xf32>) {
  cheems.rms_norm epsilon 1.0e-05 ins(%x, %w : memref<?x8xf32>, memref<8xf32>) outs(%y : memref<?x8xf32>)
  return
}
