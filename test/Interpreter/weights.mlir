// Weights of a file in all their forms, and matmuls with panels of them.
// RUN: python3 %S/Inputs/tensors.py write %t.weights.safetensors 'a=F32[2,2]:1,2,3,4' 'b=F32[1,2]:5,6' 'c=F32[2,2]:0.1,0,0,3.1' 'rows=F32[2,4]:127,0,-64,1,0,0,0,254'
// RUN: cheems-opt %s --cheems-interpret='entry=main weights=%t.weights.safetensors outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: below F32 [3, 2] 1 2 3 4 5 6
// CHECK: beside F32 [2, 4] 1 2 0.1 0 3 4 0 3.1
// CHECK: transposed F32 [2, 2] 1 3 2 4
// CHECK: narrow BF16 [2, 2] 0.100098 0 0 3.09375
// CHECK: half F32 [2, 2] 0.0999756 0 0 3.09961
// Element (n, k) of panels with pairs lies at [0, 0, n, k]; rows past the last are zero.
// CHECK: panels F32 [1, 1, 16, 2] 1 2 3 4 0 0
// CHECK: codes I32 [2, 4] 127 0 -64 1 0 0 0 127
// CHECK: scales F32 [2, 1] 1 2
// Sums are 3 and 7; of two weights one is multiplied by the other, and a bias is added.
// CHECK: product F32 [1, 2] 3 7
// CHECK: gated F32 [1, 2] 19 69
// The row is its own quantized values: 127 * 127 + 127 * 1, and 2 * 127 * 127.
// CHECK: bytes F32 [1, 2] 16256 32258
// Column 0 and 1 are turned by a right angle, column 3 is halved.
// CHECK: finished F32 [1, 4] -2 1 3 2
func.func @main() -> (tensor<3x2xf32> {cheems.name = "below"}, tensor<2x4xf32> {cheems.name = "beside"},
    tensor<2x2xf32> {cheems.name = "transposed"}, tensor<2x2xbf16> {cheems.name = "narrow"}, tensor<2x2xf32> {cheems.name = "half"}, tensor<1x1x16x2xf32> {cheems.name = "panels"},
    tensor<2x4xi8> {cheems.name = "codes"}, tensor<2x1xf32> {cheems.name = "scales"},
    tensor<1x2xf32> {cheems.name = "product"}, tensor<1x2xf32> {cheems.name = "gated"}, tensor<1x2xf32> {cheems.name = "bytes"},
    tensor<1x4xf32> {cheems.name = "finished"}) {
  %below = cheems.parameter ["a", "b"] : tensor<3x2xf32>
  %beside = cheems.parameter ["a", "c"] by_columns : tensor<2x4xf32>
  %transposed = cheems.parameter ["a"] permute [1, 0] : tensor<2x2xf32>
  %narrow = cheems.parameter ["c"] : tensor<2x2xbf16>
  %halves = cheems.parameter ["c"] : tensor<2x2xf16>
  %widened = arith.extf %halves : tensor<2x2xf16> to tensor<2x2xf32>
  %panels = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 2>) : tensor<1x1x16x2xf32>
  %codes = cheems.parameter ["rows"] quantized <bits = 8, group = 0, part = codes> : tensor<2x4xi8>
  %scales = cheems.parameter ["rows"] quantized <bits = 8, group = 0, part = scales> : tensor<2x1xf32>

  %single = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 1>) : tensor<1x2x16x1xf32>
  %x = arith.constant dense<1.0> : tensor<1x2xf32>
  %bias = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %empty = tensor.empty() : tensor<1x2xf32>
  %product = cheems_cpu.linear ins(%x : tensor<1x2xf32>) weights(%single : tensor<1x2x16x1xf32>) outs(%empty : tensor<1x2xf32>) -> tensor<1x2xf32>
  %gated = cheems_cpu.linear ins(%x : tensor<1x2xf32>) weights(%single, %single : tensor<1x2x16x1xf32>, tensor<1x2x16x1xf32>)
      with(%bias : tensor<2xf32>) outs(%empty : tensor<1x2xf32>) {
  ^bb0(%one: f32, %other: f32, %b: f32):
    %both = arith.mulf %one, %other : f32
    %sum = arith.addf %both, %b : f32
    cheems_cpu.yield %sum : f32
  } -> tensor<1x2xf32>

  %bytes = cheems.parameter ["rows"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = codes> : tensor<1x1x16x4xi8>
  %factors = cheems.parameter ["rows"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = scales> : tensor<1x1x16xf32>
  %row = arith.constant dense<[[127.0, 0.0, 0.0, 127.0]]> : tensor<1x4xf32>
  %ofBytes = cheems_cpu.linear ins(%row : tensor<1x4xf32>) weights(%bytes : tensor<1x1x16x4xi8>) bits 8 scales(%factors : tensor<1x1x16xf32>)
      outs(%empty : tensor<1x2xf32>) -> tensor<1x2xf32>

  %cosine = arith.constant dense<0.0> : tensor<1x1xf32>
  %sine = arith.constant dense<1.0> : tensor<1x1xf32>
  %sums = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %finished = cheems_cpu.column_epilogue rotated 2 mapped [3, 4] angles(%cosine, %sine : tensor<1x1xf32>, tensor<1x1xf32>) outs(%sums : tensor<1x4xf32>) {
  ^bb0(%step: f32):
    %half = arith.constant 0.5 : f32
    %less = arith.mulf %step, %half : f32
    cheems_cpu.yield %less : f32
  } -> tensor<1x4xf32>
  return %below, %beside, %transposed, %narrow, %widened, %panels, %codes, %scales, %product, %gated, %ofBytes, %finished
      : tensor<3x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2xbf16>, tensor<2x2xf32>, tensor<1x1x16x2xf32>, tensor<2x4xi8>, tensor<2x1xf32>,
        tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x4xf32>
}
