// Angles of positions, and pairs that are turned by them.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: cosine F32 [2, 2] 1 1 0.540302 0.99995
// CHECK: sine F32 [2, 2] 0 0 0.841471 0.00999983
// CHECK: turned F32 [1, 1, 4] -3 2 1 4
func.func @main() -> (tensor<2x2xf32> {cheems.name = "cosine"}, tensor<2x2xf32> {cheems.name = "sine"}, tensor<1x1x4xf32> {cheems.name = "turned"}) {
  %e0 = tensor.empty() : tensor<2x2xf32>
  %at = arith.constant dense<[0, 1]> : tensor<2xi32>
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%at, %at : tensor<2xi32>, tensor<2xi32>)
      outs(%e0, %e0 : tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>, tensor<2x2xf32>

  %x = arith.constant dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>
  %cosine = arith.constant dense<[[0.0, 1.0]]> : tensor<1x2xf32>
  %sine = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %e3 = tensor.empty() : tensor<1x1x4xf32>
  %turned = cheems.rotary ins(%x, %cosine, %sine : tensor<1x1x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
      outs(%e3 : tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  return %r#0, %r#1, %turned : tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x1x4xf32>
}
