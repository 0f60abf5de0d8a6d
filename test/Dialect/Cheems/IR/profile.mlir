// mark prints as it parses, and stays where it is.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @marks
// CHECK: cheems.mark "embedding"
// CHECK-NEXT: memref.load
// CHECK-NEXT: cheems.mark "layer 0 \22\C3\A9\22"
// CHECK-NEXT: memref.store
// CHECK-NEXT: cheems.mark "layer 0 \22\C3\A9\22"
// CHECK-NEXT: return
func.func @marks(%x: memref<f32>, %y: memref<f32>) {
  cheems.mark "embedding"
  %0 = memref.load %x[] : memref<f32>
  cheems.mark "layer 0 \22\C3\A9\22"
  memref.store %0, %y[] : memref<f32>
  cheems.mark "layer 0 \22\C3\A9\22"
  return
}
