// Which entries stay: of masks 1, 3, 2 the two best.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// Row 0 sees two entries and keeps both; row 1 sees three.
// CHECK: threshold F32 [2, 1] -inf 2
// CHECK: last I32 [2, 1] 2147483647 2
// The third entry takes the first one's place; what is after the second means nothing.
// CHECK: keys F32 [1, 3, 1] 12 11
// CHECK: mask F32 [1, 3] 2 3
// CHECK: position I32 [1, 3] 2 1
// The first row is hidden by all heads.
// CHECK: visible F32 [1, 2, 1] 6 0
// CHECK: seen I32 [2] 0 1
func.func @main() -> (tensor<2x1xf32> {cheems.name = "threshold"}, tensor<2x1xi32> {cheems.name = "last"},
    tensor<1x3x1xf32> {cheems.name = "keys"}, tensor<1x3xf32> {cheems.name = "mask"}, tensor<1x3xi32> {cheems.name = "position"},
    tensor<1x2x1xf32> {cheems.name = "visible"}, tensor<2xi32> {cheems.name = "seen"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %masks = arith.constant dense<[[1.0, 3.0, 2.0]]> : tensor<1x3xf32>
  %positions = arith.constant dense<[[0, 1, 2]]> : tensor<1x3xi32>
  %e0 = tensor.empty() : tensor<2x1xf32>
  %e1 = tensor.empty() : tensor<2x1xi32>
  %k:2 = cheems_cpu.keep_threshold keep 2 ins(%masks, %positions, %one : tensor<1x3xf32>, tensor<1x3xi32>, index)
      outs(%e0, %e1 : tensor<2x1xf32>, tensor<2x1xi32>) -> tensor<2x1xf32>, tensor<2x1xi32>
  %t = tensor.extract_slice %k#0[1, 0] [1, 1] [1, 1] : tensor<2x1xf32> to tensor<1xf32>
  %l = tensor.extract_slice %k#1[1, 0] [1, 1] [1, 1] : tensor<2x1xi32> to tensor<1xi32>
  %keys = arith.constant dense<[[[10.0], [11.0], [12.0]]]> : tensor<1x3x1xf32>
  %u:4 = cheems_cpu.keep_update keep 2 ins(%t, %l, %one, %two : tensor<1xf32>, tensor<1xi32>, index, index)
      outs(%keys, %keys, %masks, %positions : tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3xf32>, tensor<1x3xi32>)
      -> tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3xf32>, tensor<1x3xi32>
  %rows = arith.constant dense<[[5.0], [6.0]]> : tensor<2x1xf32>
  %rowMasks = arith.constant dense<[[0.5, 0.5], [0.5, 2.0]]> : tensor<2x2xf32>
  %entries = arith.constant dense<0.0> : tensor<1x2x1xf32>
  %stored = arith.constant dense<0.0> : tensor<2x2xf32>
  %e2 = tensor.empty() : tensor<2xi32>
  %v:4 = cheems_cpu.append_visible hide_below 1.0
      ins(%rows, %rows, %rowMasks, %zero : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, index)
      outs(%entries, %entries, %stored, %e2 : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<2xi32>)
      -> tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<2x2xf32>, tensor<2xi32>
  return %k#0, %k#1, %u#0, %u#2, %u#3, %v#0, %v#3
      : tensor<2x1xf32>, tensor<2x1xi32>, tensor<1x3x1xf32>, tensor<1x3xf32>, tensor<1x3xi32>, tensor<1x2x1xf32>, tensor<2xi32>
}
