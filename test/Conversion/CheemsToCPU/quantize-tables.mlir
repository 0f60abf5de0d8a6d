// Tables of experts that are to be rounded: quantized values, and a scale per row.
// RUN: cheems-opt %s --cheems-quantize-parameters --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cheems-opt %s --cheems-quantize-parameters --cheems-pair-tables --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PAIRS

// Through the arguments of a layer function, for two layers.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<9x8xi8>, %[[U:[a-z0-9]+]]: tensor<9x8xi8>, %[[Y:[a-z0-9]+]]: tensor<?x8xf32>, %[[US:[a-z0-9]+]]: tensor<9x1xf32>, %[[DS:[a-z0-9]+]]: tensor<9x1xf32>)
// CHECK-DAG: %[[C:.*]] = tensor.extract_slice %[[DS]][0, 0] [9, 1] [1, 1] : tensor<9x1xf32> to tensor<9xf32>
// CHECK-DAG: %[[G:.*]] = tensor.extract_slice %[[US]][0, 0] [9, 1] [1, 1] : tensor<9x1xf32> to tensor<9xf32>
// CHECK: cheems.mix_experts softmax silu ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[D]], %[[U]] : {{.*}}tensor<9x8xi8>, tensor<9x8xi8>) scales(%[[C]], %[[G]] : tensor<9xf32>, tensor<9xf32>) outs(%[[Y]] :
// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[D0:.*]] = cheems.parameter ["0.down"] quantized <bits = 8, group = 0, part = codes> : tensor<9x8xi8>
// CHECK-DAG: %[[DS0:.*]] = cheems.parameter ["0.down"] quantized <bits = 8, group = 0, part = scales> : tensor<9x1xf32>
// CHECK-DAG: %[[U0:.*]] = cheems.parameter ["0.up"] quantized <bits = 8, group = 0, part = codes> : tensor<9x8xi8>
// CHECK-DAG: %[[US0:.*]] = cheems.parameter ["0.up"] quantized <bits = 8, group = 0, part = scales> : tensor<9x1xf32>
// CHECK: call @layer(%{{.*}}, %{{.*}}, %{{.*}}, %[[D0]], %[[U0]], %{{.*}}, %[[US0]], %[[DS0]])
// CHECK-DAG: %[[D1:.*]] = cheems.parameter ["1.down"] quantized <bits = 8, group = 0, part = codes> : tensor<9x8xi8>
// CHECK-DAG: %[[US1:.*]] = cheems.parameter ["1.up"] quantized <bits = 8, group = 0, part = scales> : tensor<9x1xf32>
// CHECK: call @layer(%{{.*}}, %{{.*}}, %{{.*}}, %[[D1]], %{{.*}}, %{{.*}}, %[[US1]], %{{.*}})
// An expert's rows and its scales lie together.
// PAIRS-LABEL: func.func private @layer
// PAIRS: cheems.mix_experts
// PAIRS-LABEL: func.func @step
// PAIRS: cheems.parameter ["0.down", "0.up"] by_columns quantized <bits = 8, group = 8, part = codes> : tensor<9x16xi8>
// PAIRS: cheems.parameter ["0.down", "0.up"] by_columns quantized <bits = 8, group = 8, part = scales> : tensor<9x2xf32>
// PAIRS: call @layer
// PAIRS: cheems.parameter ["1.down", "1.up"] by_columns quantized <bits = 8, group = 8, part = codes> : tensor<9x16xi8>
// PAIRS: cheems.parameter ["1.down", "1.up"] by_columns quantized <bits = 8, group = 8, part = scales> : tensor<9x2xf32>
// PAIRS-NOT: cheems.parameter
func.func private @layer(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %down: tensor<9x8xbf16>, %up: tensor<9x8xbf16>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %down, %up : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @step(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %d0 = cheems.parameter ["0.down"] quantized <bits = 8, group = 0, part = matrix> : tensor<9x8xbf16>
  %u0 = cheems.parameter ["0.up"] quantized <bits = 8, group = 0, part = matrix> : tensor<9x8xbf16>
  %a = call @layer(%x, %s, %e, %d0, %u0, %y) : (tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %d1 = cheems.parameter ["1.down"] quantized <bits = 8, group = 0, part = matrix> : tensor<9x8xbf16>
  %u1 = cheems.parameter ["1.up"] quantized <bits = 8, group = 0, part = matrix> : tensor<9x8xbf16>
  %b = call @layer(%x, %s, %e, %d1, %u1, %a) : (tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}

// -----

// One table of two.
func.func @one(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %d = cheems.parameter ["down"] quantized <bits = 8, group = 0, part = matrix> : tensor<9x8xbf16>
  %u = cheems.parameter ["up"] : tensor<9x8xbf16>
  // expected-error@below {{reads a table that is to be rounded and one that is not}}
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %d, %u : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// Four bits are for matmuls.
func.func @bits(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %d = cheems.parameter ["down"] quantized <bits = 4, group = 4, part = matrix> : tensor<9x8xbf16>
  // expected-error@below {{is a table of experts; all of these must be rounded to 8 bits with a scale per row}}
  %u = cheems.parameter ["up"] quantized <bits = 4, group = 4, part = matrix> : tensor<9x8xbf16>
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %d, %u : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
