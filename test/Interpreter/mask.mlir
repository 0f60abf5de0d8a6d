// A step whose softplus is log 2.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: mask F32 [1, 2] 0.5 2
func.func @main() -> (tensor<1x2xf32> {cheems.name = "mask"}) {
  %e4 = tensor.empty() : tensor<1x2xf32>
  %step = arith.constant dense<0.0> : tensor<1x2xf32>
  %a = arith.constant dense<[-1.0, 1.0]> : tensor<2xf32>
  %mask = cheems.dynamic_mask ins(%step, %a : tensor<1x2xf32>, tensor<2xf32>) outs(%e4 : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %mask : tensor<1x2xf32>
}
