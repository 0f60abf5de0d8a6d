// RUN: cheems-opt %s --cheems-specialize-decode=most-rows=48 --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not cheems-opt %s --cheems-specialize-decode --split-input-file 2>&1 | FileCheck %s --check-prefix=NUMBER

// RUN: cheems-opt %s "--cheems-specialize-decode=most-rows=48 callees" --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=CALLEES

// With `callees` the head has a copy, too. What has no body cannot have one.
// CALLEES-LABEL: func.func @step_decode(
// CALLEES: call @layer_decode(
// CALLEES: call @head_decode(
// CALLEES: func.func private @head_decode({{.*}} attributes {cheems.most_rows = 48 : i64}
// CALLEES-NOT: @outside_decode

// How many rows are few is a target's to say.
// NUMBER: error: 'builtin.module' op needs the option most-rows, of at least 1, not 0

// The step, its layer and what that calls get copies, which call copies. The head, which knows no segments, is shared. What was
// there stays as it is.
// CHECK-LABEL: func.func @step(
// CHECK: cheems.positions ins(
// CHECK: call @layer(
// CHECK: call @head(
// CHECK-LABEL: func.func private @layer(
// CHECK-NEXT: call @sequence(
// CHECK-LABEL: func.func private @sequence(
// CHECK: cheems.segmented_ssd allow_bf16 ins(
// CHECK-LABEL: func.func private @head(
// CHECK: return
// CHECK-NEXT: }
// CHECK-NOT: @head
// CHECK: func.func @step_decode(%{{.*}}: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>},
// CHECK-SAME: attributes {cheems.most_rows = 48 : i64}
// CHECK: cheems.positions one_row ins(
// CHECK: call @layer_decode(
// CHECK: call @head(
// CHECK-LABEL: func.func private @layer_decode(
// CHECK: call @sequence_decode(
// CHECK-LABEL: func.func private @sequence_decode(
// CHECK: cheems.segmented_ssd allow_bf16 one_row ins(
// CHECK-NOT: func.func
func.func @step(%segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>}, %p: tensor<?xi32>, %x: tensor<?x1x4xf32>, %g: tensor<?x1xf32>, %a: tensor<1xf32>, %pool: tensor<?x3x1x4x4xf32>) -> tensor<?x1x4xf32> {
  %position, %length = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %p : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  %y = call @layer(%segments, %x, %g, %a, %pool) : (tensor<?x8xi32>, tensor<?x1x4xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x3x1x4x4xf32>) -> tensor<?x1x4xf32>
  %z = call @head(%y) : (tensor<?x1x4xf32>) -> tensor<?x1x4xf32>
  return %z : tensor<?x1x4xf32>
}
func.func private @layer(%segments: tensor<?x8xi32>, %x: tensor<?x1x4xf32>, %g: tensor<?x1xf32>, %a: tensor<1xf32>, %pool: tensor<?x3x1x4x4xf32>) -> tensor<?x1x4xf32> {
  %y = call @sequence(%segments, %x, %g, %a, %pool) : (tensor<?x8xi32>, tensor<?x1x4xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x3x1x4x4xf32>) -> tensor<?x1x4xf32>
  return %y : tensor<?x1x4xf32>
}
func.func private @sequence(%segments: tensor<?x8xi32>, %x: tensor<?x1x4xf32>, %g: tensor<?x1xf32>, %a: tensor<1xf32>, %pool: tensor<?x3x1x4x4xf32>) -> tensor<?x1x4xf32> {
  %layer = arith.constant 0 : index
  %y, %h = cheems.segmented_ssd allow_bf16 ins(%x, %g, %a, %x, %x : tensor<?x1x4xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x4xf32>, tensor<?x1x4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%x, %pool : tensor<?x1x4xf32>, tensor<?x3x1x4x4xf32>) -> tensor<?x1x4xf32>, tensor<?x3x1x4x4xf32>
  return %y : tensor<?x1x4xf32>
}
func.func private @head(%x: tensor<?x1x4xf32>) -> tensor<?x1x4xf32> {
  return %x : tensor<?x1x4xf32>
}

// -----

// CHECK-LABEL: func.func @step(
// CHECK: cheems.segmented_attention bias scale 1.000000e+00 block 8 ins(
// CHECK-LABEL: func.func @step_decode(
// CHECK: cheems.segmented_attention bias scale 1.000000e+00 block 8 one_row ins(
func.func @step(%q: tensor<?x2x4xf32>, %m: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x4xf32>, %masks: tensor<?x3x2x?xf32>) -> tensor<?x2x4xf32> {
  %r:4 = cheems.segmented_attention bias scale 1.0 block 8 ins(%q, %q, %q : tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>) mask(%m : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x2x4xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?xf32>) -> tensor<?x2x4xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?xf32>
  return %r#0 : tensor<?x2x4xf32>
}

// -----

// The example of docs/passes.md.
// CHECK-LABEL: func.func @step(
// CHECK-LABEL: func.func @step_decode(
// CHECK-SAME: attributes {cheems.most_rows = 48 : i64}
// doc: cheems-specialize-decode{most-rows=48}
func.func @step(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> tensor<?xi32> {
  %positions = call @where(%segments, %p, %l) : (tensor<?x8xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %twice = call @twice(%positions) : (tensor<?xi32>) -> tensor<?xi32>
  return %twice : tensor<?xi32>
}
func.func private @where(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> tensor<?xi32> {
  %positions, %lengths = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>)
    -> tensor<?xi32>, tensor<?xi32>
  return %positions : tensor<?xi32>
}
func.func private @twice(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = arith.addi %x, %x : tensor<?xi32>
  return %y : tensor<?xi32>
}
// doc-end

// -----

// Without such ops nothing happens.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: func.func
// CHECK-LABEL: func.func private @outside(
// CHECK-NOT: func.func
func.func @rows(%table: tensor<9x4xf32>, %ids: tensor<?xi32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  func.call @outside() : () -> ()
  %x = cheems.gather_rows ins(%table, %ids : tensor<9x4xf32>, tensor<?xi32>) outs(%y : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %x : tensor<?x4xf32>
}
func.func private @outside()

// -----

// expected-error@below {{'func.func' op has a copy already: @step_decode}}
func.func @step(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) {
  %positions, %lengths = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  return
}
func.func private @step_decode()

// -----

// If two functions call each other, both get a copy.
// CHECK-LABEL: func.func @first(
// CHECK-LABEL: func.func @first_decode(
// CHECK: call @second_decode(
// CHECK-LABEL: func.func @second_decode(
// CHECK: cheems.positions one_row
// CHECK: call @first_decode(
func.func @first(%segments: tensor<?x8xi32>, %p: tensor<?xi32>) {
  func.call @second(%segments, %p) : (tensor<?x8xi32>, tensor<?xi32>) -> ()
  return
}
func.func @second(%segments: tensor<?x8xi32>, %p: tensor<?xi32>) {
  %positions, %lengths = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %p : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  func.call @first(%segments, %p) : (tensor<?x8xi32>, tensor<?xi32>) -> ()
  return
}

// -----

// A step that decodes gives no embeddings: what it returns of them is what it was given.
// CHECK-LABEL: func.func @step(
// CHECK: %[[WRITTEN:.*]] = call @embed(
// CHECK: return %{{.*}}, %[[WRITTEN]]
// CHECK-LABEL: func.func private @embed(
// CHECK-LABEL: func.func @step_decode(
// CHECK-SAME: %[[GIVEN:[a-z0-9]+]]: tensor<?x4xf32> {cheems.field = #cheems.step_field<embeddings>}
// CHECK-NOT: call
// CHECK: return %{{.*}}, %[[GIVEN]]
func.func @step(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %e: tensor<?x4xf32> {cheems.field = #cheems.step_field<embeddings>})
    -> (tensor<?xi32>, tensor<?x4xf32>) {
  %positions, %lengths = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %p : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  %written = call @embed(%e) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %positions, %written : tensor<?xi32>, tensor<?x4xf32>
}
func.func private @embed(%e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %e : tensor<?x4xf32>
}

// -----

func.func @step(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %e: tensor<?x4xf32> {cheems.field = #cheems.step_field<embeddings>})
    -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %positions, %lengths = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %p : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  // expected-error@below {{takes embeddings, so it has one result of their type}}
  %written:2 = call @embed(%e) : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %written#0, %written#1 : tensor<?x4xf32>, tensor<?x4xf32>
}
func.func private @embed(%e: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  return %e, %e : tensor<?x4xf32>, tensor<?x4xf32>
}
