// Rows are quantized to 8 bits; the second one is too small to be quantized.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: codes I32 [2, 2] 127 -64 0 0
// CHECK: scales F32 [2] 1 0
func.func @main() -> (tensor<2x2xi8> {cheems.name = "codes"}, tensor<2xf32> {cheems.name = "scales"}) {
  %wide = arith.constant dense<[[127.0, -63.6], [1.0e-35, 0.0]]> : tensor<2x2xf32>
  %e5 = tensor.empty() : tensor<2x2xi8>
  %e6 = tensor.empty() : tensor<2xf32>
  %q:2 = cheems.quantize_entries ins(%wide : tensor<2x2xf32>) outs(%e5, %e6 : tensor<2x2xi8>, tensor<2xf32>) -> tensor<2x2xi8>, tensor<2xf32>
  return %q#0, %q#1 : tensor<2x2xi8>, tensor<2xf32>
}
