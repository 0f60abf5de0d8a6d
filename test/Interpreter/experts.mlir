// Retrieval by halves 1, 3 and 10, 20; two experts mixed.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: score F32 [1, 1, 2] 23 21
// CHECK: expert I32 [1, 1, 2] 3 1
// CHECK: ascending I32 [1, 1, 2] 1 3
// Hits are 6 and 10, and the second one's score is negative: 7 + 6 * 10.
// CHECK: inner F32 [1, 1] 67
// Each weighs one half: 7 + (6 * 10 + 10 * 100) / 2.
// CHECK: softmax F32 [1, 1] 537
// The same tables as integers.
// CHECK: codes F32 [1, 1] 537
func.func @main() -> (tensor<1x1x2xf32> {cheems.name = "score"}, tensor<1x1x2xi32> {cheems.name = "expert"},
    tensor<1x1x2xi32> {cheems.name = "ascending"}, tensor<1x1xf32> {cheems.name = "inner"}, tensor<1x1xf32> {cheems.name = "softmax"},
    tensor<1x1xf32> {cheems.name = "codes"}) {
  %halves = arith.constant dense<[[[[1.0, 3.0]], [[10.0, 20.0]]]]> : tensor<1x2x1x2xf32>
  %e0 = tensor.empty() : tensor<1x1x2xf32>
  %e1 = tensor.empty() : tensor<1x1x2xi32>
  %best:2 = cheems.retrieve_experts ins(%halves : tensor<1x2x1x2xf32>) outs(%e0, %e1 : tensor<1x1x2xf32>, tensor<1x1x2xi32>)
      -> tensor<1x1x2xf32>, tensor<1x1x2xi32>
  %byId:2 = cheems.retrieve_experts ascending ins(%halves : tensor<1x2x1x2xf32>) outs(%e0, %e1 : tensor<1x1x2xf32>, tensor<1x1x2xi32>)
      -> tensor<1x1x2xf32>, tensor<1x1x2xi32>
  %x = arith.constant dense<2.0> : tensor<1x1xf32>
  %y = arith.constant dense<7.0> : tensor<1x1xf32>
  %experts = arith.constant dense<[[[0, 1]]]> : tensor<1x1x2xi32>
  %down = arith.constant dense<[[3.0], [5.0]]> : tensor<2x1xf32>
  %up = arith.constant dense<[[10.0], [100.0]]> : tensor<2x1xf32>
  %scores = arith.constant dense<[[[1.0, -1.0]]]> : tensor<1x1x2xf32>
  %inner = cheems.mix_experts inner relu
      ins(%x, %scores, %experts, %down, %up : tensor<1x1xf32>, tensor<1x1x2xf32>, tensor<1x1x2xi32>, tensor<2x1xf32>, tensor<2x1xf32>)
      outs(%y : tensor<1x1xf32>) -> tensor<1x1xf32>
  %equal = arith.constant dense<4.0> : tensor<1x1x2xf32>
  %softmax = cheems.mix_experts softmax relu
      ins(%x, %equal, %experts, %down, %up : tensor<1x1xf32>, tensor<1x1x2xf32>, tensor<1x1x2xi32>, tensor<2x1xf32>, tensor<2x1xf32>)
      outs(%y : tensor<1x1xf32>) -> tensor<1x1xf32>
  %downCodes = arith.constant dense<[[-3], [5]]> : tensor<2x1xi8>
  %downScales = arith.constant dense<[-1.0, 1.0]> : tensor<2xf32>
  %upCodes = arith.constant dense<[[1], [10]]> : tensor<2x1xi8>
  %upScales = arith.constant dense<10.0> : tensor<2xf32>
  %codes = cheems.mix_experts softmax relu
      ins(%x, %equal, %experts, %downCodes, %upCodes : tensor<1x1xf32>, tensor<1x1x2xf32>, tensor<1x1x2xi32>, tensor<2x1xi8>, tensor<2x1xi8>)
      scales(%downScales, %upScales : tensor<2xf32>, tensor<2xf32>) outs(%y : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %best#0, %best#1, %byId#1, %inner, %softmax, %codes
      : tensor<1x1x2xf32>, tensor<1x1x2xi32>, tensor<1x1x2xi32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
