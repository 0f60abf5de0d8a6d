// Quantized matmuls of 8 and of 4 bits, of weights of a file and of numbers; kernels of tiles that compute them.
// RUN: python3 %S/Inputs/tensors.py write %t.weights.safetensors 'rows=F32[2,4]:127,0,-64,1,0,0,0,254' 'long=F32[1,32]:-8,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,-1,0,0,0,0,0,0,0,0,0,0,0,0,0,3'
// RUN: cheems-opt %s --cheems-interpret='entry=main weights=%t.weights.safetensors outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | cheems-opt \
// RUN:   --cheems-interpret='entry=main weights=%t.weights.safetensors outputs=%t.loops.safetensors' -o /dev/null
// RUN: cmp %t.safetensors %t.loops.safetensors

// The row is its own quantized values: 127 * 127 + 127 * 1, and 2 * 127 * 127.
// CHECK: bytes F32 [1, 2] 16256 32258
// Low halves are k 0 to 15, high ones 16 to 31: 8 and 16 * 1 is 24 without signs.
// CHECK: packed I32 [1, 64] 24 -9 0 0 {{.*}}
// -8 * 1 + 7 * 2 + 1 * 3 - 1 * 4 + 3 * 5, times 1/2 for the row.
// CHECK: nibbles F32 [1, 1] 10
func.func @main() -> (tensor<1x2xf32> {cheems.name = "bytes"}, tensor<1x64xi8> {cheems.name = "packed"}, tensor<1x1xf32> {cheems.name = "nibbles"}) {
  %codes = cheems.parameter ["rows"] quantized <bits = 8, group = 0, part = codes> : tensor<2x4xi8>
  %scales = cheems.parameter ["rows"] quantized <bits = 8, group = 0, part = scales> : tensor<2x1xf32>
  %row = arith.constant dense<[[127.0, 0.0, 0.0, 127.0]]> : tensor<1x4xf32>
  %e = tensor.empty() : tensor<1x4xi8>
  %s = tensor.empty() : tensor<1xf32>
  %x, %xs = cheems.quantize_entries ins(%row : tensor<1x4xf32>) outs(%e, %s : tensor<1x4xi8>, tensor<1xf32>) -> tensor<1x4xi8>, tensor<1xf32>
  %o = tensor.empty() : tensor<1x2xf32>
  %bytes = cheems_tile.quantized_matmul bits 8 ins(%x, %xs : tensor<1x4xi8>, tensor<1xf32>)
      weights(%codes, %scales : tensor<2x4xi8>, tensor<2x1xf32>) outs(%o : tensor<1x2xf32>) -> tensor<1x2xf32>

  %packed = cheems.parameter ["long"] layout(#cheems_tile.nibbles) quantized <bits = 4, group = 32, part = codes> : tensor<1x64xi8>
  %one = cheems.parameter ["long"] quantized <bits = 4, group = 32, part = scales> : tensor<1x1xbf16>
  %numbers = arith.constant dense<[[1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]]> : tensor<1x32xi8>
  %half = arith.constant dense<0.5> : tensor<1xf32>
  %p = tensor.empty() : tensor<1x1xf32>
  %nibbles = cheems_tile.quantized_matmul bits 4 ins(%numbers, %half : tensor<1x32xi8>, tensor<1xf32>)
      weights(%packed, %one : tensor<1x64xi8>, tensor<1x1xbf16>) outs(%p : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %bytes, %packed, %nibbles : tensor<1x2xf32>, tensor<1x64xi8>, tensor<1x1xf32>
}
