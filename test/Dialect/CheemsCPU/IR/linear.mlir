// linear prints as it parses: with and without an epilogue, one weight and two, tensors and buffers.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --canonicalize | FileCheck %s --check-prefix FOLD

// CHECK-LABEL: @plain
// CHECK: cheems_cpu.linear ins(%{{.*}} : tensor<?x8xf32>) weights(%{{.*}} : tensor<2x8x16x1xf32>) outs(%{{.*}} : tensor<?x20xf32>) -> tensor<?x20xf32>
func.func @plain(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %y: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%y : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

// CHECK-LABEL: @residual
// CHECK: cheems_cpu.linear ins(%{{.*}} : tensor<4x8xf32>) weights(%{{.*}} : tensor<1x4x16x2xbf16>) with(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) {
// CHECK: ^bb0(%[[S:.*]]: f32, %[[B:.*]]: f32, %[[R:.*]]: f32):
// CHECK: %[[P:.*]] = arith.mulf %[[B]], %[[R]] : f32
// CHECK: %[[Y:.*]] = arith.addf %[[S]], %[[P]] : f32
// CHECK: cheems_cpu.yield %[[Y]] : f32
// CHECK: } -> tensor<4x16xf32>
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<1x4x16x2xbf16>, %s: tensor<16xf32>, %h: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w : tensor<1x4x16x2xbf16>) with(%s, %h : tensor<16xf32>, tensor<4x16xf32>) outs(%y : tensor<4x16xf32>) {
  ^bb0(%sum: f32, %b: f32, %a: f32):
    %scaled = arith.mulf %b, %a : f32
    %all = arith.addf %sum, %scaled : f32
    cheems_cpu.yield %all : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// CHECK-LABEL: @gated_buffers
// CHECK: cheems_cpu.linear ins(%{{.*}} : memref<?x8xf32>) weights(%{{.*}}, %{{.*}} : memref<?x8x16x1xf32>, memref<?x8x16x1xf32>) outs(%{{.*}} : memref<?x?xf32>) {
// CHECK: ^bb0(%[[G:.*]]: f32, %[[U:.*]]: f32):
// CHECK: cheems_cpu.yield
// CHECK: }{{$}}
func.func @gated_buffers(%x: memref<?x8xf32>, %g: memref<?x8x16x1xf32>, %u: memref<?x8x16x1xf32>, %y: memref<?x?xf32>) {
  cheems_cpu.linear ins(%x : memref<?x8xf32>) weights(%g, %u : memref<?x8x16x1xf32>, memref<?x8x16x1xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.maximumf %a, %zero : f32
    %product = arith.mulf %positive, %b : f32
    cheems_cpu.yield %product : f32
  }
  return
}

// CHECK-LABEL: @codes
// CHECK: cheems_cpu.linear ins(%{{.*}} : tensor<?x128xf32>) weights(%{{.*}} : tensor<2x32x16x4xi8>) bits 8 scales(%{{.*}} : tensor<2x1x16xf32>) outs(%{{.*}} : tensor<?x20xf32>) -> tensor<?x20xf32>
// CHECK: cheems_cpu.linear ins(%{{.*}} : tensor<?x128xf32>) weights(%{{.*}} : tensor<2x16x16x4xi8>) bits 4 scales(%{{.*}} : tensor<2x2x16xbf16>) outs(%{{.*}} : tensor<?x20xf32>) -> tensor<?x20xf32>
func.func @codes(%x: tensor<?x128xf32>, %w: tensor<2x32x16x4xi8>, %s: tensor<2x1x16xf32>, %v: tensor<2x16x16x4xi8>, %t: tensor<2x2x16xbf16>, %y: tensor<?x20xf32>) -> (tensor<?x20xf32>, tensor<?x20xf32>) {
  %0 = cheems_cpu.linear ins(%x : tensor<?x128xf32>) weights(%w : tensor<2x32x16x4xi8>) bits 8 scales(%s : tensor<2x1x16xf32>) outs(%y : tensor<?x20xf32>) -> tensor<?x20xf32>
  %1 = cheems_cpu.linear ins(%x : tensor<?x128xf32>) weights(%v : tensor<2x16x16x4xi8>) bits 4 scales(%t : tensor<2x2x16xbf16>) outs(%y : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %0, %1 : tensor<?x20xf32>, tensor<?x20xf32>
}

// An epilogue that is not written is the identity, and the identity is not written.
// CHECK-LABEL: @identity
// CHECK: cheems_cpu.linear ins(%{{.*}}) weights(%{{.*}}) outs(%{{.*}} : tensor<?x20xf32>) -> tensor<?x20xf32>
func.func @identity(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %y: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%y : tensor<?x20xf32>) {
  ^bb0(%sum: f32):
    cheems_cpu.yield %sum : f32
  } -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}

// Casts fold into it as into every op with destinations.
// FOLD-LABEL: @folds
// FOLD-NOT: tensor.cast %{{.*}} : tensor<4x20xf32> to tensor<?x20xf32>
// FOLD: cheems_cpu.linear ins(%{{.*}} : tensor<4x8xf32>) weights(%{{.*}}) outs(%{{.*}} : tensor<4x20xf32>) -> tensor<4x20xf32>
func.func @folds(%x: tensor<4x8xf32>, %w: tensor<2x8x16x1xf32>, %y: tensor<4x20xf32>) -> tensor<?x20xf32> {
  %xs = tensor.cast %x : tensor<4x8xf32> to tensor<?x8xf32>
  %ys = tensor.cast %y : tensor<4x20xf32> to tensor<?x20xf32>
  %r = cheems_cpu.linear ins(%xs : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%ys : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %r : tensor<?x20xf32>
}
