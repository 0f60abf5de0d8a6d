// Attention with a window: as queries are zero, a row gets the mean of the last values, two of them at most.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: y F32 [3, 1, 1] 1 2 4
// The row sees the last one of the two entries of the block.
// CHECK: sum F32 [1, 1] 1
// CHECK: sums F32 [1, 1, 1] 5
// All entries are stored.
// CHECK: attended F32 [3, 1, 1] 10 15 25
// CHECK: values BF16 [1, 1, 1, 3, 1] 10 20 30
func.func @main() -> (tensor<3x1x1xf32> {cheems.name = "y"}, tensor<1x1xf32> {cheems.name = "sum"},
    tensor<1x1x1xf32> {cheems.name = "sums"}, tensor<3x1x1xf32> {cheems.name = "attended"},
    tensor<1x1x1x3x1xbf16> {cheems.name = "values"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %query = arith.constant dense<0.0> : tensor<3x1x1xf32>
  %entries = arith.constant dense<[[[1.0], [3.0], [5.0]]]> : tensor<1x3x1xf32>
  %empty = tensor.empty() : tensor<3x1x1xf32>
  %y = cheems_cpu.dynamic_mask_attention none scale 1.0 window 2
      ins(%query, %entries, %entries, %zero : tensor<3x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, index)
      outs(%empty : tensor<3x1x1xf32>) -> tensor<3x1x1xf32>

  %row = arith.constant dense<0.0> : tensor<1x1x1xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<1x1xf32>
  %none = arith.constant dense<0.0> : tensor<1x1xf32>
  %late = tensor.extract_slice %entries[0, 1, 0] [1, 2, 1] [1, 1, 1] : tensor<1x3x1xf32> to tensor<1x2x1xf32>
  %o:3 = cheems_cpu.online_attention none scale 1.0 window 1
      ins(%row, %late, %late, %two, %one : tensor<1x1x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, index, index)
      outs(%lowest, %none, %row : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>

  %values = arith.constant dense<[[[10.0]], [[20.0]], [[30.0]]]> : tensor<3x1x1xf32>
  %segments = arith.constant dense<[[0, 0, 3, 0, 8, 0, 0, 0]]> : tensor<1x8xi32>
  %pool = tensor.empty() : tensor<1x1x1x3x1xbf16>
  %s:3 = cheems.segmented_attention none scale 1.0 window 2 block 2
      ins(%query, %query, %values : tensor<3x1x1xf32>, tensor<3x1x1xf32>, tensor<3x1x1xf32>)
      segments(%segments : tensor<1x8xi32>) layer(%zero)
      outs(%empty, %pool, %pool : tensor<3x1x1xf32>, tensor<1x1x1x3x1xbf16>, tensor<1x1x1x3x1xbf16>)
      -> tensor<3x1x1xf32>, tensor<1x1x1x3x1xbf16>, tensor<1x1x1x3x1xbf16>
  return %y, %o#1, %o#2, %s#0, %s#2
      : tensor<3x1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>, tensor<3x1x1xf32>, tensor<1x1x1x3x1xbf16>
}
