// Plans print as they parse, and results are called by what they are.
// RUN: cheems-opt %s | FileCheck %s
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

cheems_tile.kernel @scale(%x: memref<?x64xf32>, %map: !cheems_tile.tensor_map<8x64xf32>, %n: index, %k: i32, %f: f32) warps(1) {
  cheems_tile.return
}

// CHECK: cheems_plan.entry @step general {
cheems_plan.entry @step general {
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  %one = arith.constant 1 : index
  %k = arith.constant 3 : i32
  %f = arith.constant 5.000000e-01 : f32
  // CHECK: %tokens = cheems_plan.size tokens
  %0 = cheems_plan.size tokens
  // CHECK: %segments = cheems_plan.size segments
  %1 = cheems_plan.size segments
  // CHECK: %rows = cheems_plan.size rows
  %2 = cheems_plan.size rows
  // CHECK: %slots = cheems_plan.size slots {test.note = 1 : i64}
  %3 = cheems_plan.size slots {test.note = 1}
  // CHECK: %capacity = cheems_plan.size capacity
  %4 = cheems_plan.size capacity
  // CHECK: %embedding_rows = cheems_plan.size embedding_rows
  %5 = cheems_plan.size embedding_rows
  // CHECK: cheems_plan.part "embedding"
  cheems_plan.part "embedding"
  // CHECK: %weights = cheems_plan.weights 4096
  %w = cheems_plan.weights 4096
  // CHECK: %pool = cheems_plan.pool 2
  %p = cheems_plan.pool 2
  // CHECK: %area = cheems_plan.area %tokens
  %a = cheems_plan.area %0
  // CHECK: %of_tokens = cheems_plan.field tokens
  %f0 = cheems_plan.field tokens
  // CHECK: cheems_plan.field segments
  %f1 = cheems_plan.field segments
  // CHECK: cheems_plan.field rows
  %f2 = cheems_plan.field rows
  // CHECK: cheems_plan.field logits
  %f3 = cheems_plan.field logits
  // CHECK: cheems_plan.field embedding_rows
  %f4 = cheems_plan.field embedding_rows
  // CHECK: cheems_plan.field embeddings
  %f5 = cheems_plan.field embeddings
  // CHECK: cheems_plan.field top_values
  %f6 = cheems_plan.field top_values
  // CHECK: cheems_plan.field top_tokens
  %f7 = cheems_plan.field top_tokens
  // CHECK: cheems_plan.field log_sums
  %f8 = cheems_plan.field log_sums
  // CHECK: %[[MAP:.*]] = cheems_plan.tensor_map %area[%tokens, %[[ONE]]] : !cheems_tile.tensor_map<8x64xf32>
  %map = cheems_plan.tensor_map %a[%0, %one] : !cheems_tile.tensor_map<8x64xf32>
  // CHECK: cheems_plan.launch @scale grid(%tokens, %[[ONE]], %[[ONE]]) (%weights, %tokens, %[[MAP]], %rows, %{{.*}}, %{{.*}}) : !cheems_plan.address, index, !cheems_tile.tensor_map<8x64xf32>, index, i32, f32
  cheems_plan.launch @scale grid(%0, %one, %one) (%w, %0, %map, %2, %k, %f) : !cheems_plan.address, index, !cheems_tile.tensor_map<8x64xf32>, index, i32, f32
  %few = arith.cmpi ult, %0, %2 : index
  // CHECK: cheems_plan.when %{{.*}} {
  // CHECK-NEXT: cheems_plan.launch @scale
  // CHECK-NEXT: }
  cheems_plan.when %few {
    cheems_plan.launch @scale grid(%0, %one, %one) (%w, %0, %map, %2, %k, %f) : !cheems_plan.address, index, !cheems_tile.tensor_map<8x64xf32>, index, i32, f32
  }
}

// CHECK: cheems_plan.entry @few decode(64) attributes {test.note = 1 : i64} {
// CHECK-NEXT: }
cheems_plan.entry @few decode(64) attributes {test.note = 1} {
}

// CHECK: cheems_plan.entry @best top_logits(1) {
cheems_plan.entry @best top_logits(1) {
}

// A compiled kernel is known by its name.
gpu.module @kernels {
  llvm.func @compiled() {
    llvm.return
  }
}
// CHECK: cheems_plan.launch @compiled grid(%{{.*}}, %{{.*}}, %{{.*}}) (){{$}}
cheems_plan.entry @later top_logits(2) {
  %one = arith.constant 1 : index
  cheems_plan.launch @compiled grid(%one, %one, %one) ()
}
