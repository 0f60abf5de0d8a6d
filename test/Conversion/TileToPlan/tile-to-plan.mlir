// Entries become plans: memory is an address and numbers.
// RUN: split-file %s %t
// RUN: cheems-opt %t/step.mlir --cheems-tile-to-plan | FileCheck %s
// RUN: cheems-opt %t/fields.mlir --cheems-tile-to-plan | FileCheck %s --check-prefix=FIELDS
// RUN: cheems-opt %t/calls.mlir --cheems-launches-to-plan | FileCheck %s --check-prefix=CALLS
// RUN: cheems-opt %t/ring.mlir --cheems-tile-to-plan | FileCheck %s --check-prefix=RING
// RUN: not cheems-opt %t/private.mlir --cheems-launches-to-plan 2>&1 | FileCheck %s --check-prefix=PRIVATE

// An entry is refused where the inliner would drop it.
// PRIVATE: error: 'func.func' op is an entry, but private

// CHECK-LABEL: cheems_plan.entry @step general {
// CHECK-DAG: %weights = cheems_plan.weights 0
// CHECK-DAG: %of_tokens = cheems_plan.field tokens
// CHECK-DAG: %tokens = cheems_plan.size tokens
// CHECK: cheems_plan.part "embedding"
// CHECK: %[[W:weights.*]] = cheems_plan.weights 4096
// The bytes of an allocation.
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[TIMES:.*]] = arith.muli %[[FOUR]], %tokens
// CHECK: %[[BYTES:.*]] = arith.muli %[[TIMES]], %c64{{.*}}
// CHECK: %area = cheems_plan.area %[[BYTES]]
// CHECK: cheems_plan.launch @gather grid(%tokens, %{{.*}}, %{{.*}}) (%[[W]], %of_tokens, %tokens, %area, %tokens) : !cheems_plan.address, !cheems_plan.address, index, !cheems_plan.address, index
// CHECK: cheems_plan.when %{{.*}} {
// CHECK-NEXT: cheems_plan.launch @gather
// CHECK-NEXT: }
// CHECK-NOT: func.func @step

// A pool whose entries are a ring has another extent.
// RING-DAG: %[[P1:pool.*]] = cheems_plan.pool 1
// RING-DAG: %ring = cheems_plan.size ring
// RING-NOT: cheems_plan.size capacity
// RING: cheems_plan.launch @entries {{.*}} (%[[P1]], %slots, %ring) : !cheems_plan.address, index, index

// Everything that a step has. Static extents are no parameters; a tensor map has two extents.
// FIELDS-LABEL: cheems_plan.entry @decode decode(64) {
// FIELDS-DAG: %[[P0:pool.*]] = cheems_plan.pool 3
// FIELDS-DAG: %slots = cheems_plan.size slots
// FIELDS-DAG: %capacity = cheems_plan.size capacity
// FIELDS-DAG: %[[LOGITS:.*]] = cheems_plan.field logits
// FIELDS-DAG: %rows = cheems_plan.size rows
// Rows of the pool's slots as one.
// FIELDS: %[[ALL:.*]] = arith.muli %slots, %capacity
// FIELDS: %[[MAP:.*]] = cheems_plan.tensor_map %[[P0]][%[[ALL]], %c64{{.*}}] : !cheems_tile.tensor_map<8x64xf32>
// FIELDS: cheems_plan.launch @boxes grid({{.*}}) (%[[MAP]], %{{.*}}, %{{.*}}, %{{.*}}, %[[LOGITS]], %rows) : !cheems_tile.tensor_map<8x64xf32>, index, i32, f32, !cheems_plan.address, index
// FIELDS: cheems_plan.launch @static {{.*}} (%[[LOGITS]]) : !cheems_plan.address
// FIELDS: cheems_plan.launch @expanded {{.*}} (%[[LOGITS]], %{{.*}}) : !cheems_plan.address, index
// FIELDS-LABEL: cheems_plan.entry @best top_logits(8) {
// FIELDS: cheems_plan.field top_values
// FIELDS: cheems_plan.field top_tokens
// FIELDS: cheems_plan.field log_sums
// Other functions stay.
// FIELDS: func.func private @other

// Calls are inlined. Areas of the second one are those of the first. Neighbours of one condition are one.
// CALLS-LABEL: cheems_plan.entry @step general {
// CALLS: cheems_plan.part "first"
// CALLS: cheems_plan.area
// CALLS-NOT: cheems_plan.area
// CALLS: cheems_plan.when %[[FEW:.*]] {
// CALLS-NEXT: cheems_plan.launch @scale
// CALLS-NEXT: cheems_plan.launch @scale
// CALLS-NEXT: }
// CALLS-NEXT: cheems_plan.part "second"
// CALLS-NEXT: cheems_plan.when %[[FEW]] {
// CALLS-NEXT: cheems_plan.launch @scale
// CALLS-NEXT: cheems_plan.launch @scale
// CALLS-NEXT: }
// CALLS-NEXT: }
// CALLS-NOT: func.func

//--- step.mlir
// doc: cheems-tile-to-plan
cheems_tile.kernel @gather(%table: memref<512x64xf32>, %tokens: memref<?xi32>, %y: memref<?x64xf32>) warps(1) {
  cheems_tile.return
}
func.func @step(%parameters: memref<135168xi8> {cheems.field = #cheems.step_field<parameters>}, %tokens: memref<?xi32> {cheems.field = #cheems.step_field<tokens>}) attributes {cheems.entry = "step"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %at = arith.constant 4096 : index
  cheems.mark "embedding"
  %table = memref.view %parameters[%at][] : memref<135168xi8> to memref<512x64xf32>
  %t = memref.dim %tokens, %c0 : memref<?xi32>
  %y = memref.alloc(%t) : memref<?x64xf32>
  cheems_tile.launch @gather grid[%t, %c1, %c1] ins(%table, %tokens : memref<512x64xf32>, memref<?xi32>) outs(%y : memref<?x64xf32>)
  %few = arith.cmpi ult, %t, %c8 : index
  cheems_tile.launch @gather when %few grid[%t, %c1, %c1] ins(%table, %tokens : memref<512x64xf32>, memref<?xi32>) outs(%y : memref<?x64xf32>)
  memref.dealloc %y : memref<?x64xf32>
  return
}
// doc-end

//--- fields.mlir
cheems_tile.kernel @boxes(%x: !cheems_tile.tensor_map<8x64xf32>, %n: index, %k: i32, %f: f32, %y: memref<?x512xf32>) warps(1) {
  cheems_tile.return
}
cheems_tile.kernel @static(%y: memref<4x512xf32>) warps(1) {
  cheems_tile.return
}
cheems_tile.kernel @expanded(%y: memref<?x2x256xf32>) warps(1) {
  cheems_tile.return
}
func.func @decode(%pool: memref<?x?x64xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 3 : i64}, %logits: memref<?x512xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "decode", cheems.most_rows = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 7 : i32
  %f = arith.constant 0.5 : f32
  %entries = memref.collapse_shape %pool [[0, 1], [2]] : memref<?x?x64xf32> into memref<?x64xf32>
  cheems_tile.launch @boxes grid[%c1, %c1, %c1] ins(%entries, %c1, %k, %f : memref<?x64xf32>, index, i32, f32) outs(%logits : memref<?x512xf32>)
  %four = memref.cast %logits : memref<?x512xf32> to memref<4x512xf32>
  cheems_tile.launch @static grid[%c1, %c1, %c1] outs(%four : memref<4x512xf32>)
  %rows = memref.dim %logits, %c0 : memref<?x512xf32>
  %expanded = memref.expand_shape %logits [[0], [1, 2]] output_shape [%rows, 2, 256] : memref<?x512xf32> into memref<?x2x256xf32>
  cheems_tile.launch @expanded grid[%c1, %c1, %c1] outs(%expanded : memref<?x2x256xf32>)
  return
}
func.func @best(%values: memref<?x8xf32> {cheems.field = #cheems.step_field<top_values>}, %tokens: memref<?x8xi32> {cheems.field = #cheems.step_field<top_tokens>}, %sums: memref<?xf32> {cheems.field = #cheems.step_field<log_sums>}) attributes {cheems.entry = "best"} {
  return
}
func.func private @other()

//--- calls.mlir
cheems_tile.kernel @scale(%x: memref<?x64xf32>, %y: memref<?x64xf32>) warps(1) {
  cheems_tile.return
}
func.func private @layer(%x: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = memref.dim %x, %c0 : memref<?x64xf32>
  %y = memref.alloc(%t) : memref<?x64xf32>
  %few = arith.cmpi ult, %t, %c8 : index
  cheems_tile.launch @scale when %few grid[%t, %c1, %c1] ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>)
  cheems_tile.launch @scale when %few grid[%t, %c1, %c1] ins(%y : memref<?x64xf32>) outs(%x : memref<?x64xf32>)
  return
}
func.func @step(%x: memref<?x64xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}) attributes {cheems.entry = "step"} {
  cheems.mark "first"
  call @layer(%x) : (memref<?x64xf32>) -> ()
  cheems.mark "second"
  call @layer(%x) : (memref<?x64xf32>) -> ()
  return
}

//--- ring.mlir
module attributes {cheems.state = [#cheems.pool<name = "keys", role = keys, type = f32, shape = [slots, capacity, 64]>, #cheems.pool<name = "ring_keys", role = keys, type = f32, shape = [slots, ring, 64]>]} {
  cheems_tile.kernel @entries(%entries: memref<?x?x64xf32>) warps(1) {
    cheems_tile.return
  }
  func.func @step(%pool: memref<?x?x64xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 1 : i64}) attributes {cheems.entry = "step"} {
    %c1 = arith.constant 1 : index
    cheems_tile.launch @entries grid[%c1, %c1, %c1] outs(%pool : memref<?x?x64xf32>)
    return
  }
}

//--- private.mlir
func.func private @step(%logits: memref<?x512xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "step"} {
  return
}
