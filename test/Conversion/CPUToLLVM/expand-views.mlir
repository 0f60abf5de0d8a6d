// RUN: cheems-opt %s --cheems-expand-views | FileCheck %s

// CHECK-LABEL: func.func @row
// CHECK: %[[OFFSET:.*]] = affine.apply
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [1, 4], strides: [8, 1]
// CHECK: memref.load %[[VIEW]]
// CHECK-NOT: memref.subview
// doc: cheems-expand-views
func.func @row(%x: memref<?x8xf32>, %i: index) -> f32 {
  %zero = arith.constant 0 : index
  %row = memref.subview %x[%i, 4] [1, 4] [1, 1] : memref<?x8xf32> to memref<1x4xf32, strided<[8, 1], offset: ?>>
  %0 = memref.load %row[%zero, %zero] : memref<1x4xf32, strided<[8, 1], offset: ?>>
  return %0 : f32
}
// doc-end

// Other ops stay as they are, even if they could be folded.
// CHECK-LABEL: func.func @others
// CHECK: arith.addi
func.func @others() -> index {
  %one = arith.constant 1 : index
  %0 = arith.addi %one, %one : index
  return %0 : index
}
