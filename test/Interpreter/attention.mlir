// Attention whose scores are its masks, as queries are zero: 0 and log 3 weigh one entry three times as much as the other.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: y F32 [2, 1, 1] 1 2.5
// CHECK: maximum F32 [1, 1] 1.09861
// CHECK: sum F32 [1, 1] 1.33333
// CHECK: sums F32 [1, 1, 1] 3.33333
// One of the masks 1, 2, 1/2 is kept: row 0's, then row 1's.
// CHECK: kept F32 [3, 1, 1] 10 20 20
// CHECK: keys BF16 [1, 1, 1, 1, 1] 0
// CHECK: values BF16 [1, 1, 1, 1, 1] 20
// CHECK: masks F32 [1, 1, 1, 1] 2
// CHECK: positions I32 [1, 1, 1, 1] 1
func.func @main() -> (tensor<2x1x1xf32> {cheems.name = "y"}, tensor<1x1xf32> {cheems.name = "maximum"},
    tensor<1x1xf32> {cheems.name = "sum"}, tensor<1x1x1xf32> {cheems.name = "sums"}, tensor<3x1x1xf32> {cheems.name = "kept"},
    tensor<1x1x1x1x1xbf16> {cheems.name = "keys"}, tensor<1x1x1x1x1xbf16> {cheems.name = "values"},
    tensor<1x1x1x1xf32> {cheems.name = "masks"}, tensor<1x1x1x1xi32> {cheems.name = "positions"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %query = arith.constant dense<0.0> : tensor<2x1x1xf32>
  // entry 2 is after all rows, and nothing has written it
  %room = tensor.empty() : tensor<1x3x1xf32>
  %two = arith.constant dense<[[[1.0], [3.0]]]> : tensor<1x2x1xf32>
  %entries = tensor.insert_slice %two into %room[0, 0, 0] [1, 2, 1] [1, 1, 1] : tensor<1x2x1xf32> into tensor<1x3x1xf32>
  %maskRoom = tensor.empty() : tensor<1x3xf32>
  %masks = arith.constant dense<[[0.0, 1.0986123]]> : tensor<1x2xf32>
  %mask = tensor.insert_slice %masks into %maskRoom[0, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<1x3xf32>
  %empty = tensor.empty() : tensor<2x1x1xf32>
  %y = cheems_cpu.dynamic_mask_attention bias scale 1.0
      ins(%query, %entries, %entries, %mask, %zero : tensor<2x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3xf32>, index)
      outs(%empty : tensor<2x1x1xf32>) -> tensor<2x1x1xf32>

  // the second row in two blocks of an entry each, which are merged
  %row = arith.constant dense<0.0> : tensor<1x1x1xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<1x1xf32>
  %none = arith.constant dense<0.0> : tensor<1x1xf32>
  %k0 = tensor.extract_slice %entries[0, 0, 0] [1, 1, 1] [1, 1, 1] : tensor<1x3x1xf32> to tensor<1x1x1xf32>
  %k1 = tensor.extract_slice %entries[0, 1, 0] [1, 1, 1] [1, 1, 1] : tensor<1x3x1xf32> to tensor<1x1x1xf32>
  %m0 = tensor.extract_slice %mask[0, 0] [1, 1] [1, 1] : tensor<1x3xf32> to tensor<1x1xf32>
  %m1 = tensor.extract_slice %mask[0, 1] [1, 1] [1, 1] : tensor<1x3xf32> to tensor<1x1xf32>
  %a:3 = cheems_cpu.online_attention bias scale 1.0
      ins(%row, %k0, %k0, %m0, %one, %zero : tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1xf32>, index, index)
      outs(%lowest, %none, %row : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>
  %b:3 = cheems_cpu.online_attention bias scale 1.0
      ins(%row, %k1, %k1, %m1, %one, %one : tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1xf32>, index, index)
      outs(%lowest, %none, %row : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>
  %m:3 = cheems_cpu.merge_attention ins(%b#0, %b#1, %b#2 : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>)
      outs(%a#0, %a#1, %a#2 : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>

  // a window of one entry
  %queries = arith.constant dense<0.0> : tensor<3x1x1xf32>
  %values = arith.constant dense<[[[10.0]], [[20.0]], [[30.0]]]> : tensor<3x1x1xf32>
  %rowMasks = arith.constant dense<[[1.0], [2.0], [0.5]]> : tensor<3x1xf32>
  %segments = arith.constant dense<[[0, 0, 3, 0, 8, 0, 0, 0]]> : tensor<1x8xi32>
  %pool = tensor.empty() : tensor<1x1x1x1x1xbf16>
  %maskPool = tensor.empty() : tensor<1x1x1x1xf32>
  %positionPool = tensor.empty() : tensor<1x1x1x1xi32>
  %emptyRows = tensor.empty() : tensor<3x1x1xf32>
  %s:5 = cheems.segmented_attention bias scale 1.0 keep 1 block 2
      ins(%queries, %queries, %values : tensor<3x1x1xf32>, tensor<3x1x1xf32>, tensor<3x1x1xf32>) mask(%rowMasks : tensor<3x1xf32>)
      segments(%segments : tensor<1x8xi32>) layer(%zero)
      outs(%emptyRows, %pool, %pool, %maskPool : tensor<3x1x1xf32>, tensor<1x1x1x1x1xbf16>, tensor<1x1x1x1x1xbf16>, tensor<1x1x1x1xf32>)
      positions(%positionPool : tensor<1x1x1x1xi32>)
      -> tensor<3x1x1xf32>, tensor<1x1x1x1x1xbf16>, tensor<1x1x1x1x1xbf16>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xi32>
  return %y, %m#0, %m#1, %m#2, %s#0, %s#1, %s#2, %s#3, %s#4
      : tensor<2x1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x1xf32>, tensor<3x1x1xf32>, tensor<1x1x1x1x1xbf16>,
        tensor<1x1x1x1x1xbf16>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xi32>
}
