// What is under way of experts' rows can be edited by hand where a strategy is printed: then the kernel has other buffers.
// RUN: cheems-opt %s --cheems-cuda=to=strategy -o %t.chosen.mlir
// RUN: FileCheck %s --check-prefix=STRATEGY --input-file=%t.chosen.mlir
// STRATEGY: cheems_tile.group experts
// STRATEGY: cheems.mix_experts {{.*}}{cheems_tile.strategy = #cheems_tile.experts_strategy<warps = 4, {{.*}}, heads = 1, ahead = 3>}
// STRATEGY-COUNT-3: cheems.mix_experts softmax silu ins
// STRATEGY: cheems_tile.group retrieved_experts
// STRATEGY: cheems.retrieve_experts {cheems_tile.strategy = #cheems_tile.experts_strategy<warps = 4, {{.*}}, heads = 1>}
// RUN: sed 's/ahead = 3/ahead = 1/' %t.chosen.mlir > %t.edited.mlir
// RUN: not cmp -s %t.chosen.mlir %t.edited.mlir
// RUN: cheems-opt %t.chosen.mlir '--cheems-cuda=from=strategy to=tile' | FileCheck %s --check-prefixes=ALL,CHOSEN
// RUN: cheems-opt %t.edited.mlir '--cheems-cuda=from=strategy to=tile' | FileCheck %s --check-prefixes=ALL,EDITED
// ALL: launch @experts grid[%{{.*}}, %c4, %c1]
// ALL: cheems_tile.kernel @experts(
// CHOSEN-COUNT-2: cheems_tile.alloc {{.*}}: !cheems_tile.buffer<4x4x1024xbf16>
// CHOSEN: cheems_tile.wait pending 3
// EDITED-COUNT-2: cheems_tile.alloc {{.*}}: !cheems_tile.buffer<2x4x1024xbf16>
// EDITED: cheems_tile.wait pending 1

// What is a part of the order of sums is refused, and so is what the group does not have, or more than shared memory has.
// RUN: sed 's/heads = 1, ahead/heads = 2, ahead/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=HEADS
// HEADS: error: 'cheems.mix_experts' op cannot have this cheems_tile.strategy: its kernels have these rows alone; of its own it has #cheems_tile.experts_strategy<
// RUN: sed 's/ahead = 3/ahead = 3, with_keys = true/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=KEYS
// KEYS: its scores are summed in one order;
// RUN: sed 's/ahead = 3/ahead = 30/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile --cheems-tile-plan-shared 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: @experts needs {{[0-9]+}} bytes of shared memory
// A part that is not the first one has none.
// RUN: sed 's/silu ins/silu {cheems_tile.strategy = #cheems_tile.experts_strategy<warps = 4, scores = <rows = 16, threads = 8, width = 4, columns = 32>, keys = <rows = 4, threads = 32, width = 1, columns = 32>, pairs = <rows = 4, threads = 32, width = 1, columns = 64>, tables = <rows = 4, threads = 32, width = 8, columns = 1024>, sums = <rows = 1, threads = 128, width = 4, columns = 1024, times = 4>, heads = 1, ahead = 3>} ins/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: 'cheems.mix_experts' op has a cheems_tile.strategy that no kernel follows: another op of its group has the one of all
// Parts that add to something else than zeros are in no group that a kernel has.
// RUN: sed '/mix_experts/s/outs(%[0-9]*/outs(%arg4/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=ZEROS
// ZEROS: error: 'cheems.mix_experts' op has a cheems_tile.strategy that no kernel follows

!x = tensor<?x1024xf32>
!w = tensor<1024x1024xbf16>
!score = tensor<?x4x16xf32>
!expert = tensor<?x4x16xi32>
!scores = tensor<?x2x4x32xf32>
func.func @add(%x: !x, %scores: !scores, %down: !w, %up: !w, %y: !x) -> !x attributes {cheems.most_rows = 64 : i64} {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : !x
  %s = tensor.empty(%rows) : !score
  %e = tensor.empty(%rows) : !expert
  %r:2 = cheems.retrieve_experts ins(%scores : !scores) outs(%s, %e : !score, !expert) -> !score, !expert
  %sum = cheems.mix_experts softmax silu ins(%x, %r#0, %r#1, %down, %up : !x, !score, !expert, !w, !w) outs(%y : !x) -> !x
  return %sum : !x
}

func.func @find(%x: !x, %scores: !scores) -> (!score, !expert) attributes {cheems.most_rows = 64 : i64} {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : !x
  %s = tensor.empty(%rows) : !score
  %e = tensor.empty(%rows) : !expert
  %r:2 = cheems.retrieve_experts ins(%scores : !scores) outs(%s, %e : !score, !expert) -> !score, !expert
  return %r#0, %r#1 : !score, !expert
}
