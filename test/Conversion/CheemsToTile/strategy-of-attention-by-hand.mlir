// Stages of a ring are two or more: with one, a block would read what the next copy overwrites.
// RUN: cheems-opt %s --cheems-form-groups --cheems-select-gpu-strategy -o %t.chosen.mlir
// RUN: sed 's/stages = 2/stages = 3/' %t.chosen.mlir > %t.edited.mlir
// RUN: not cmp -s %t.chosen.mlir %t.edited.mlir
// RUN: cheems-opt %t.edited.mlir --cheems-to-tile | FileCheck %s
// CHECK: cheems_tile.alloc : !cheems_tile.buffer<3x
// RUN: sed 's/stages = 2/stages = 1/' %t.chosen.mlir > %t.wrong.mlir
// RUN: not cheems-opt %t.wrong.mlir --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: 'cheems.segmented_attention' op cannot have this cheems_tile.strategy: it needs at least 2 stages, not 1;
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
func.func @prompt(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %value: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index,
    %y: tensor<?x4x64xf32>, %keys: tensor<?x3x2x?x64xbf16>, %values: tensor<?x3x2x?x64xbf16>, %masks: tensor<?x3x2x?xf32>) -> (tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>) {
  %o:4 = cheems.segmented_attention bias scale 0.125 block 64
        ins(%q, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>)
        -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
}
}
