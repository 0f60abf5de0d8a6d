// RUN: cheems-opt %s --cheems-plan-workspace --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Two row buffers that do not live at once share their bytes; the callee's buffer lies above those that live on.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:.*]]: memref<?x8xf32>, %[[WS:.*]]: memref<?xi8>, %{{.*}}: index, %[[ROWS:.*]]: index, %{{.*}}: index)
// CHECK: memref.view %[[WS]][%[[ROWS]]][%{{.*}}] : memref<?xi8> to memref<?x8xf32>
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[WS:[^ ]*]]: memref<?xi8> {cheems.field = #cheems.step_field<workspace>}
// CHECK-SAME: cheems_cpu.workspace = array<i64: 64, 128, 0>
// CHECK-NOT: memref.alloc
// CHECK: return
// doc: cheems-plan-workspace,canonicalize,cse
func.func private @layer(%x: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %a = memref.alloc(%n) : memref<?x8xf32>
  memref.copy %x, %a : memref<?x8xf32> to memref<?x8xf32>
  return
}
func.func @step(%x: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %fixed = memref.alloc() : memref<3xf32>
  memref.store %zero, %fixed[%c0] : memref<3xf32>
  %a = memref.alloc(%n) : memref<?x8xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<?x8xf32>)
  %b = memref.alloc(%n) : memref<?x16xf32>
  func.call @layer(%x) : (memref<?x8xf32>) -> ()
  linalg.fill ins(%zero : f32) outs(%b : memref<?x16xf32>)
  return
}
// doc-end

// -----

// Either argument may have more rows: the most count.
// CHECK-LABEL: @rows_of_two
// CHECK-SAME: (%[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<?x16xf32>, %[[WS:.*]]: memref<?xi8>
// CHECK-SAME: cheems_cpu.workspace = array<i64: 0, 128, 0>
// CHECK-DAG: %[[NX:.*]] = memref.dim %[[X]]
// CHECK-DAG: %[[NY:.*]] = memref.dim %[[Y]]
// CHECK-DAG: memref.view %[[WS]][%{{.*}}][%[[NX]]] : memref<?xi8> to memref<?x8xf32>
// CHECK-DAG: %[[MOST:.*]] = arith.maxui %[[NX]], %[[NY]]
// CHECK-DAG: %[[AT:.*]] = arith.muli %[[MOST]], %{{.*}}
// CHECK-DAG: memref.view %[[WS]][%[[AT]]][%[[NY]]] : memref<?xi8> to memref<?x16xf32>
func.func @rows_of_two(%x: memref<?x8xf32>, %y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %m = memref.dim %y, %c0 : memref<?x16xf32>
  %a = memref.alloc(%n) : memref<?x8xf32>
  %b = memref.alloc(%m) : memref<?x16xf32>
  memref.copy %x, %a : memref<?x8xf32> to memref<?x8xf32>
  memref.copy %y, %b : memref<?x16xf32> to memref<?x16xf32>
  memref.copy %a, %x : memref<?x8xf32> to memref<?x8xf32>
  return
}

// -----

// Scratch of a parallel loop is one per worker.
// CHECK-LABEL: @scratch
// CHECK-SAME: cheems_cpu.workspace = array<i64: 0, 0, 128>
// CHECK: scf.forall
// CHECK: %[[W:.*]] = cheems_cpu.worker : index
// CHECK: %[[AT:.*]] = arith.muli %[[W]], %{{.*}}
// CHECK: memref.view %{{.*}}[%[[AT]]][] : memref<?xi8> to memref<32xf32>
func.func @scratch(%n: index) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (%n) {
    %a = memref.alloc() : memref<32xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<32xf32>)
  }
  return
}

// -----

func.func @dynamic_scratch(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@below {{a buffer inside a parallel loop needs a static size}}
    %a = memref.alloc(%i) : memref<?xf32>
    memref.dealloc %a : memref<?xf32>
  }
  return
}

// -----

func.func @numbers_of_unknown_bits(%n: index) {
  // expected-error@below {{a buffer needs elements whose bits are known}}
  %a = memref.alloc(%n) : memref<?xindex>
  return
}

// -----

func.func @not_rows(%n: index) {
  // expected-error@below {{a buffer's one dynamic extent is the row count of its function}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}
