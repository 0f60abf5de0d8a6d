// State-space duality with a decay of 1/2: at once, and of two sequences in pools.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// The state is 4 / 2 + 3 = 5, then 5 / 2 + 2 * 5 = 12.5; skip adds ten times x.
// CHECK: y F32 [2, 1, 1] 35 62.5
// CHECK: state F32 [1, 1, 1] 12.5
// CHECK: chunk F32 [2, 1, 1] 35 62.5
// The second sequence begins: what its slot had is not read.
// CHECK: rows F32 [2, 1, 1] 35 60
// CHECK: pool F32 [3, 1, 1, 1, 1] 5 7 10
func.func @main() -> (tensor<2x1x1xf32> {cheems.name = "y"}, tensor<1x1x1xf32> {cheems.name = "state"},
    tensor<2x1x1xf32> {cheems.name = "chunk"}, tensor<2x1x1xf32> {cheems.name = "rows"}, tensor<3x1x1x1x1xf32> {cheems.name = "pool"}) {
  %x = arith.constant dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf32>
  %step = arith.constant dense<1.0> : tensor<2x1xf32>
  %a = arith.constant dense<-0.69314718> : tensor<1xf32>
  %b = arith.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %c = arith.constant dense<1.0> : tensor<2x1x1xf32>
  %skip = arith.constant dense<10.0> : tensor<1xf32>
  %before = arith.constant dense<4.0> : tensor<1x1x1xf32>
  %empty = tensor.empty() : tensor<2x1x1xf32>
  %y:2 = cheems_cpu.ssd ins(%x, %step, %a, %b, %c : tensor<2x1x1xf32>, tensor<2x1xf32>, tensor<1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
      skip(%skip : tensor<1xf32>) outs(%empty, %before : tensor<2x1x1xf32>, tensor<1x1x1xf32>) -> tensor<2x1x1xf32>, tensor<1x1x1xf32>
  %z:2 = cheems_cpu.ssd_chunk allow_bf16 ins(%x, %step, %a, %b, %c : tensor<2x1x1xf32>, tensor<2x1xf32>, tensor<1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
      skip(%skip : tensor<1xf32>) outs(%empty, %before : tensor<2x1x1xf32>, tensor<1x1x1xf32>) -> tensor<2x1x1xf32>, tensor<1x1x1xf32>
  %segments = arith.constant dense<[[0, 0, 1, 1, 8, 0, 0, 0], [2, 1, 1, 0, 8, 0, 0, 0]]> : tensor<2x8xi32>
  %pool = arith.constant dense<[[[[[4.0]]]], [[[[7.0]]]], [[[[9.0]]]]]> : tensor<3x1x1x1x1xf32>
  %layer = arith.constant 0 : index
  %s:2 = cheems.segmented_ssd
      ins(%x, %step, %a, %b, %c : tensor<2x1x1xf32>, tensor<2x1xf32>, tensor<1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
      skip(%skip : tensor<1xf32>) segments(%segments : tensor<2x8xi32>) layer(%layer)
      outs(%empty, %pool : tensor<2x1x1xf32>, tensor<3x1x1x1x1xf32>) -> tensor<2x1x1xf32>, tensor<3x1x1x1x1xf32>
  return %y#0, %y#1, %z#0, %s#0, %s#1 : tensor<2x1x1xf32>, tensor<1x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<3x1x1x1x1xf32>
}
