// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse --verify-diagnostics | FileCheck %s

// Entries are stored by one launch and read by the next. Blocks of entries that all rows see need no comparison; the others hide what
// is later. Weights never leave registers. A block has two of the query heads that read a key head, four warps each: rows of the second one are
// after those of the first one.
// CHECK-LABEL: func.func @prompt
// CHECK: %[[POOLS:.*]]:3 = cheems_tile.launch @store_entries
// CHECK: %[[Y:.*]] = cheems_tile.launch @attention grid[%{{.*}}, %c2, %{{.*}}]
// CHECK-SAME: %[[POOLS]]#0, %[[POOLS]]#1, %[[POOLS]]#2
// CHECK: return %[[Y]], %[[POOLS]]#0, %[[POOLS]]#1, %[[POOLS]]#2

// CHECK-LABEL: cheems_tile.kernel @store_entries(
// CHECK: cheems_tile.load %arg0
// CHECK: %[[KEY:.*]] = arith.truncf
// CHECK: cheems_tile.store %[[KEY]], %arg5[%{{.*}}, %arg4, %{{.*}}, %{{.*}}, %c0] dims [3, 4]
// CHECK: cheems_tile.store %{{.*}}, %arg6
// CHECK: cheems_tile.load %arg2[%{{.*}}, %{{.*}}] dims [0]
// CHECK: cheems_tile.store %{{.*}}, %arg7[%{{.*}}, %arg4, %{{.*}}, %{{.*}}] dims [3]

// CHECK-LABEL: cheems_tile.kernel @attention(
// CHECK-SAME: warps(8)
// CHECK-COUNT-2: cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
// CHECK: cheems_tile.alloc : !cheems_tile.buffer<2x1x64xf32>
// CHECK: scf.if
// CHECK-COUNT-4: cheems_tile.load %arg0{{.*}} dims [0, 2] {{.*}} parts 64 along 1 : memref<?x4x64xf32> -> tensor<128x16xf32, #fragment_a>
// CHECK: cheems_tile.commit
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: cheems_tile.wait pending 0
// CHECK: cheems_tile.barrier
// CHECK-COUNT-3: cheems_tile.async_copy
// CHECK: cheems_tile.commit
// CHECK-COUNT-4: cheems_tile.mma
// CHECK: cheems_tile.reduce maximum
// CHECK: math.roundeven
// CHECK: math.exp2
// CHECK: cheems_tile.convert_layout %{{.*}} : tensor<128x64xbf16, #fragment_c> -> tensor<128x64xbf16, #fragment_a>
// CHECK: cheems_tile.read %{{.*}} transposed
// CHECK: cheems_tile.mma
// CHECK: scf.for
// CHECK: arith.andi
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: cheems_tile.mma
// CHECK: arith.divf
// CHECK-COUNT-4: cheems_tile.store %{{.*}}, %arg6{{.*}} dims [0, 2] {{.*}} parts 64 along 1
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @prompt(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %value: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>,
                    %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x64xf32>, %keys: tensor<?x3x2x?x64xbf16>,
                    %values: tensor<?x3x2x?x64xbf16>, %masks: tensor<?x3x2x?xf32>)
      -> (tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>) {
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64
        ins(%q, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>)
        -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
    return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
  }
}

// -----

// Great heads: queries stay in shared memory, and there are 32 entries at a time. No type is rounded twice.
// CHECK-LABEL: cheems_tile.kernel @attention(
// CHECK-COUNT-2: cheems_tile.alloc : !cheems_tile.buffer<2x32x256xbf16, swizzled>
// CHECK: cheems_tile.alloc : !cheems_tile.buffer<1x64x256xbf16, swizzled>
// CHECK-COUNT-16: cheems_tile.write
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @great(%q: tensor<?x1x256xf32>, %key: tensor<?x1x256xf32>, %mask: tensor<?x1xf32>, %segments: tensor<?x8xi32>, %layer: index,
                   %y: tensor<?x1x256xf32>, %keys: tensor<?x1x1x?x256xbf16>, %values: tensor<?x1x1x?x256xbf16>, %masks: tensor<?x1x1x?xf32>)
      -> tensor<?x1x256xf32> {
    %o:4 = cheems.segmented_attention bias scale 0.0625 block 64
        ins(%q, %key, %key : tensor<?x1x256xf32>, tensor<?x1x256xf32>, tensor<?x1x256xf32>) mask(%mask : tensor<?x1xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x1x256xf32>, tensor<?x1x1x?x256xbf16>, tensor<?x1x1x?x256xbf16>, tensor<?x1x1x?xf32>)
        -> tensor<?x1x256xf32>, tensor<?x1x1x?x256xbf16>, tensor<?x1x1x?x256xbf16>, tensor<?x1x1x?xf32>
    return %o#0 : tensor<?x1x256xf32>
  }
}

// -----

// The unit wgmma: heads of 128 are two panels of 64. Blocks of entries come from the last one, which alone is not after a matmul, to the first.
// A turn begins its scores and the weighted sums of the block before, copies meanwhile, and waits for the scores alone. The weights are there as
// an operand only when all matmuls are over. A warpgroup has rows of each of the two query heads.
// CHECK-LABEL: cheems_tile.kernel @attention(
// CHECK-SAME: warps(8)
// CHECK: cheems_tile.alloc : !cheems_tile.buffer<2x128x64xbf16, swizzled>
// CHECK-COUNT-2: cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
// CHECK: arith.addi %{{.*}}, %c1
// CHECK: cheems_tile.write %{{.*}}, %{{.*}}[%c0, %c64, %c0]
// CHECK: cheems_tile.write %{{.*}}, %{{.*}}[%c1, %c64, %c0]
// CHECK: cheems_tile.wait pending 1
// CHECK-NEXT: cheems_tile.fence
// CHECK-NEXT: cheems_tile.barrier
// CHECK-COUNT-2: cheems_tile.warpgroup_mma %
// CHECK: cheems_tile.warpgroup_wait pending 0
// CHECK: arith.cmpi slt
// CHECK: math.exp2
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK: scf.for
// CHECK: cheems_tile.wait pending 0
// CHECK-NEXT: cheems_tile.fence
// CHECK-NEXT: cheems_tile.barrier
// CHECK-COUNT-2: cheems_tile.warpgroup_mma %
// CHECK: %[[SUMS:.*]] = cheems_tile.warpgroup_mma_registers %[[WEIGHTS:[^,]*]],
// CHECK: cheems_tile.async_copy
// CHECK: cheems_tile.commit
// CHECK: cheems_tile.warpgroup_wait pending 1 %
// CHECK-NOT: arith.cmpi slt
// CHECK: math.exp2
// CHECK-NOT: arith.truncf
// CHECK: cheems_tile.warpgroup_wait pending 0 %[[SUMS]] holding %[[WEIGHTS]] of
// CHECK: arith.truncf
// CHECK: cheems_tile.convert_layout
// CHECK: scf.yield
// CHECK: cheems_tile.warpgroup_mma_registers
// CHECK: cheems_tile.store
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma>} {
  func.func @warpgroups(%q: tensor<?x2x128xf32>, %key: tensor<?x1x128xf32>, %mask: tensor<?x1xf32>, %segments: tensor<?x8xi32>, %layer: index,
                        %y: tensor<?x2x128xf32>, %keys: tensor<?x1x1x?x128xbf16>, %values: tensor<?x1x1x?x128xbf16>, %masks: tensor<?x1x1x?xf32>)
      -> tensor<?x2x128xf32> {
    %o:4 = cheems.segmented_attention bias scale 0.0625 block 64
        ins(%q, %key, %key : tensor<?x2x128xf32>, tensor<?x1x128xf32>, tensor<?x1x128xf32>) mask(%mask : tensor<?x1xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x2x128xf32>, tensor<?x1x1x?x128xbf16>, tensor<?x1x1x?x128xbf16>, tensor<?x1x1x?xf32>)
        -> tensor<?x2x128xf32>, tensor<?x1x1x?x128xbf16>, tensor<?x1x1x?x128xbf16>, tensor<?x1x1x?xf32>
    return %o#0 : tensor<?x2x128xf32>
  }
}

// -----

// With bulk copies a warp of its own fetches entries: keys with the masks of both heads, and values. A warp waits for what it reads, and
// frees it: keys when it has read the masks, values when their sums are there. Of the block that comes first, values after the last entry become zeros.
// CHECK-LABEL: func.func @bulk
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2, 3], [4]]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, %{{.*}}]
// CHECK: cheems_tile.launch @attention
// CHECK-LABEL: cheems_tile.kernel @attention(
// CHECK-SAME: !cheems_tile.tensor_map<64x64xbf16>, %{{.*}}: !cheems_tile.tensor_map<64x64xbf16>, %{{.*}}: !cheems_tile.tensor_map<1x64xf32>
// CHECK-SAME: warps(8) fillers(1)
// CHECK-NOT: async_copy
// CHECK: %[[KEYS:.*]] = cheems_tile.fill_ring %[[STEPS:.*]] {
// CHECK-COUNT-2: cheems_tile.bulk_copy %{{.*}} : !cheems_tile.tensor_map<64x64xbf16>
// CHECK-COUNT-2: cheems_tile.bulk_copy %{{.*}}[%c0, %{{.*}}] to {{.*}} : !cheems_tile.tensor_map<1x64xf32>, !cheems_tile.buffer<2x2x64xf32>
// CHECK: } : !cheems_tile.ring<2>
// CHECK: %[[VALUES:.*]] = cheems_tile.fill_ring %[[STEPS]] {
// CHECK-COUNT-2: cheems_tile.bulk_copy
// CHECK: } : !cheems_tile.ring<2>
// CHECK: cheems_tile.fence
// CHECK-NEXT: cheems_tile.barrier
// CHECK: cheems_tile.wait_for_stage %[[KEYS]][%c0]
// CHECK-COUNT-2: cheems_tile.warpgroup_mma %
// CHECK: cheems_tile.free_stage %[[KEYS]][%c0]
// CHECK: scf.if
// CHECK: cheems_tile.wait_for_stage %[[VALUES]][%c0]
// CHECK-COUNT-2: cheems_tile.write
// CHECK: cheems_tile.fence
// CHECK-NEXT: cheems_tile.barrier
// CHECK-NOT: cheems_tile.barrier
// CHECK: scf.for
// CHECK: scf.for %[[STEP:.*]] = %{{.*}} to
// CHECK: %[[BEFORE:.*]] = arith.subi %[[STEP]], %c1
// CHECK: cheems_tile.wait_for_stage %[[KEYS]][%[[STEP]]]
// CHECK-COUNT-2: cheems_tile.warpgroup_mma %
// CHECK: cheems_tile.wait_for_stage %[[VALUES]][%[[BEFORE]]]
// CHECK: cheems_tile.warpgroup_mma_registers
// CHECK: cheems_tile.warpgroup_wait pending 1 %
// CHECK: cheems_tile.free_stage %[[KEYS]][%[[STEP]]]
// CHECK: cheems_tile.warpgroup_wait pending 0 %
// CHECK: cheems_tile.free_stage %[[VALUES]][%[[BEFORE]]]
// CHECK: scf.yield
// CHECK: cheems_tile.wait_for_stage %[[VALUES]]
// CHECK: cheems_tile.warpgroup_mma_registers
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>} {
  func.func @bulk(%q: tensor<?x2x128xf32>, %key: tensor<?x1x128xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index,
                        %y: tensor<?x2x128xf32>, %keys: tensor<?x1x2x?x128xbf16>, %values: tensor<?x1x2x?x128xbf16>, %masks: tensor<?x1x2x?xf32>)
      -> tensor<?x2x128xf32> {
    %o:4 = cheems.segmented_attention bias scale 0.0625 block 64
        ins(%q, %key, %key : tensor<?x2x128xf32>, tensor<?x1x128xf32>, tensor<?x1x128xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x2x128xf32>, tensor<?x1x2x?x128xbf16>, tensor<?x1x2x?x128xbf16>, tensor<?x1x2x?xf32>)
        -> tensor<?x2x128xf32>, tensor<?x1x2x?x128xbf16>, tensor<?x1x2x?x128xbf16>, tensor<?x1x2x?xf32>
    return %o#0 : tensor<?x2x128xf32>
  }
}

// -----

// Heads that read one key head share its entries, although each stores them and has masks of its own: these are a row each.
// CHECK-LABEL: cheems_tile.kernel @attention(
// CHECK-SAME: warps(8)
// CHECK: cheems_tile.alloc : !cheems_tile.buffer<2x2x64xf32>
// CHECK: cheems_tile.read %{{.*}} parts 64 : !cheems_tile.buffer<2x2x64xf32> -> tensor<128x64xf32, #fragment_c>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma>} {
  func.func @own_masks(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %mask: tensor<?x4xf32>, %segments: tensor<?x8xi32>, %layer: index,
                 %y: tensor<?x4x64xf32>, %keys: tensor<?x1x4x?x64xbf16>, %values: tensor<?x1x4x?x64xbf16>, %masks: tensor<?x1x4x?xf32>)
      -> tensor<?x4x64xf32> {
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64
        ins(%q, %key, %key : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x4xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x1x4x?x64xbf16>, tensor<?x1x4x?x64xbf16>, tensor<?x1x4x?xf32>)
        -> tensor<?x4x64xf32>, tensor<?x1x4x?x64xbf16>, tensor<?x1x4x?x64xbf16>, tensor<?x1x4x?xf32>
    return %o#0 : tensor<?x4x64xf32>
  }
}

// -----

// Three heads are no pairs: a block has one.
// CHECK-LABEL: cheems_tile.kernel @attention(
// CHECK-SAME: warps(4)
// CHECK-NOT: parts
// CHECK: cheems_tile.return
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma>} {
  func.func @odd(%q: tensor<?x3x64xf32>, %key: tensor<?x1x64xf32>, %mask: tensor<?x1xf32>, %segments: tensor<?x8xi32>, %layer: index,
                 %y: tensor<?x3x64xf32>, %keys: tensor<?x1x1x?x64xbf16>, %values: tensor<?x1x1x?x64xbf16>, %masks: tensor<?x1x1x?xf32>)
      -> tensor<?x3x64xf32> {
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64
        ins(%q, %key, %key : tensor<?x3x64xf32>, tensor<?x1x64xf32>, tensor<?x1x64xf32>) mask(%mask : tensor<?x1xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x3x64xf32>, tensor<?x1x1x?x64xbf16>, tensor<?x1x1x?x64xbf16>, tensor<?x1x1x?xf32>)
        -> tensor<?x3x64xf32>, tensor<?x1x1x?x64xbf16>, tensor<?x1x1x?x64xbf16>, tensor<?x1x1x?xf32>
    return %o#0 : tensor<?x3x64xf32>
  }
}

// -----

// Entries in f32 take no tensor cores, and nothing is rounded.
// CHECK-LABEL: cheems_tile.kernel @attention_f32(
// CHECK-NOT: truncf
// CHECK: scf.for
// CHECK: cheems_tile.load %arg4[{{.*}}] dims [4, 3]
// CHECK: cheems_tile.fma
// CHECK: cheems_tile.reduce maximum
// CHECK: cheems_tile.write
// CHECK: cheems_tile.barrier
// CHECK: cheems_tile.fma
// CHECK-NOT: truncf
// CHECK: cheems_tile.return
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @exact(%q: tensor<?x4x16xf32>, %key: tensor<?x2x16xf32>, %mask: tensor<?x4xf32>, %segments: tensor<?x8xi32>, %layer: index,
                   %y: tensor<?x4x16xf32>, %keys: tensor<?x1x2x?x16xf32>, %values: tensor<?x1x2x?x16xf32>, %masks: tensor<?x1x4x?xf32>)
      -> tensor<?x4x16xf32> {
    %o:4 = cheems.segmented_attention bias scale 0.25 block 64
        ins(%q, %key, %key : tensor<?x4x16xf32>, tensor<?x2x16xf32>, tensor<?x2x16xf32>) mask(%mask : tensor<?x4xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x16xf32>, tensor<?x1x2x?x16xf32>, tensor<?x1x2x?x16xf32>, tensor<?x1x4x?xf32>)
        -> tensor<?x4x16xf32>, tensor<?x1x2x?x16xf32>, tensor<?x1x2x?x16xf32>, tensor<?x1x4x?xf32>
    return %o#0 : tensor<?x4x16xf32>
  }
}

// -----

// Decoding: a block has the 3 query heads of a group, over 256 of the row's entries. The block of the row's own entry stores that first. Another
// kernel merges the splits.
// CHECK-LABEL: func.func @decode
// CHECK-NOT: launch @store_entries
// CHECK: %[[PIECES:.*]] = arith.ceildivui %{{.*}}, %c256
// CHECK: %[[PARTS:.*]]:6 = cheems_tile.launch @attention_of_one_row grid[%[[PIECES]], %c2, %{{.*}}]
// CHECK: cheems_tile.launch @merge_splits grid[%c6, %{{.*}}, %c1]
// CHECK-SAME: %[[PARTS]]#3, %[[PARTS]]#4, %[[PARTS]]#5
// CHECK-LABEL: cheems_tile.kernel @attention_of_one_row(
// CHECK: scf.if
// CHECK: scf.if
// CHECK-COUNT-5: cheems_tile.store
// CHECK: cheems_tile.barrier
// CHECK: cheems_tile.async_copy %arg6
// CHECK-COUNT-2: cheems_tile.load %arg5
// CHECK-COUNT-2: cheems_tile.mma
// CHECK: cheems_tile.reduce maximum
// CHECK: cheems_tile.convert_layout
// CHECK: cheems_tile.wait pending 0
// CHECK: cheems_tile.mma
// CHECK: cheems_tile.sum_partials
// CHECK-LABEL: cheems_tile.kernel @merge_splits(
// CHECK: scf.for
// CHECK: cheems_tile.load %arg1[
// CHECK: cheems_tile.reduce maximum %{{.*}} axis 1
// CHECK: scf.for
// CHECK-COUNT-8: cheems_tile.load %arg3[
// CHECK: math.fma
// CHECK: arith.divf
// CHECK: cheems_tile.store %{{.*}}, %arg4
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @decode(%q: tensor<?x6x64xf32>, %key: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index,
                    %y: tensor<?x6x64xf32>, %keys: tensor<?x1x2x?x64xbf16>, %values: tensor<?x1x2x?x64xbf16>, %masks: tensor<?x1x2x?xf32>)
      -> tensor<?x6x64xf32> attributes {cheems.most_rows = 64 : i64} {
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64 one_row
        ins(%q, %key, %key : tensor<?x6x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x6x64xf32>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?xf32>)
        -> tensor<?x6x64xf32>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?xf32>
    return %o#0 : tensor<?x6x64xf32>
  }
}

// -----

// Where a step has one row, and pools have room for at most 32 splits of it, each block of the matmul after attention merges these. Its
// first weights come before. A step of more rows, or of more splits, has a launch for that. Conditions say which of them a step has.
// CHECK-LABEL: func.func @decode_after
// CHECK: %[[NUMBER:.*]] = arith.ceildivui %{{.*}}, %c256
// CHECK: %[[PARTS:.*]]:6 = cheems_tile.launch @attention_of_one_row
// CHECK: %[[SHORT:.*]] = arith.cmpi ule, %[[NUMBER]], %c32
// CHECK: %[[MERGES:.*]] = arith.andi %{{.*}}, %[[SHORT]]
// CHECK: %[[OUTPUTS:.*]] = tensor.collapse_shape %[[PARTS]]#5
// CHECK: %[[REST:.*]] = arith.xori %[[MERGES]], %true
// CHECK: %[[Y:.*]] = cheems_tile.launch @merge_splits when %[[REST]] grid[%c6,
// CHECK: %[[ROW:.*]] = tensor.collapse_shape %[[Y]]
// CHECK: %[[ONE:.*]] = cheems_tile.launch @merged_matmul_of_one_row when %[[MERGES]] {{.*}} ins(%arg4, %[[PARTS]]#3, %[[PARTS]]#4, %[[OUTPUTS]], %arg10 :
// CHECK: %[[OTHER:.*]] = cheems_tile.launch @matmul_of_one_row {{.*}} ins(%[[ROW]], %arg10 : {{.*}} outs(%[[ONE]] :
// CHECK: cheems_tile.launch @matmul_few_rows {{.*}} ins(%[[ROW]], %arg10 : {{.*}} outs(%[[OTHER]] :
// CHECK-LABEL: kernel @merged_matmul_of_one_row(
// CHECK: %[[BUFFER:.*]] = cheems_tile.alloc : !cheems_tile.buffer<1x2x512xbf16>
// CHECK: %[[NUMBERS:.*]] = cheems_tile.alloc : !cheems_tile.buffer<3x32x32xf32>
// CHECK: cheems_tile.load %arg4[
// CHECK-COUNT-4: cheems_tile.load %arg3[
// CHECK: cheems_tile.load %arg1[
// CHECK: cheems_tile.load %arg2[
// CHECK: cheems_tile.reduce maximum %{{.*}} axis 0
// CHECK: cheems_tile.barrier
// CHECK: cheems_tile.pick %[[NUMBERS]]
// CHECK: cheems_tile.barrier
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: arith.truncf
// CHECK: cheems_tile.write %{{.*}}, %[[BUFFER]][
// CHECK: cheems_tile.barrier
// CHECK: cheems_tile.read %[[BUFFER]][
// CHECK: cheems_tile.mma
#all = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#s = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @decode_after(%q: tensor<?x6x64xf32>, %key: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %y: tensor<?x6x64xf32>, %segments: tensor<?x8xi32>,
                           %layer: index, %keys: tensor<?x1x2x?x64xbf16>, %values: tensor<?x1x2x?x64xbf16>, %masks: tensor<?x1x2x?xf32>,
                           %e: tensor<?x256xf32>, %a: tensor<256x384xbf16>) -> tensor<?x256xf32> attributes {cheems.most_rows = 64 : i64} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %q, %c0 : tensor<?x6x64xf32>
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64 one_row
        ins(%q, %key, %key : tensor<?x6x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x6x64xf32>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?xf32>)
        -> tensor<?x6x64xf32>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?xf32>
    %c = tensor.collapse_shape %o#0 [[0], [1, 2]] : tensor<?x6x64xf32> into tensor<?x384xf32>
    %r = tensor.empty(%rows) : tensor<?x384xbf16>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<?x384xf32>) outs(%r : tensor<?x384xbf16>) {
    ^bb0(%n: f32, %old: bf16):
      %1 = arith.truncf %n : f32 to bf16
      linalg.yield %1 : bf16
    } -> tensor<?x384xbf16>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #s] ins(%rounded, %a : tensor<?x384xbf16>, tensor<256x384xbf16>) outs(%f : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %p : tensor<?x256xf32>
  }
}

// -----

// Blocks of a window are whole blocks of all kernels.
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @window(%q: tensor<?x1x16xf32>, %mask: tensor<?x1xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x1x16xf32>,
                    %keys: tensor<?x1x1x?x16xf32>, %values: tensor<?x1x1x?x16xf32>, %masks: tensor<?x1x1x?xf32>, %positions: tensor<?x1x1x?xi32>)
      -> tensor<?x1x16xf32> {
    // expected-error@below {{has a window and blocks of 48 rows, no multiple of 64: GPUs have no kernel for it yet; compile for cpu}}
    %o:5 = cheems.segmented_attention bias scale 0.25 keep 16 block 48
        ins(%q, %q, %q : tensor<?x1x16xf32>, tensor<?x1x16xf32>, tensor<?x1x16xf32>) mask(%mask : tensor<?x1xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x1x16xf32>, tensor<?x1x1x?x16xf32>, tensor<?x1x1x?x16xf32>, tensor<?x1x1x?xf32>)
        positions(%positions : tensor<?x1x1x?xi32>)
        -> tensor<?x1x16xf32>, tensor<?x1x1x?x16xf32>, tensor<?x1x1x?x16xf32>, tensor<?x1x1x?xf32>, tensor<?x1x1x?xi32>
    return %o#0 : tensor<?x1x16xf32>
  }
}
