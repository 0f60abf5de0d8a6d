// A row whose mean square is 12.5.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: normal F32 [1, 2] 0.848528 2.26274
func.func @main() -> (tensor<1x2xf32> {cheems.name = "normal"}) {
  %row = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %weight = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e4 = tensor.empty() : tensor<1x2xf32>
  %normal = cheems.rms_norm epsilon 0.0 ins(%row, %weight : tensor<1x2xf32>, tensor<2xf32>) outs(%e4 : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %normal : tensor<1x2xf32>
}
