// rotary_table and rotary print as they parse.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @table
// CHECK: %{{.*}}:2 = cheems.rotary_table theta 1.000000e+04 ins(%{{.*}}, %{{.*}} : tensor<?xi32>, tensor<?xi32>) outs(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>
func.func @table(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x4xf32>, %s: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c, %s : tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: @dynamic_table
// CHECK: cheems.rotary_table theta 1.000000e+04 dynamic {factor = 4.000000e+00 : f64, trained = 2048 : i64} ins(%{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>)
func.func @dynamic_table(%p: tensor<3xi32>, %l: tensor<3xi32>, %c: tensor<3x4xf32>, %s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 4.0 : f64, trained = 2048 : i64} ins(%p, %l : tensor<3xi32>, tensor<3xi32>) outs(%c, %s : tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>
  return %r#0 : tensor<3x4xf32>
}

// CHECK-LABEL: @listed
// CHECK: cheems.rotary_table frequencies [1.000000e+00, 1.000000e-01] {magnitude = 1.125000e+00 : f64} ins(%{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>)
func.func @listed(%p: tensor<3xi32>, %l: tensor<3xi32>, %c: tensor<3x2xf32>, %s: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %r:2 = cheems.rotary_table frequencies [1.0, 0.1] {magnitude = 1.125 : f64} ins(%p, %l : tensor<3xi32>, tensor<3xi32>) outs(%c, %s : tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>, tensor<3x2xf32>
  return %r#0, %r#1 : tensor<3x2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: @partial
// CHECK: cheems.rotary ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2x8xf32>, tensor<?x3xf32>, tensor<?x3xf32>) outs(%{{.*}} : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
func.func @partial(%x: tensor<?x2x8xf32>, %c: tensor<?x3xf32>, %s: tensor<?x3xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems.rotary ins(%x, %c, %s : tensor<?x2x8xf32>, tensor<?x3xf32>, tensor<?x3xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @rotary
// CHECK: cheems.rotary ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%{{.*}} : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
func.func @rotary(%x: tensor<?x2x8xf32>, %c: tensor<?x4xf32>, %s: tensor<?x4xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems.rotary ins(%x, %c, %s : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @buffers
// CHECK: cheems.rotary_table theta 5.000000e+05 ins({{.*}}) outs(%{{.*}}, %{{.*}} : memref<5x4xf32>, memref<5x4xf32>){{$}}
// CHECK: cheems.rotary ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<5x1x8xf32>, memref<5x4xf32>, memref<5x4xf32>) outs(%{{.*}} : memref<5x1x8xf32>){{$}}
func.func @buffers(%p: memref<5xi32>, %l: memref<5xi32>, %c: memref<5x4xf32>, %s: memref<5x4xf32>, %x: memref<5x1x8xf32>, %y: memref<5x1x8xf32>) {
  cheems.rotary_table theta 5.0e+05 ins(%p, %l : memref<5xi32>, memref<5xi32>) outs(%c, %s : memref<5x4xf32>, memref<5x4xf32>)
  cheems.rotary ins(%x, %c, %s : memref<5x1x8xf32>, memref<5x4xf32>, memref<5x4xf32>) outs(%y : memref<5x1x8xf32>)
  return
}
