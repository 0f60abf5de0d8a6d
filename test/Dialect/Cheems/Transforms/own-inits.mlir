// A destination that CSE merged is given to each user again, so that bufferisation copies none of them.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-own-inits))' | FileCheck %s

// CHECK-LABEL: @two_matmuls
// CHECK: %[[E0:.*]] = tensor.empty
// CHECK: %[[F0:.*]] = linalg.fill {{.*}} outs(%[[E0]]
// CHECK: %[[E1:.*]] = tensor.empty
// CHECK: %[[F1:.*]] = linalg.fill {{.*}} outs(%[[E1]]
// CHECK: linalg.matmul ins(%arg0, %arg1 {{.*}} outs(%[[F1]]
// CHECK: linalg.matmul ins(%arg0, %arg2 {{.*}} outs(%[[F0]]
// doc: func.func(cheems-own-inits)
func.func @two_matmuls(%x: tensor<4x8xf32>, %u: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = linalg.matmul ins(%x, %u : tensor<4x8xf32>, tensor<8x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = linalg.matmul ins(%x, %v : tensor<4x8xf32>, tensor<8x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}
// doc-end

// An empty tensor without a fill is cloned, too.
// CHECK-LABEL: @empties
// CHECK: %[[E0:.*]] = tensor.empty
// CHECK: %[[E1:.*]] = tensor.empty
// CHECK: return
func.func @empties(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = cheems.rms_norm epsilon 0.0 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = cheems.rms_norm epsilon 1.0 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}
