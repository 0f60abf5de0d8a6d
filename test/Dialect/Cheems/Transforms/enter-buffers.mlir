// RUN: cheems-opt %s --cheems-enter-buffers --split-input-file --verify-diagnostics | FileCheck %s

// What is read comes from buffers, and only what is written may be written to. Each result goes back to where it came from, in
// order; nothing is returned. The parameters stand before the pools.
// CHECK-LABEL: func.func @first(
// CHECK-SAME: %[[TOKENS:.*]]: memref<?xi32> {cheems.field = #cheems.step_field<tokens>}, %[[LOGITS:.*]]: memref<?x4xf32> {cheems.field = #cheems.step_field<logits>},
// CHECK-SAME: %{{.*}}: memref<?xi8> {cheems.field = #cheems.step_field<parameters>},
// CHECK-SAME: %[[KEYS:.*]]: memref<?x2x4xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64},
// CHECK-SAME: %[[SUMS:.*]]: memref<?x2xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}) attributes {cheems.entry = "cheems_first"} {
// CHECK-DAG: %[[IDS:.*]] = bufferization.to_tensor %[[TOKENS]] restrict : memref<?xi32> to tensor<?xi32>
// CHECK-DAG: %[[L:.*]] = bufferization.to_tensor %[[LOGITS]] restrict writable : memref<?x4xf32> to tensor<?x4xf32>
// CHECK-DAG: %[[K:.*]] = bufferization.to_tensor %[[KEYS]] restrict writable : memref<?x2x4xbf16> to tensor<?x2x4xbf16>
// CHECK-DAG: %[[S:.*]] = bufferization.to_tensor %[[SUMS]] restrict writable : memref<?x2xf32> to tensor<?x2xf32>
// CHECK: %[[DONE:.*]]:3 = call @compute(%[[IDS]], %[[L]], %[[K]], %[[S]])
// CHECK-NEXT: bufferization.materialize_in_destination %[[DONE]]#0 in restrict writable %[[LOGITS]]
// CHECK-NEXT: bufferization.materialize_in_destination %[[DONE]]#1 in restrict writable %[[KEYS]]
// CHECK-NEXT: bufferization.materialize_in_destination %[[DONE]]#2 in restrict writable %[[SUMS]]
// CHECK-NEXT: return{{$}}
func.func @first(%tokens: tensor<?xi32> {cheems.field = #cheems.step_field<tokens>}, %logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}, %keys: tensor<?x2x4xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}, %sums: tensor<?x2xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}) -> (tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>) {
  %r:3 = call @compute(%tokens, %logits, %keys, %sums) : (tensor<?xi32>, tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>) -> (tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>
}
// Functions without fields keep their tensors.
// CHECK: func.func private @compute(tensor<?xi32>, tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>) -> (tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>)
func.func private @compute(tensor<?xi32>, tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>) -> (tensor<?x4xf32>, tensor<?x2x4xbf16>, tensor<?x2xf32>)

// -----

// The example of docs/passes.md.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: cheems.entry = "cheems_step"
// doc: cheems-enter-buffers
func.func @step(%tokens: tensor<?xi32> {cheems.field = #cheems.step_field<tokens>}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>},
                %rows: tensor<?xi32> {cheems.field = #cheems.step_field<rows>}, %logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>},
                %pool: tensor<?x2xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64})
    -> (tensor<?x4xf32>, tensor<?x2xf32>) {
  %table = cheems.parameter ["table"] : tensor<9x4xf32>
  %y = cheems.gather_rows ins(%table, %tokens : tensor<9x4xf32>, tensor<?xi32>) outs(%logits : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y, %pool : tensor<?x4xf32>, tensor<?x2xf32>
}
// doc-end

// -----

// Without pools the parameters are last. What has buffers already stays as it is.
// CHECK-LABEL: func.func @alone(
// CHECK-SAME: %{{.*}}: memref<?x4xf32> {cheems.field = #cheems.step_field<logits>}, %{{.*}}: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) attributes {cheems.entry = "cheems_alone"}
// CHECK-LABEL: func.func @entered(
// CHECK-SAME: %{{.*}}: memref<?x4xf32> {cheems.field = #cheems.step_field<logits>}) {
func.func @alone(%logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}) -> tensor<?x4xf32> {
  return %logits : tensor<?x4xf32>
}
func.func @entered(%logits: memref<?x4xf32> {cheems.field = #cheems.step_field<logits>}) {
  return
}

// -----

// Every step has an entry of its own.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: attributes {cheems.entry = "cheems_two"}
// CHECK-LABEL: func.func @two_decode(
// CHECK-SAME: attributes {cheems.entry = "cheems_two_decode", cheems.most_rows = 64 : i64}
func.func @two(%logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}) -> tensor<?x4xf32> {
  return %logits : tensor<?x4xf32>
}
func.func @two_decode(%logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}) -> tensor<?x4xf32> attributes {cheems.most_rows = 64 : i64} {
  return %logits : tensor<?x4xf32>
}

// -----

// An update that is not returned would be lost.
// expected-error@below {{'func.func' op returns 1 tensors, and 2 of its arguments are written; each is returned, in order}}
func.func @step(%logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}, %pool: tensor<?x2xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}) -> tensor<?x4xf32> {
  return %logits : tensor<?x4xf32>
}

// -----

// Nor may two results be exchanged.
// expected-error@below {{'func.func' op returns 2 tensors, and 2 of its arguments are written; each is returned, in order}}
func.func @step(%logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}, %pool: tensor<?x2xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}) -> (tensor<?x2xf32>, tensor<?x4xf32>) {
  return %pool, %logits : tensor<?x2xf32>, tensor<?x4xf32>
}

// -----

// expected-error@below {{'func.func' op takes a tensor per field, but argument 1 is of type 'index'}}
func.func @step(%tokens: tensor<?xi32> {cheems.field = #cheems.step_field<tokens>}, %n: index) {
  return
}

// -----

// expected-error@below {{'func.func' op is not one block that returns}}
func.func @step(%logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}) -> tensor<?x4xf32> {
  cf.br ^end
^end:
  return %logits : tensor<?x4xf32>
}

// -----

// A declaration has no body to change.
// CHECK-LABEL: func.func private @elsewhere(tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}) -> tensor<?x4xf32>
func.func private @elsewhere(%logits: tensor<?x4xf32> {cheems.field = #cheems.step_field<logits>}) -> tensor<?x4xf32>
