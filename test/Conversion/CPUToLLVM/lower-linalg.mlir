// RUN: cheems-opt %s --cheems-lower-linalg | FileCheck %s

// CHECK-LABEL: func.func @fill
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NOT: linalg
// doc: cheems-lower-linalg
func.func @fill(%x: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%x : memref<8xf32>)
  return
}
// doc-end

// What is on tensors is refused by cheems-check-kernels.
// CHECK-LABEL: func.func @tensors
// CHECK: linalg.fill
func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
