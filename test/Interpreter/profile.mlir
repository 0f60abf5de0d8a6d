// A mark only measures.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: kept F32 [1] 2
func.func @main() -> (tensor<1xf32> {cheems.name = "kept"}) {
  %kept = arith.constant dense<2.0> : tensor<1xf32>
  cheems.mark "the end"
  return %kept : tensor<1xf32>
}
