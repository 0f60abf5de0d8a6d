// RUN: cheems-opt %s --cheems-pair-tables --split-input-file | FileCheck %s

// Tables of two layers, through the arguments of their function.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<9x16xbf16>, %[[Y:[a-z0-9]+]]: tensor<?x8xf32>)
// CHECK: %[[DOWN:.*]] = tensor.extract_slice %[[W]][0, 0] [9, 8] [1, 1] : tensor<9x16xbf16> to tensor<9x8xbf16>
// CHECK: %[[UP:.*]] = tensor.extract_slice %[[W]][0, 8] [9, 8] [1, 1] : tensor<9x16xbf16> to tensor<9x8xbf16>
// CHECK: cheems.mix_experts softmax silu ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[DOWN]], %[[UP]] :
// CHECK-LABEL: func.func @step
// CHECK-NEXT: %[[A:.*]] = cheems.parameter ["0.down", "0.up"] by_columns : tensor<9x16xbf16>
// CHECK-NEXT: call @layer(%{{.*}}, %{{.*}}, %{{.*}}, %[[A]], %{{.*}})
// CHECK-NEXT: %[[B:.*]] = cheems.parameter ["1.down", "1.up"] by_columns : tensor<9x16xbf16>
// CHECK-NEXT: call @layer(%{{.*}}, %{{.*}}, %{{.*}}, %[[B]], %{{.*}})
// doc: cheems-pair-tables
func.func private @layer(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %down: tensor<9x8xbf16>, %up: tensor<9x8xbf16>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %down, %up : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @step(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %d0 = cheems.parameter ["0.down"] : tensor<9x8xbf16>
  %u0 = cheems.parameter ["0.up"] : tensor<9x8xbf16>
  %a = call @layer(%x, %s, %e, %d0, %u0, %y) : (tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %d1 = cheems.parameter ["1.down"] : tensor<9x8xbf16>
  %u1 = cheems.parameter ["1.up"] : tensor<9x8xbf16>
  %b = call @layer(%x, %s, %e, %d1, %u1, %a) : (tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %b : tensor<?x8xf32>
}
// doc-end

// -----

// A table that something else reads, and tables that two ops use in other pairs, stay as they are.
// CHECK-LABEL: @apart
// CHECK: cheems.parameter ["read"] : tensor<9x8xbf16>
// CHECK: cheems.parameter ["a"] : tensor<9x8xbf16>
// CHECK: cheems.parameter ["b"] : tensor<9x8xbf16>
// CHECK: cheems.parameter ["c"] : tensor<9x8xbf16>
// CHECK-NOT: beside
func.func @apart(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %y: tensor<?x8xf32>, %i: index) -> (tensor<?x8xf32>, bf16) {
  %read = cheems.parameter ["read"] : tensor<9x8xbf16>
  %a = cheems.parameter ["a"] : tensor<9x8xbf16>
  %b = cheems.parameter ["b"] : tensor<9x8xbf16>
  %c = cheems.parameter ["c"] : tensor<9x8xbf16>
  %number = tensor.extract %read[%i, %i] : tensor<9x8xbf16>
  %0 = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %read, %a : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %b, %c : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %c, %b : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %2, %number : tensor<?x8xf32>, bf16
}

// -----

// Quantized values side by side, and scales side by side: of each name's rows of 8 one.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<9x16xi8>, %[[Y:[a-z0-9]+]]: tensor<?x8xf32>, %[[S:[a-z0-9]+]]: tensor<9x2xf32>)
// CHECK-DAG: %[[DOWN:.*]] = tensor.extract_slice %[[W]][0, 0] [9, 8] [1, 1] : tensor<9x16xi8> to tensor<9x8xi8>
// CHECK-DAG: %[[UP:.*]] = tensor.extract_slice %[[W]][0, 8] [9, 8] [1, 1] : tensor<9x16xi8> to tensor<9x8xi8>
// CHECK-DAG: %[[C:.*]] = tensor.extract_slice %[[S]][0, 0] [9, 1] [1, 1] : tensor<9x2xf32> to tensor<9xf32>
// CHECK-DAG: %[[G:.*]] = tensor.extract_slice %[[S]][0, 1] [9, 1] [1, 1] : tensor<9x2xf32> to tensor<9xf32>
// CHECK-NOT: tensor.extract_slice
// CHECK: cheems.mix_experts softmax silu ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[DOWN]], %[[UP]] : {{.*}}) scales(%[[C]], %[[G]] :
// CHECK-LABEL: func.func @step
// CHECK-NEXT: %[[A:.*]] = cheems.parameter ["0.down", "0.up"] by_columns quantized <bits = 8, group = 8, part = codes> : tensor<9x16xi8>
// CHECK-NEXT: %[[B:.*]] = cheems.parameter ["0.down", "0.up"] by_columns quantized <bits = 8, group = 8, part = scales> : tensor<9x2xf32>
// CHECK-NEXT: call @layer(%{{.*}}, %{{.*}}, %{{.*}}, %[[A]], %{{.*}}, %[[B]])
func.func private @layer(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %down: tensor<9x8xi8>, %up: tensor<9x8xi8>, %y: tensor<?x8xf32>, %downScale: tensor<9x1xf32>, %upScale: tensor<9x1xf32>) -> tensor<?x8xf32> {
  %c = tensor.extract_slice %downScale[0, 0] [9, 1] [1, 1] : tensor<9x1xf32> to tensor<9xf32>
  %g = tensor.extract_slice %upScale[0, 0] [9, 1] [1, 1] : tensor<9x1xf32> to tensor<9xf32>
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %down, %up : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xi8>, tensor<9x8xi8>)
      scales(%c, %g : tensor<9xf32>, tensor<9xf32>)
      outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @step(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %d0 = cheems.parameter ["0.down"] quantized <bits = 8, group = 0, part = codes> : tensor<9x8xi8>
  %c0 = cheems.parameter ["0.down"] quantized <bits = 8, group = 0, part = scales> : tensor<9x1xf32>
  %u0 = cheems.parameter ["0.up"] quantized <bits = 8, group = 0, part = codes> : tensor<9x8xi8>
  %g0 = cheems.parameter ["0.up"] quantized <bits = 8, group = 0, part = scales> : tensor<9x1xf32>
  %a = call @layer(%x, %s, %e, %d0, %u0, %y, %c0, %g0) : (tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xi8>, tensor<9x8xi8>, tensor<?x8xf32>, tensor<9x1xf32>, tensor<9x1xf32>) -> tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}

// -----

// A table of which a part is taken, how large is known later, is no table of mix_experts.
// CHECK-LABEL: @part
// CHECK: cheems.parameter ["down"] : tensor<9x8xbf16>
// CHECK: cheems.parameter ["up"] : tensor<9x8xbf16>
// CHECK-NOT: beside
func.func @part(%x: tensor<?x8xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>, %y: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %d = cheems.parameter ["down"] : tensor<9x8xbf16>
  %u = cheems.parameter ["up"] : tensor<9x8xbf16>
  %some = tensor.extract_slice %d[0, 0] [%n, 8] [1, 1] : tensor<9x8xbf16> to tensor<?x8xbf16>
  %all = tensor.cast %some : tensor<?x8xbf16> to tensor<9x8xbf16>
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %all, %u : tensor<?x8xf32>, tensor<?x1x3xf32>, tensor<?x1x3xi32>, tensor<9x8xbf16>, tensor<9x8xbf16>)
      outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
