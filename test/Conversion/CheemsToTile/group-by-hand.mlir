// What makes kernels takes what is in a group, and nothing else. So groups can be printed, edited, and fed to it.
// RUN: cheems-opt %s --cheems-form-groups --cheems-select-gpu-strategy --cheems-to-tile --canonicalize | FileCheck %s --check-prefix=TOGETHER
// TOGETHER: cheems_tile.launch @matmul grid{{.*}} outs(%{{.*}} : tensor<?x128xf32>)
// TOGETHER-NOT: launch

// With the op after the matmul in a group of its own there are two launches.
// RUN: cheems-opt %s --cheems-form-groups -o %t.groups.mlir
// RUN: python3 %S/Inputs/split_group.py %t.groups.mlir > %t.split.mlir
// RUN: cheems-opt %t.split.mlir --cheems-select-gpu-strategy --cheems-to-tile --canonicalize | FileCheck %s --check-prefix=SPLIT
// SPLIT: cheems_tile.launch @matmul grid
// SPLIT: cheems_tile.launch @elementwise grid
// SPLIT-NOT: launch

// An op that no group has is refused, and so is one that the kernels of its group do not take, and a strategy that none follows.
// RUN: sed 's/group elementwise/group key_scores/' %t.split.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-select-gpu-strategy --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: 'linalg.generic' op is in a group of kind key_scores that no kernel has: let cheems-form-groups form it
// RUN: python3 %S/Inputs/split_group.py --alone %t.groups.mlir > %t.alone.mlir
// RUN: not cheems-opt %t.alone.mlir --cheems-select-gpu-strategy --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: 'linalg.generic' op is in no group whose kernels take it: cheems-form-groups comes first
// RUN: cheems-opt %t.groups.mlir --cheems-select-gpu-strategy -o %t.chosen.mlir
// RUN: sed 's/linalg.generic {/linalg.generic {cheems_tile.strategy = #cheems_tile.row_tile<rows = 1, threads = 32, width = 4, columns = 128>, /' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=UNHEEDED
// UNHEEDED: error: 'linalg.generic' op has a cheems_tile.strategy that no kernel follows: another op of its group has the one of all

#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @added(%x: tensor<?x256xbf16>, %w: tensor<128x256xbf16>, %z: tensor<?x128xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
    %zero = arith.constant 0.0 : f32
    %0 = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %1 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %2 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<?x128xf32>) outs(%y : tensor<?x128xf32>) {
    ^bb0(%p: f32, %q: f32):
      %3 = arith.addf %p, %q : f32
      linalg.yield %3 : f32
    } -> tensor<?x128xf32>
    return %2 : tensor<?x128xf32>
  }
}
