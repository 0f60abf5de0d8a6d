// Attention without masks: as queries are zero, a row gets the mean of the values that it sees.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: y F32 [2, 1, 1] 1 2
// CHECK: sums F32 [1, 1, 1] 4
// Two segments: the second one sees an entry that is stored before.
// CHECK: attended F32 [3, 2, 1] 10 10 15 15 35 35
// CHECK: keys BF16 [2, 1, 1, 2, 1] 0 0 1 0
// CHECK: values BF16 [2, 1, 1, 2, 1] 10 20 40 30
func.func @main() -> (tensor<2x1x1xf32> {cheems.name = "y"}, tensor<1x1x1xf32> {cheems.name = "sums"},
    tensor<3x2x1xf32> {cheems.name = "attended"}, tensor<2x1x1x2x1xbf16> {cheems.name = "keys"},
    tensor<2x1x1x2x1xbf16> {cheems.name = "values"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %query = arith.constant dense<0.0> : tensor<2x1x1xf32>
  %entries = arith.constant dense<[[[1.0], [3.0]]]> : tensor<1x2x1xf32>
  %empty = tensor.empty() : tensor<2x1x1xf32>
  %y = cheems_cpu.dynamic_mask_attention none scale 1.0
      ins(%query, %entries, %entries, %zero : tensor<2x1x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, index)
      outs(%empty : tensor<2x1x1xf32>) -> tensor<2x1x1xf32>

  %row = arith.constant dense<0.0> : tensor<1x1x1xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<1x1xf32>
  %none = arith.constant dense<0.0> : tensor<1x1xf32>
  %o:3 = cheems_cpu.online_attention none scale 1.0
      ins(%row, %entries, %entries, %one, %zero : tensor<1x1x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, index, index)
      outs(%lowest, %none, %row : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>

  %queries = arith.constant dense<0.0> : tensor<3x2x1xf32>
  %keys = arith.constant dense<0.0> : tensor<3x1x1xf32>
  %values = arith.constant dense<[[[10.0]], [[20.0]], [[30.0]]]> : tensor<3x1x1xf32>
  %segments = arith.constant dense<[[0, 0, 2, 0, 8, 0, 0, 0], [1, 2, 1, 1, 8, 0, 0, 0]]> : tensor<2x8xi32>
  %keyPool = arith.constant dense<[[[[[9.0], [9.0]]]], [[[[1.0], [9.0]]]]]> : tensor<2x1x1x2x1xbf16>
  %valuePool = arith.constant dense<[[[[[9.0], [9.0]]]], [[[[40.0], [9.0]]]]]> : tensor<2x1x1x2x1xbf16>
  %rows = tensor.empty() : tensor<3x2x1xf32>
  %s:3 = cheems.segmented_attention none scale 1.0 block 2
      ins(%queries, %keys, %values : tensor<3x2x1xf32>, tensor<3x1x1xf32>, tensor<3x1x1xf32>)
      segments(%segments : tensor<2x8xi32>) layer(%zero)
      outs(%rows, %keyPool, %valuePool : tensor<3x2x1xf32>, tensor<2x1x1x2x1xbf16>, tensor<2x1x1x2x1xbf16>)
      -> tensor<3x2x1xf32>, tensor<2x1x1x2x1xbf16>, tensor<2x1x1x2x1xbf16>
  return %y, %o#2, %s#0, %s#1, %s#2
      : tensor<2x1x1xf32>, tensor<1x1x1xf32>, tensor<3x2x1xf32>, tensor<2x1x1x2x1xbf16>, tensor<2x1x1x2x1xbf16>
}
