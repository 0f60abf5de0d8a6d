// The module goes on as it came; the result is in the file.
// RUN: cheems-opt %s --cheems-interpret='entry=normalise outputs=%t.safetensors' | FileCheck %s
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s --check-prefix=RESULT
// RESULT: y F32 [1, 2] 0.848528 1.13137

// CHECK-LABEL: func.func @normalise
// CHECK: cheems.rms_norm
// CHECK: return
// doc: cheems-interpret{entry=normalise outputs=/dev/null}
func.func @normalise() -> (tensor<1x2xf32> {cheems.name = "y"}) {
  %x = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %weight = arith.constant dense<1.0> : tensor<2xf32>
  %empty = tensor.empty() : tensor<1x2xf32>
  %y = cheems.rms_norm epsilon 0.0 ins(%x, %weight : tensor<1x2xf32>, tensor<2xf32>) outs(%empty : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
// doc-end
