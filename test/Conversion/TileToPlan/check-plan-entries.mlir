// Entries are public, or the inliner would drop them.
// RUN: cheems-opt %s --cheems-check-plan-entries --split-input-file --verify-diagnostics | FileCheck %s

// What is public passes, and a private function that is called is no entry.
// CHECK-LABEL: func.func private @layer
// CHECK-LABEL: func.func @step
// doc: cheems-check-plan-entries
func.func private @layer(%logits: memref<?x512xf32>) {
  return
}
func.func @step(%logits: memref<?x512xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "step"} {
  call @layer(%logits) : (memref<?x512xf32>) -> ()
  return
}
// doc-end

// -----

// expected-error@below {{is an entry, but private: nothing calls it, so it would have no plan; make it public}}
func.func private @hidden(%logits: memref<?x512xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "hidden"} {
  return
}
