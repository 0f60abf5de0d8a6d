// The best logits of rows: of equal ones the lower column first; -infinity where nothing else is left; NaN where a sum of exponentials is
// NaN. The op, its loops for CPUs and its kernels for GPUs say the same.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.op.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.op.safetensors | FileCheck %s
// RUN: cheems-opt %s --cheems-expand-segments --cheems-interpret='entry=main outputs=%t.cpu.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.cpu.safetensors | FileCheck %s
// RUN: cheems-opt %s --cheems-gpu-kernels --canonicalize --cse --cheems-interpret='entry=main outputs=%t.tile.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.tile.safetensors | FileCheck %s

// CHECK: values F32 [3, 3] 3 2 2 0 -inf -inf -inf -inf -inf
// CHECK: tokens I32 [3, 3] 4 1 3 2 0 1 0 1 2
// CHECK: sums F32 [3] 3.5657{{[0-9]}} 0 -inf
// CHECK: wrong F32 [2] nan nan
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @main() -> (tensor<3x3xf32> {cheems.name = "values"}, tensor<3x3xi32> {cheems.name = "tokens"}, tensor<3xf32> {cheems.name = "sums"},
      tensor<2xf32> {cheems.name = "wrong"}) {
    %logits = arith.constant dense<[[-1.0, 2.0, -2.0, 2.0, 3.0], [0xFF800000, 0xFF800000, 0.0, 0xFF800000, 0xFF800000],
        [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<3x5xf32>
    %v = tensor.empty() : tensor<3x3xf32>
    %t = tensor.empty() : tensor<3x3xi32>
    %s = tensor.empty() : tensor<3xf32>
    %r:3 = cheems.top_logits ins(%logits : tensor<3x5xf32>) outs(%v, %t, %s : tensor<3x3xf32>, tensor<3x3xi32>, tensor<3xf32>)
        -> tensor<3x3xf32>, tensor<3x3xi32>, tensor<3xf32>
    %wrong = arith.constant dense<[[0.0, 0x7F800000, 1.0], [0.0, 1.0, 0x7FC00000]]> : tensor<2x3xf32>
    %v1 = tensor.empty() : tensor<2x1xf32>
    %t1 = tensor.empty() : tensor<2x1xi32>
    %s1 = tensor.empty() : tensor<2xf32>
    %q:3 = cheems.top_logits ins(%wrong : tensor<2x3xf32>) outs(%v1, %t1, %s1 : tensor<2x1xf32>, tensor<2x1xi32>, tensor<2xf32>)
        -> tensor<2x1xf32>, tensor<2x1xi32>, tensor<2xf32>
    return %r#0, %r#1, %r#2, %q#2 : tensor<3x3xf32>, tensor<3x3xi32>, tensor<3xf32>, tensor<2xf32>
  }
}
