// ssd and ssd_chunk print as they parse, with and without skip, on tensors and on buffers.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @ssd
// CHECK: cheems_cpu.ssd ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
func.func @ssd(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) -> (tensor<?x4x8xf32>, tensor<4x6x8xf32>) {
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return %r#0, %r#1 : tensor<?x4x8xf32>, tensor<4x6x8xf32>
}

// CHECK-LABEL: @chunk
// CHECK: cheems_cpu.ssd_chunk allow_bf16 ins({{.*}}) skip(%{{.*}} : tensor<4xf32>) outs(%{{.*}}, %{{.*}} : tensor<5x4x8xf32>, tensor<4x6x8xf32>) -> tensor<5x4x8xf32>, tensor<4x6x8xf32>
func.func @chunk(%x: tensor<5x4x8xf32>, %dt: tensor<5x4xf32>, %a: tensor<4xf32>, %b: tensor<5x1x6xf32>, %c: tensor<5x1x6xf32>, %d: tensor<4xf32>, %y: tensor<5x4x8xf32>, %h: tensor<4x6x8xf32>) -> (tensor<5x4x8xf32>, tensor<4x6x8xf32>) {
  %r:2 = cheems_cpu.ssd_chunk allow_bf16 ins(%x, %dt, %a, %b, %c : tensor<5x4x8xf32>, tensor<5x4xf32>, tensor<4xf32>, tensor<5x1x6xf32>, tensor<5x1x6xf32>) skip(%d : tensor<4xf32>) outs(%y, %h : tensor<5x4x8xf32>, tensor<4x6x8xf32>) -> tensor<5x4x8xf32>, tensor<4x6x8xf32>
  return %r#0, %r#1 : tensor<5x4x8xf32>, tensor<4x6x8xf32>
}

// CHECK-LABEL: @buffers
// CHECK: cheems_cpu.ssd_chunk ins({{.*}}) outs(%{{.*}}, %{{.*}} : memref<?x1x8xf32>, memref<1x6x8xf32>){{$}}
func.func @buffers(%x: memref<?x1x8xf32>, %dt: memref<?x1xf32>, %a: memref<1xf32>, %b: memref<?x1x6xf32>, %y: memref<?x1x8xf32>, %h: memref<1x6x8xf32>) {
  cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %b : memref<?x1x8xf32>, memref<?x1xf32>, memref<1xf32>, memref<?x1x6xf32>, memref<?x1x6xf32>) outs(%y, %h : memref<?x1x8xf32>, memref<1x6x8xf32>)
  return
}
