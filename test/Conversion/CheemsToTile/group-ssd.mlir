// RUN: cheems-opt %s --split-input-file --cheems-group-ssd | FileCheck %s

// One row of a segment has its rotations and the rounding after it.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: cheems.rotary
// CHECK: %[[Y:.*]]:2 = cheems_tile.group ssd -> tensor<?x3x4x128x64xf32>, tensor<?x256xbf16> {
// CHECK-COUNT-2: cheems.rotary
// CHECK: cheems.segmented_ssd
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic
// CHECK: return %[[Y]]#1, %[[Y]]#0
// doc: cheems-group-ssd
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @one_row(%x: tensor<?x4x64xf32>, %step: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x128xf32>, %c: tensor<?x2x128xf32>,
                     %cosine: tensor<?x64xf32>, %sine: tensor<?x64xf32>, %e: tensor<?x2x128xf32>, %segments: tensor<?x8xi32>, %layer: index,
                     %y: tensor<?x4x64xf32>, %pool: tensor<?x3x4x128x64xf32>, %flat: tensor<?x256xbf16>)
      -> (tensor<?x256xbf16>, tensor<?x3x4x128x64xf32>) {
    %rb = cheems.rotary ins(%b, %cosine, %sine : tensor<?x2x128xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%e : tensor<?x2x128xf32>) -> tensor<?x2x128xf32>
    %rc = cheems.rotary ins(%c, %cosine, %sine : tensor<?x2x128xf32>, tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%e : tensor<?x2x128xf32>) -> tensor<?x2x128xf32>
    %o:2 = cheems.segmented_ssd one_row
        ins(%x, %step, %a, %rb, %rc : tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %pool : tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>) -> tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>
    %rows = tensor.collapse_shape %o#0 [[0], [1, 2]] : tensor<?x4x64xf32> into tensor<?x256xf32>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%rows : tensor<?x256xf32>) outs(%flat : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %r = arith.truncf %in : f32 to bf16
      linalg.yield %r : bf16
    } -> tensor<?x256xbf16>
    return %rounded, %o#1 : tensor<?x256xbf16>, tensor<?x3x4x128x64xf32>
  }
}
// doc-end

// -----

// What widens rounded numbers is in the group of a prompt.
// CHECK-LABEL: func.func @prompt
// CHECK-NOT: linalg.generic
// CHECK: cheems_tile.group ssd
// CHECK-COUNT-3: linalg.generic
// CHECK: cheems.segmented_ssd
#every = affine_map<(t, h, p) -> (t, h, p)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @prompt(%xs: tensor<?x4x64xbf16>, %step: tensor<?x4xf32>, %a: tensor<4xf32>, %bs: tensor<?x2x128xbf16>, %cs: tensor<?x2x128xbf16>,
                    %skip: tensor<4xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x64xf32>,
                    %pool: tensor<?x3x4x128x64xf32>, %ex: tensor<?x4x64xf32>, %eb: tensor<?x2x128xf32>)
      -> (tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>) {
    %x = linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%xs : tensor<?x4x64xbf16>) outs(%ex : tensor<?x4x64xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %w = arith.extf %in : bf16 to f32
      linalg.yield %w : f32
    } -> tensor<?x4x64xf32>
    %b = linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%bs : tensor<?x2x128xbf16>) outs(%eb : tensor<?x2x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %w = arith.extf %in : bf16 to f32
      linalg.yield %w : f32
    } -> tensor<?x2x128xf32>
    %c = linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%cs : tensor<?x2x128xbf16>) outs(%eb : tensor<?x2x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %w = arith.extf %in : bf16 to f32
      linalg.yield %w : f32
    } -> tensor<?x2x128xf32>
    %o:2 = cheems.segmented_ssd allow_bf16
        ins(%x, %step, %a, %b, %c : tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>)
        skip(%skip : tensor<4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %pool : tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>) -> tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>
  }
}
