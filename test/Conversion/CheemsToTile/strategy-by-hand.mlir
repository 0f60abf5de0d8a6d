// A strategy that is printed can be edited and fed to what makes kernels: with another tile there is another kernel, of the same sums.
// RUN: cheems-opt %s --cheems-form-groups --cheems-select-gpu-strategy -o %t.chosen.mlir
// RUN: sed 's/rows = 128, columns = 128, depth = 64, stages = 3/rows = 64, columns = 64, depth = 64, stages = 2/' %t.chosen.mlir > %t.edited.mlir
// RUN: not cmp -s %t.chosen.mlir %t.edited.mlir
// RUN: cheems-opt %t.chosen.mlir --cheems-to-tile --canonicalize --cse | FileCheck %s --check-prefixes=ALL,CHOSEN
// RUN: cheems-opt %t.edited.mlir --cheems-to-tile --canonicalize --cse | FileCheck %s --check-prefixes=ALL,EDITED
// One that cannot be is refused where it stands.
// RUN: sed 's/stages = 3/stages = 0/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: needs stages of at least 1, not 0
// So is one that no kernel could follow, at the op.
// RUN: sed 's/columns = 128, depth = 64/columns = 100, depth = 64/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: error: 'linalg.matmul' op cannot have this cheems_tile.strategy: it needs columns in multiples of 16, not 100; of its own it has #cheems_tile.matmul_strategy<many = <rows = 128, columns = 128,
// RUN: sed 's/depth = 64, stages = 3/depth = 32, stages = 3/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: it needs a depth of 64, not 32;
// RUN: sed 's/warps_m = 2, warps_n = 2/warps_m = 8, warps_n = 1, unit = wgmma/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: the target has no unit wgmma;
// RUN: sed 's/matmul_strategy<many = <[^>]*>>/row_tile<rows = 1, threads = 32, width = 4, columns = 128>/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=ANOTHER
// ANOTHER: error: 'linalg.matmul' op cannot have #cheems_tile.row_tile
// RUN: sed 's/stages = 3/stages = 1/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: it needs at least 2 stages, not 1;
// RUN: sed 's/stages = 3/stages = 30/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile --cheems-tile-plan-shared 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: @matmul needs {{[0-9]+}} bytes of shared memory, and a block has 166912: choose smaller tiles or fewer stages

// ALL: launch @matmul grid
// CHOSEN: cheems_tile.kernel @matmul({{.*}}) warps(4)
// CHOSEN: cheems_tile.alloc : !cheems_tile.buffer<3x128x64xbf16, swizzled>
// EDITED: cheems_tile.kernel @matmul({{.*}}) warps(4)
// EDITED: cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
// ALL: cheems_tile.mma
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @many(%x: tensor<?x512xbf16>, %w: tensor<2048x512xbf16>, %y: tensor<?x2048xf32>) -> tensor<?x2048xf32> {
    %zero = arith.constant 0.0 : f32
    %0 = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %1 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x512xbf16>, tensor<2048x512xbf16>) outs(%0 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    return %1 : tensor<?x2048xf32>
  }
}
