// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-tile-threads),canonicalize,cse)' | FileCheck %s

// Panels of every weight, the columns they stand for, and what is beside the sums there.
// CHECK-LABEL: @product
// CHECK: scf.forall (%[[P:.*]]) = (0) to (6) step (2) shared_outs(%[[O:.*]] = %{{.*}})
// CHECK-DAG: %[[N:.*]] = affine.apply #{{.*}}(%[[P]])
// CHECK-DAG: tensor.extract_slice %arg1[%[[P]], 0, 0, 0] [2, 8, 16, 1]
// CHECK-DAG: tensor.extract_slice %arg2[%[[P]], 0, 0, 0] [2, 8, 16, 1]
// CHECK-DAG: tensor.extract_slice %arg3[%[[N]]] [32] [1]
// CHECK-DAG: tensor.extract_slice %[[O]][0, %[[N]]] [%{{.*}}, 32] [1, 1]
// CHECK: cheems_cpu.linear ins(%{{.*}} : tensor<?x8xf32>) weights(%{{.*}}, %{{.*}} : tensor<2x8x16x1xf32>, tensor<2x8x16x1xf32>) with(%{{.*}} : tensor<32xf32>) outs(%{{.*}} : tensor<?x32xf32>)
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[O]][0, %[[N]]]
// CHECK-NOT: cheems_cpu.linear
// doc: func.func(cheems-tile-threads),canonicalize,cse
func.func @product(%x: tensor<?x8xf32>, %g: tensor<6x8x16x1xf32>, %u: tensor<6x8x16x1xf32>, %b: tensor<96xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x96xf32>
  %y = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 2>} ins(%x : tensor<?x8xf32>) weights(%g, %u : tensor<6x8x16x1xf32>, tensor<6x8x16x1xf32>) with(%b : tensor<96xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%gate: f32, %up: f32, %bias: f32):
    %0 = arith.addf %gate, %bias : f32
    %1 = arith.mulf %0, %up : f32
    cheems_cpu.yield %1 : f32
  } -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
// doc-end

// The last group has fewer panels, the last panel fewer columns.
// CHECK-LABEL: @tail
// CHECK: scf.forall (%[[P:.*]]) = (0) to (5) step (2)
// CHECK-DAG: %[[PANELS:.*]] = affine.min #{{.*}}(%[[P]])
// CHECK-DAG: %[[COLUMNS:.*]] = affine.min #{{.*}}(%[[PANELS]], %[[P]])
// CHECK-DAG: tensor.extract_slice %arg1[%[[P]], 0, 0, 0] [%[[PANELS]], 4, 16, 2]
// CHECK-DAG: tensor.extract_slice %{{.*}}[0, %{{.*}}] [%{{.*}}, %[[COLUMNS]]] [1, 1]
// CHECK: cheems_cpu.linear
func.func @tail(%x: tensor<?x8xf32>, %w: tensor<5x4x16x2xbf16>, %y: tensor<?x70xf32>) -> tensor<?x70xf32> {
  %r = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 2>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<5x4x16x2xbf16>) outs(%y : tensor<?x70xf32>) -> tensor<?x70xf32>
  return %r : tensor<?x70xf32>
}

// A matmul of no more panels than one iteration takes stays whole.
// CHECK-LABEL: @small_matmul
// CHECK-NOT: scf.forall
// CHECK: return
func.func @small_matmul(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 2>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<2x8x16x1xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// CHECK-LABEL: @rows
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%{{.*}}) step (4)
// CHECK: cheems.rms_norm
func.func @rows(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = cheems.rms_norm epsilon 0.5 {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 4>} ins(%x, %w : tensor<?x8xf32>, tensor<8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// What says no strategy stays whole.
// CHECK-LABEL: @unsaid
// CHECK-NOT: scf.forall
// CHECK: return
func.func @unsaid(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<?x8xf32>, tensor<8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// A reduction is never split, nor what has no rows of a step, nor what is parallel already.
// CHECK-LABEL: @whole
// CHECK-NOT: scf.forall (%{{.*}}) = (0)
// CHECK: return
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (j)>
func.func @whole(%x: tensor<?x8xf32>, %sum: tensor<8xf32>, %s: tensor<4x8xf32>, %w: tensor<8xf32>, %n: index, %y: tensor<?x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>, tensor<?x8xf32>) {
  %a = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction", "parallel"], cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 4>} ins(%x : tensor<?x8xf32>) outs(%sum : tensor<8xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %t = arith.addf %e, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %b = cheems.rms_norm epsilon 0.5 {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 4>} ins(%s, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%s : tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = scf.forall (%i) in (%n) shared_outs(%o = %y) -> tensor<?x8xf32> {
    %d = tensor.dim %o, %i : tensor<?x8xf32>
    %p = tensor.extract_slice %o[%i, 0] [%d, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %q = cheems.rms_norm epsilon 0.5 {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 4>} ins(%x, %w : tensor<?x8xf32>, tensor<8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, 0] [%d, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    }
  }
  return %a, %b, %c : tensor<8xf32>, tensor<4x8xf32>, tensor<?x8xf32>
}

// A row of the first is work enough for an iteration; the kernel of the second has loops of its own.
// CHECK-LABEL: @experts
// CHECK: scf.forall (%[[T:.*]]) in (%{{.*}}) shared_outs(%[[S:.*]] = %{{.*}}, %[[E:.*]] = %{{.*}})
// CHECK: cheems.retrieve_experts ins(%{{.*}} : tensor<1x2x1x16xf32>) outs(%{{.*}}, %{{.*}} : tensor<1x1x4xf32>, tensor<1x1x4xi32>)
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[S]][%[[T]], 0, 0] [1, 1, 4]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[E]][%[[T]], 0, 0] [1, 1, 4]
// CHECK-NOT: scf.forall
// CHECK: cheems.mix_experts softmax silu ins(%{{.*}}, %{{.*}}, %{{.*}}, %arg{{.*}}, %arg{{.*}} : tensor<?x8xf32>, {{.*}}) outs(%{{.*}} : tensor<?x8xf32>)
func.func @experts(%g: tensor<?x2x1x16xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %x: tensor<?x8xf32>, %down: tensor<256x8xf32>, %up: tensor<256x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0, %1 = cheems.retrieve_experts {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 1>} ins(%g : tensor<?x2x1x16xf32>) outs(%s, %e : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %2 = cheems.mix_experts softmax silu ins(%x, %0, %1, %down, %up : tensor<?x8xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<256x8xf32>, tensor<256x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// What finishes a matmul in place brings it along, in groups of whole heads: these have 64 columns, four panels.
// CHECK-LABEL: @finished
// CHECK: scf.forall (%[[P:.*]]) = (0) to (9) step (4) shared_outs(%[[O:.*]] = %{{.*}})
// CHECK-DAG: %[[N:.*]] = affine.apply #{{.*}}(%[[P]])
// CHECK: %[[SUMS:.*]] = cheems_cpu.linear ins(%{{.*}} : tensor<?x8xf32>) weights(%{{.*}} : tensor<?x8x16x1xf32>) outs(%{{.*}} : tensor<?x?xf32>)
// CHECK: %[[ALL:.*]] = cheems_cpu.column_epilogue rotated 64 mapped [128, 130] at %[[N]] angles({{.*}}) outs(%[[SUMS]] : tensor<?x?xf32>)
// CHECK: tensor.parallel_insert_slice %[[ALL]] into %[[O]][0, %[[N]]]
// CHECK-NOT: cheems.
// CHECK: return
func.func @finished(%x: tensor<?x8xf32>, %w: tensor<9x8x16x1xf32>, %cos: tensor<?x32xf32>, %sin: tensor<?x32xf32>) -> tensor<?x144xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x144xf32>
  %y = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%w : tensor<9x8x16x1xf32>) outs(%e : tensor<?x144xf32>) -> tensor<?x144xf32>
  %r = cheems_cpu.column_epilogue rotated 64 mapped [128, 130] {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4>} angles(%cos, %sin : tensor<?x32xf32>, tensor<?x32xf32>) outs(%y : tensor<?x144xf32>) {
  ^bb0(%step: f32):
    %0 = math.exp %step : f32
    cheems_cpu.yield %0 : f32
  } -> tensor<?x144xf32>
  return %r : tensor<?x144xf32>
}

// A matmul that something else reads, too, stays whole, and with it what finishes it.
// CHECK-LABEL: @finished_and_read
// CHECK-NOT: scf.forall
// CHECK: %[[SUMS:.*]] = cheems_cpu.linear ins(%{{.*}} : tensor<?x8xf32>) weights(%{{.*}} : tensor<8x8x16x1xf32>) outs(%{{.*}} : tensor<?x128xf32>)
// CHECK: %[[ALL:.*]] = cheems_cpu.column_epilogue rotated 64 angles({{.*}}) outs(%[[SUMS]] : tensor<?x128xf32>)
// CHECK: return %[[ALL]], %[[SUMS]]
func.func @finished_and_read(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %cos: tensor<?x32xf32>, %sin: tensor<?x32xf32>) -> (tensor<?x128xf32>, tensor<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x128xf32>
  %y = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 8>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
  %r = cheems_cpu.column_epilogue rotated 64 {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4>} angles(%cos, %sin : tensor<?x32xf32>, tensor<?x32xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r, %y : tensor<?x128xf32>, tensor<?x128xf32>
}

// What the kernel reads stays on the tile.
// CHECK-LABEL: @few_rows
// CHECK: scf.forall
// CHECK: cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<few_rows = true>} ins
func.func @few_rows(%x: tensor<?x8xf32>, %w: tensor<4x8x16x1xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 2, few_rows = true>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<4x8x16x1xf32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
