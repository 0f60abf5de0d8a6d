// RUN: cheems-opt %s --split-input-file --cheems-to-tile --canonicalize --cse | FileCheck %s

// A prompt is four launches. Chunks are in parallel, but for the state, which goes through them in one block. There are as many chunks as
// whole ones in all rows and a rest per segment.
// CHECK-LABEL: func.func @prompt
// CHECK: %[[WHOLE:.*]] = arith.ceildivui %{{.*}}, %c64
// CHECK: %[[CHUNKS:.*]] = arith.addi %[[WHOLE]], %[[SEGMENTS:.*]] : index
// CHECK: tensor.empty(%[[CHUNKS]]) : tensor<?x4x128x64xf32>
// CHECK: tensor.empty(%[[CHUNKS]]) : tensor<?x4x128x64xbf16>
// CHECK: %[[DECAYS:.*]]:2 = cheems_tile.launch @ssd_decays grid[%[[WHOLE]], %c1, %[[SEGMENTS]]]
// CHECK: %[[ADDED:.*]] = cheems_tile.launch @ssd_added grid[%[[WHOLE]], %c8, %[[SEGMENTS]]]
// CHECK: %[[CARRIED:.*]]:2 = cheems_tile.launch @ssd_carried grid[%c16, %c4, %[[SEGMENTS]]] {{.*}} outs(%{{.*}}, %arg9 :
// CHECK: %[[Y:.*]] = cheems_tile.launch @ssd_outputs grid[%[[WHOLE]], %c4, %[[SEGMENTS]]]
// CHECK: return %[[Y]], %[[CARRIED]]#1

// Logarithms are summed in double, and stored as two numbers.
// CHECK-LABEL: cheems_tile.kernel @ssd_decays(
// CHECK-SAME: warps(1)
// CHECK: scf.for {{.*}} -> (tensor<1x32xf64
// CHECK: math.fma {{.*}} : tensor<1x32xf64
// CHECK: %[[HIGH:.*]] = arith.truncf {{.*}} to tensor<1x32xf32
// CHECK: %[[WIDE:.*]] = arith.extf %[[HIGH]]
// CHECK: arith.subf %{{.*}}, %[[WIDE]] : tensor<1x32xf64

// Both operands of the product lie across.
// CHECK-LABEL: cheems_tile.kernel @ssd_added(
// CHECK: cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<64x16xbf16, #fragment_a
// CHECK: cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<64x16xbf16, #fragment_b
// CHECK: cheems_tile.mma

// CHECK-LABEL: cheems_tile.kernel @ssd_carried(
// CHECK: scf.for
// CHECK: cheems_tile.store %{{.*}}, %arg5[{{.*}}] {{.*}} : tensor<32x16xbf16
// CHECK: cheems_tile.store %{{.*}}, %arg6[

// Decays meet the product of gates in registers, and become an operand there.
// CHECK-LABEL: cheems_tile.kernel @ssd_outputs(
// CHECK: scf.for
// CHECK: cheems_tile.async_copy
// CHECK: cheems_tile.mma
// CHECK: }
// CHECK: %[[DECAY:.*]] = math.exp %{{.*}} : tensor<64x64xf32, #fragment_c
// CHECK: %[[WEIGHT:.*]] = arith.mulf %[[DECAY]]
// CHECK: cheems_tile.convert_layout {{.*}} -> tensor<64x64xbf16, #fragment_a
// CHECK: cheems_tile.mma
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @prompt(%x: tensor<?x4x64xf32>, %step: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x128xf32>, %c: tensor<?x2x128xf32>,
                    %skip: tensor<4xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x64xf32>,
                    %pool: tensor<?x3x4x128x64xf32>) -> (tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>) {
    %o:2 = cheems.segmented_ssd allow_bf16
        ins(%x, %step, %a, %b, %c : tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>)
        skip(%skip : tensor<4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %pool : tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>) -> tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>
  }
}

// -----

// Without leave to round, products are in f32.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: bf16
// CHECK-LABEL: cheems_tile.kernel @ssd_outputs(
// CHECK-COUNT-3: cheems_tile.fma
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @exact(%x: tensor<?x4x16xf32>, %step: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x4x16xf32>, %c: tensor<?x4x16xf32>,
                   %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %pool: tensor<?x3x4x16x16xf32>)
      -> (tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>) {
    %o:2 = cheems.segmented_ssd
        ins(%x, %step, %a, %b, %c : tensor<?x4x16xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4x16xf32>, tensor<?x4x16xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %pool : tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>) -> tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>
    return %o#0, %o#1 : tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>
  }
}

// -----

// A row alone is one launch, with the rotation of b and c and the rounding of y. The state is read and written 16 bytes at a time.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: cheems.rotary
// CHECK: %[[ROUNDED:.*]] = tensor.empty(%{{.*}}) : tensor<?x4x64xbf16>
// CHECK: %[[R:.*]]:2 = cheems_tile.launch @ssd_of_one_row grid[%c4, %c4, %{{.*}}] {{.*}} outs(%[[ROUNDED]], %arg11 :
// CHECK-NOT: launch
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[R]]#0
// CHECK: return %[[FLAT]], %[[R]]#1
// CHECK-LABEL: cheems_tile.kernel @ssd_of_one_row(
// CHECK-COUNT-2: cheems_tile.load %arg10[{{.*}}] dims [3, 4] {{.*}} aligned 16
// CHECK: cheems_tile.store %{{.*}}, %arg10[{{.*}}] dims [3, 4] {{.*}} aligned 16
// CHECK: cheems_tile.store %{{.*}}, %arg10[{{.*}}] dims [3, 4] {{.*}} aligned 16
// CHECK: cheems_tile.reduce add %{{.*}} axis 0
// CHECK: cheems_tile.store {{.*}} memref<?x4x64xbf16>
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
