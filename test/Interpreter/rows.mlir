// Ops that work on each row, on numbers whose results are known.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: gathered F32 [2, 2] 5 6 1 2
// CHECK: position I32 [3] 0 5 6
// CHECK: length I32 [3] 8 16 16
// CHECK: decoded I32 [2] 4 9
// CHECK: cosine F32 [2, 2] 1 1 0.540302 0.99995
// CHECK: sine F32 [2, 2] 0 0 0.841471 0.00999983
// CHECK: turned F32 [1, 1, 4] -3 2 1 4
// CHECK: normal F32 [1, 2] 0.848528 2.26274
// CHECK: mask F32 [1, 2] 0.5 2
// CHECK: codes I32 [2, 2] 127 -64 0 0
// CHECK: scales F32 [2] 1 0
func.func @main() -> (
    tensor<2x2xf32> {cheems.name = "gathered"}, tensor<3xi32> {cheems.name = "position"}, tensor<3xi32> {cheems.name = "length"},
    tensor<2xi32> {cheems.name = "decoded"},
    tensor<2x2xf32> {cheems.name = "cosine"}, tensor<2x2xf32> {cheems.name = "sine"}, tensor<1x1x4xf32> {cheems.name = "turned"},
    tensor<1x2xf32> {cheems.name = "normal"}, tensor<1x2xf32> {cheems.name = "mask"},
    tensor<2x2xi8> {cheems.name = "codes"}, tensor<2xf32> {cheems.name = "scales"}) {
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

  %at = arith.constant dense<[0, 1]> : tensor<2xi32>
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%at, %at : tensor<2xi32>, tensor<2xi32>)
      outs(%e0, %e0 : tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>, tensor<2x2xf32>

  %x = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %cosine = arith.constant dense<[[0.0, 1.0]]> : tensor<1x2xf32>
  %sine = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %e3 = tensor.empty() : tensor<1x1x4xf32>
  %turned = cheems.rotary ins(%x, %cosine, %sine : tensor<1x1x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
      outs(%e3 : tensor<1x1x4xf32>) -> tensor<1x1x4xf32>

  %row = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %weight = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e4 = tensor.empty() : tensor<1x2xf32>
  %normal = cheems.rms_norm epsilon 0.0 ins(%row, %weight : tensor<1x2xf32>, tensor<2xf32>) outs(%e4 : tensor<1x2xf32>) -> tensor<1x2xf32>

  %step = arith.constant dense<0.0> : tensor<1x2xf32>
  %a = arith.constant dense<[-1.0, 1.0]> : tensor<2xf32>
  %mask = cheems.dynamic_mask ins(%step, %a : tensor<1x2xf32>, tensor<2xf32>) outs(%e4 : tensor<1x2xf32>) -> tensor<1x2xf32>

  %wide = arith.constant dense<[[127.0, -63.6], [1.0e-35, 0.0]]> : tensor<2x2xf32>
  %e5 = tensor.empty() : tensor<2x2xi8>
  %e6 = tensor.empty() : tensor<2xf32>
  %q:2 = cheems.quantize_entries ins(%wide : tensor<2x2xf32>) outs(%e5, %e6 : tensor<2x2xi8>, tensor<2xf32>) -> tensor<2x2xi8>, tensor<2xf32>
  cheems.mark "the end"
  return %gathered, %p#0, %p#1, %d#0, %r#0, %r#1, %turned, %normal, %mask, %q#0, %q#1
      : tensor<2x2xf32>, tensor<3xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x1x4xf32>, tensor<1x2xf32>,
        tensor<1x2xf32>, tensor<2x2xi8>, tensor<2xf32>
}
