// RUN: cheems-opt %s --cheems-lower-vectors | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK: llvm.load
// CHECK: llvm.intr.fmuladd
// CHECK: llvm.intr.vector.reduce.fadd
// CHECK-NOT: vector.{{load|fma|reduction}}
// doc: cheems-lower-vectors
func.func @sum(%x: memref<8xf32>, %y: vector<8xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %0 = vector.load %x[%zero] : memref<8xf32>, vector<8xf32>
  %1 = vector.fma %0, %y, %y : vector<8xf32>
  %2 = vector.reduction <add>, %1 : vector<8xf32> into f32
  return %2 : f32
}
// doc-end

// Vectors of two dimensions become several of one.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: llvm.intr.fmuladd{{.*}}vector<8xf32>
func.func @rows(%x: vector<2x8xf32>, %y: vector<2x8xf32>) -> vector<2x8xf32> {
  %0 = vector.fma %x, %y, %y : vector<2x8xf32>
  return %0 : vector<2x8xf32>
}

// Other ops stay as they are, even if they could be folded.
// CHECK-LABEL: func.func @others
// CHECK: arith.addi
func.func @others() -> index {
  %one = arith.constant 1 : index
  %0 = arith.addi %one, %one : index
  return %0 : index
}
