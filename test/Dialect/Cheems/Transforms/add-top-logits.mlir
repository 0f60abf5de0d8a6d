// A sampler wants the best logits of the rows that a step has left. Each number of them is an entry of its own; where a vocabulary has
// fewer tokens, there is none.
// RUN: cheems-opt %s --cheems-add-top-logits=counts=1,64,4096 --split-input-file | FileCheck %s
// RUN: not cheems-opt %s --cheems-add-top-logits=counts=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: 'builtin.module' op needs counts of at least 1, not 0

// CHECK-LABEL: func.func @step(
// CHECK-LABEL: func.func @top_logits_1(
// CHECK-LABEL: func.func @top_logits_64(
// CHECK-SAME: %[[LOGITS:[a-z0-9]+]]: tensor<?x512xf32> {cheems.field = #cheems.step_field<step_logits>}
// CHECK-SAME: %[[VALUES:[a-z0-9]+]]: tensor<?x64xf32> {cheems.field = #cheems.step_field<top_values>}
// CHECK-SAME: %[[TOKENS:[a-z0-9]+]]: tensor<?x64xi32> {cheems.field = #cheems.step_field<top_tokens>}
// CHECK-SAME: %[[SUMS:[a-z0-9]+]]: tensor<?xf32> {cheems.field = #cheems.step_field<log_sums>}
// CHECK: %[[TOP:.*]]:3 = cheems.top_logits ins(%[[LOGITS]] : tensor<?x512xf32>) outs(%[[VALUES]], %[[TOKENS]], %[[SUMS]]
// CHECK: return %[[TOP]]#0, %[[TOP]]#1, %[[TOP]]#2
// CHECK-NOT: top_logits_4096
// doc: cheems-add-top-logits{counts=64}
func.func @step(%rows: tensor<?xi32> {cheems.field = #cheems.step_field<rows>}, %logits: tensor<?x512xf32> {cheems.field = #cheems.step_field<logits>}) -> tensor<?x512xf32> {
  return %logits : tensor<?x512xf32>
}
// doc-end

// -----

// CHECK-LABEL: func.func @no_step
// CHECK-NOT: func.func
func.func @no_step() {
  return
}
