// Rows of a table, and positions of sequences.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: gathered F32 [2, 2] 5 6 1 2
// CHECK: position I32 [3] 0 5 6
// CHECK: length I32 [3] 8 16 16
// CHECK: decoded I32 [2] 4 9
func.func @main() -> (tensor<2x2xf32> {cheems.name = "gathered"}, tensor<3xi32> {cheems.name = "position"}, tensor<3xi32> {cheems.name = "length"}, tensor<2xi32> {cheems.name = "decoded"}) {
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %ids = arith.constant dense<[2, 0]> : tensor<2xi32>
  %e0 = tensor.empty() : tensor<2x2xf32>
  %gathered = cheems.gather_rows ins(%table, %ids : tensor<3x2xf32>, tensor<2xi32>) outs(%e0 : tensor<2x2xf32>) -> tensor<2x2xf32>

  // slot, first row, rows, position, rotary length; the second sequence's row comes first
  %segments = arith.constant dense<[[1, 1, 2, 5, 16, 0, 0, 0], [0, 0, 1, 0, 8, 0, 0, 0]]> : tensor<2x8xi32>
  %e1 = tensor.empty() : tensor<3xi32>
  %p:2 = cheems.positions ins(%segments : tensor<2x8xi32>) outs(%e1, %e1 : tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>, tensor<3xi32>
  // with one_row the lengths say nothing
  %ones = arith.constant dense<[[1, 1, 70, 9, 16, 0, 0, 0], [0, 0, 0, 4, 8, 0, 0, 0]]> : tensor<2x8xi32>
  %e2 = tensor.empty() : tensor<2xi32>
  %d:2 = cheems.positions one_row ins(%ones : tensor<2x8xi32>) outs(%e2, %e2 : tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>, tensor<2xi32>
  return %gathered, %p#0, %p#1, %d#0 : tensor<2x2xf32>, tensor<3xi32>, tensor<3xi32>, tensor<2xi32>
}
