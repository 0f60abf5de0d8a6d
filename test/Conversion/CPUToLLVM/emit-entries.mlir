// RUN: cheems-opt %s --cheems-emit-entries --split-input-file --verify-diagnostics | FileCheck %s

// The function becomes internal; the entry reads cheems_step, whose dynamic extents are beside the pointers.
// CHECK: func.func private @step
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
// CHECK: func.func @cheems_step_fast(%[[STEP:.*]]: !llvm.ptr)
// CHECK-DAG: llvm.getelementptr %[[STEP]][0, 0]
// CHECK-DAG: llvm.getelementptr %[[STEP]][0, 1]
// CHECK-DAG: llvm.getelementptr %[[STEP]][0, 6]
// CHECK-DAG: llvm.getelementptr %[[STEP]][0, 5]
// CHECK: call @step(
// CHECK-NEXT: return
// doc: cheems-emit-entries
func.func @step(%tokens: memref<?xi32> {cheems.field = #cheems.step_field<tokens>}, %logits: memref<?x16xf32> {cheems.field = #cheems.step_field<logits>})
    attributes {cheems.entry = "cheems_step_fast"} {
  return
}
// doc-end

// -----

// A pool is one of many, with slots and a capacity.
// CHECK: func.func @entry(%[[STEP:.*]]: !llvm.ptr)
// CHECK: llvm.getelementptr %[[STEP]][0, 8]
// CHECK: llvm.getelementptr %{{.*}}[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.getelementptr %[[STEP]][0, 9]
// CHECK: llvm.getelementptr %[[STEP]][0, 10]
func.func @step(%keys: memref<?x2x1x?x8xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 2 : i64}) attributes {cheems.entry = "entry"} {
  return
}

// -----

// One that keeps the latest rows has a ring of them.
// CHECK: func.func @entry(%[[STEP:.*]]: !llvm.ptr)
// CHECK: llvm.getelementptr %[[STEP]][0, 8]
// CHECK: llvm.getelementptr %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: llvm.getelementptr %[[STEP]][0, 9]
// CHECK-NOT: llvm.getelementptr %[[STEP]][0, 10]
// CHECK: llvm.getelementptr %[[STEP]][0, 16]
module attributes {cheems.state = [#cheems.pool<name = "keys", role = keys, type = bf16, shape = [slots, 2, 1, capacity, 8]>, #cheems.pool<name = "ring_keys", role = keys, type = bf16, shape = [slots, 2, 1, ring, 8]>]} {
  func.func @step(%keys: memref<?x2x1x?x8xbf16> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}) attributes {cheems.entry = "entry"} {
    return
  }
}

// -----

// Marks count from 0; each is one test where the step has no profile.
// CHECK: func.func private @step(%{{.*}}: memref<?xi32> {{.*}}, %[[COUNTS:.*]]: !llvm.ptr)
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: %[[WANTED:.*]] = llvm.icmp "ne" %[[COUNTS]], %[[NULL]]
// CHECK-NEXT: scf.if %[[WANTED]] {
// CHECK-NEXT: %[[NOW:.*]] = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[COUNTS]][0]
// CHECK-NEXT: llvm.store %[[NOW]], %[[PLACE]] : i64, !llvm.ptr
// CHECK: call @layer
// CHECK: scf.if %[[WANTED]] {
// CHECK: llvm.getelementptr %[[COUNTS]][1]
// CHECK-NOT: cheems.mark
// CHECK: func.func @entry(%[[STEP:.*]]: !llvm.ptr)
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[STEP]][0, 12]
// CHECK: %[[PROFILE:.*]] = llvm.load %[[FIELD]] : !llvm.ptr -> !llvm.ptr
// CHECK: call @step(%{{.*}}, %[[PROFILE]])
func.func private @layer()
func.func @step(%tokens: memref<?xi32> {cheems.field = #cheems.step_field<tokens>}) attributes {cheems.entry = "entry"} {
  cheems.mark "first"
  call @layer() : () -> ()
  cheems.mark "second"
  return
}

// -----

func.func @step() {
  // expected-error@below {{'cheems.mark' op is in a function that is not an entry}}
  cheems.mark "first"
  return
}

// -----

// expected-error@below {{argument 0 is not a field of cheems_step}}
func.func @step(%other: memref<?xi32> {cheems.name = "other"}) attributes {cheems.entry = "entry"} {
  return
}

// -----

// expected-error@below {{argument 0 is not a field of cheems_step}}
func.func @step(%values: memref<?x4xf32> {cheems.field = #cheems.step_field<top_values>}) attributes {cheems.entry = "entry"} {
  return
}

// -----

// expected-error@below {{argument 0 has no pool index}}
func.func @step(%keys: memref<?x2x1x?x8xbf16> {cheems.field = #cheems.step_field<pools>}) attributes {cheems.entry = "entry"} {
  return
}

// -----

// expected-error@below {{is not an entry: cheems.entry names one that has a body}}
func.func private @step() attributes {cheems.entry = "entry"}
