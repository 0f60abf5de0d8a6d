// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse --verify-diagnostics | FileCheck %s

// On tensor cores a prompt is three launches. Spans of chunks are in parallel, but for the state, which goes through all chunks in one block. A
// step has eight spans of equal length, or more if these were longer than 16 chunks. There are as many as whole ones in all rows and a rest
// per segment.
// CHECK-LABEL: func.func @prompt
// CHECK-DAG: %[[LONG:.*]] = arith.ceildivui %{{.*}}, %c1024
// CHECK-DAG: %[[WHOLE:.*]] = arith.ceildivui %{{.*}}, %c64
// CHECK: %[[FEW:.*]] = arith.minui %[[WHOLE]], %c8
// CHECK: %[[SPANS:.*]] = arith.maxui %[[LONG]], %[[FEW]]
// CHECK: %[[STORED:.*]] = arith.addi %[[SPANS]], %[[SEGMENTS:.*]] : index
// CHECK: tensor.empty(%[[STORED]]) : tensor<?x4x128x64xf32>
// CHECK: %[[DECAYS:.*]]:2 = cheems_tile.launch @ssd_decays grid[%[[WHOLE]], %c1, %[[SEGMENTS]]]
// CHECK: %[[STATES:.*]]:2 = cheems_tile.launch @ssd_states grid[%c8, %c4, %[[SEGMENTS]]] {{.*}} outs(%{{.*}}, %arg9 :
// CHECK: %[[Y:.*]] = cheems_tile.launch @ssd_outputs grid[%[[SPANS]], %c8, %[[SEGMENTS]]] ins(%arg0, %arg3, %arg4,
// CHECK: return %[[Y]], %[[STATES]]#1

// Logarithms are summed in double, and stored as two numbers.
// CHECK-LABEL: cheems_tile.kernel @ssd_decays(
// CHECK-SAME: warps(1)
// CHECK: scf.for {{.*}} -> (tensor<1x32xf64
// CHECK: math.fma {{.*}} : tensor<1x32xf64
// CHECK: %[[HIGH:.*]] = arith.truncf {{.*}} to tensor<1x32xf32
// CHECK: %[[WIDE:.*]] = arith.extf %[[HIGH]]
// CHECK: arith.subf %{{.*}}, %[[WIDE]] : tensor<1x32xf64

// Both operands of the matmul lie across. Decays meet x as an operand. The state is stored before a span.
// CHECK-LABEL: cheems_tile.kernel @ssd_states(
// CHECK: scf.for
// CHECK: cheems_tile.store %{{.*}}, %arg6[
// CHECK: scf.for
// CHECK: cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<32x16xbf16, #fragment_b
// CHECK: arith.mulf {{.*}} : tensor<32x16xf32, #fragment_b
// CHECK: cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<32x16xbf16, #fragment_a
// CHECK: cheems_tile.mma
// CHECK: math.fma {{.*}} : tensor<32x32xf32, #fragment_c
// CHECK: cheems_tile.store %{{.*}}, %arg7[

// Decays meet the matmul of gates in registers, and become an operand there. The state stays in registers, and is rounded for the matmul.
// CHECK-LABEL: cheems_tile.kernel @ssd_outputs(
// CHECK: scf.for
// CHECK: cheems_tile.write %{{.*}} : tensor<64x32xbf16, #fragment_c
// CHECK: cheems_tile.async_copy
// CHECK: cheems_tile.mma
// CHECK: %[[DECAY:.*]] = math.exp %{{.*}} : tensor<64x16xf32, #fragment_c
// CHECK: arith.mulf %[[DECAY]]
// CHECK: cheems_tile.convert_layout {{.*}} -> tensor<64x16xbf16, #fragment_a
// CHECK: cheems_tile.mma
// CHECK: cheems_tile.store
// CHECK: math.fma {{.*}} : tensor<64x32xf32, #fragment_c
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

// -----

// Factors of allow_pairs are sums of two parts. Rows come in f32, and are split once: numbers greater than those of bf16 stay in the low part. A
// matmul is three, of which the one of both high parts is the last.
// CHECK-LABEL: func.func @pairs
// CHECK: cheems_tile.launch @ssd_states {{.*}} ins(%arg0, %arg3, {{.*}} : tensor<?x4x64xf32>, tensor<?x2x128xf32>,
// CHECK-LABEL: cheems_tile.kernel @ssd_states(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: cheems_tile.barrier
// CHECK: cheems_tile.load %arg1[{{.*}}] dims [0, 2] {{.*}} aligned 16 : memref<?x2x128xf32>
// CHECK: cheems_tile.load %arg0[{{.*}}] dims [0, 2] {{.*}} aligned 16 : memref<?x4x64xf32>
// CHECK: %[[B:.*]] = cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<32x16xbf16, #fragment_b
// CHECK: %[[BLOW:.*]] = cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<32x16xbf16, #fragment_b
// CHECK: %[[A:.*]] = cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<32x16xbf16, #fragment_a
// CHECK: %[[ALOW:.*]] = cheems_tile.read %{{.*}} transposed : {{.*}} -> tensor<32x16xbf16, #fragment_a
// CHECK: %[[FIRST:.*]] = cheems_tile.mma %[[A]], %[[BLOW]],
// CHECK: %[[SECOND:.*]] = cheems_tile.mma %[[ALOW]], %[[B]], %[[FIRST]]
// CHECK: cheems_tile.mma %[[A]], %[[B]], %[[SECOND]]
// CHECK: %[[WEIGHTED:.*]] = arith.mulf {{.*}} : tensor<64x32xf32, #blocked
// CHECK: arith.bitcast %[[WEIGHTED]]
// CHECK: arith.addi
// CHECK: arith.andi
// CHECK: arith.minimumf
// CHECK: %[[HIGH:.*]] = arith.maximumf
// CHECK: arith.truncf %[[HIGH]]
// CHECK: %[[REST:.*]] = arith.subf %[[WEIGHTED]], %[[HIGH]]
// CHECK: arith.truncf %[[REST]]
// CHECK: cheems_tile.write %{{.*}} : tensor<64x32xbf16, #blocked
// CHECK-LABEL: cheems_tile.kernel @ssd_outputs(
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @pairs(%x: tensor<?x4x64xf32>, %step: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x128xf32>, %c: tensor<?x2x128xf32>,
                   %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x64xf32>, %pool: tensor<?x3x4x128x64xf32>)
      -> (tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>) {
    %o:2 = cheems.segmented_ssd allow_pairs
        ins(%x, %step, %a, %b, %c : tensor<?x4x64xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x128xf32>, tensor<?x2x128xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %pool : tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>) -> tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>
    return %o#0, %o#1 : tensor<?x4x64xf32>, tensor<?x3x4x128x64xf32>
  }
}

// -----

// Without allow_bf16 and allow_pairs inputs are multiplied in f32.
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

// -----

// What may be rounded and is not is no silent way to other kernels.
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @unrounded(%x: tensor<?x4x16xf32>, %step: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x4x16xf32>, %c: tensor<?x4x16xf32>,
                   %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x16xf32>, %pool: tensor<?x3x4x16x16xf32>)
      -> (tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>) {
    // expected-error@below {{has x, b or c that are not rounded to bf16 in front of it: cheems-round-inputs comes first}}
    %o:2 = cheems.segmented_ssd allow_bf16
        ins(%x, %step, %a, %b, %c : tensor<?x4x16xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x4x16xf32>, tensor<?x4x16xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %pool : tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>) -> tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>
    return %o#0, %o#1 : tensor<?x4x16xf32>, tensor<?x3x4x16x16xf32>
  }
}
