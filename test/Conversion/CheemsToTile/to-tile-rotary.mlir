// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse | FileCheck %s

// A block has some rows of a segment; others, of shorter segments, do nothing.
// CHECK-LABEL: func.func @number
// CHECK: cheems_tile.launch @positions grid[%{{.*}}, %{{.*}}, %{{.*}}] ins(%arg0 : tensor<?x8xi32>) outs(%arg1, %arg2 :
// CHECK-LABEL: cheems_tile.kernel @positions(
// CHECK: %[[SEGMENT:.*]] = cheems_tile.block_id y
// CHECK-COUNT-4: memref.load %arg0[%[[SEGMENT]],
// CHECK: scf.if
// CHECK: cheems_tile.indices axis 0 : tensor<128xi32
// CHECK: cheems_tile.store %{{.*}}, %arg1[%{{.*}}] dims [0] extents[%{{.*}}]
// CHECK: cheems_tile.store %{{.*}}, %arg2[%{{.*}}] dims [0] extents[%{{.*}}]
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @number(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
    %r:2 = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
    return %r#0, %r#1 : tensor<?xi32>, tensor<?xi32>
  }
}

// -----

// With one row per segment a warp is enough, and nobody reads the length.
// CHECK-LABEL: func.func @one_row
// CHECK: cheems_tile.launch @positions grid[%c1, %{{.*}}, %c1]
// CHECK-LABEL: cheems_tile.kernel @positions(
// CHECK-SAME: warps(1)
// CHECK-NOT: memref.load %arg0[%{{.*}}, %c2]
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @one_row(%segments: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
    %r:2 = cheems.positions one_row ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
    return %r#0, %r#1 : tensor<?xi32>, tensor<?xi32>
  }
}

// -----

// Angles are computed in double. The base is a constant: log2(1e4).
// CHECK-LABEL: cheems_tile.kernel @rotary_table(
// CHECK-DAG: dense<13.287712379549449> : tensor<64xf64
// CHECK-NOT: arith.divf
// CHECK: math.roundeven %{{.*}} : tensor<64x8xf64
// CHECK: arith.shli %{{.*}} : tensor<64x8xi64
// CHECK: %[[TURNS:.*]] = math.roundeven
// CHECK: %[[FIRST:.*]] = math.fma %[[TURNS]], %{{.*}}, %{{.*}} : tensor<64x8xf64
// CHECK: math.fma %[[TURNS]], %{{.*}}, %[[FIRST]] : tensor<64x8xf64
// CHECK: %[[COSINE:.*]] = arith.truncf
// CHECK: cheems_tile.store %[[COSINE]], %arg2
// CHECK: %[[SINE:.*]] = arith.truncf
// CHECK: cheems_tile.store %[[SINE]], %arg3
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @table(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x8xf32>, %s: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %t:2 = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c, %s : tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>, tensor<?x8xf32>
    return %t#0, %t#1 : tensor<?x8xf32>, tensor<?x8xf32>
  }
}

// -----

// The base of each row follows its length, and up to the trained one it is theta: the stretch is 1 at least.
// CHECK-LABEL: cheems_tile.kernel @rotary_table(
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<64xf64
// CHECK-DAG: %[[FACTOR:.*]] = arith.constant dense<0.001953125> : tensor<64xf64
// CHECK: %[[LENGTH:.*]] = cheems_tile.load %arg1
// CHECK: %[[LONG:.*]] = arith.sitofp %[[LENGTH]]
// CHECK: %[[STRETCH:.*]] = math.fma %[[LONG]], %[[FACTOR]]
// CHECK: arith.maximumf %[[STRETCH]], %[[ONE]]
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @dynamic(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x8xf32>, %s: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %t:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 4.0, trained = 2048} ins(%p, %l : tensor<?xi32>, tensor<?xi32>)
        outs(%c, %s : tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>, tensor<?x8xf32>
    return %t#0, %t#1 : tensor<?x8xf32>, tensor<?x8xf32>
  }
}

// -----

// The column chooses among frequencies, once for all rows of a block.
// CHECK-LABEL: cheems_tile.kernel @rotary_table(
// CHECK-DAG: %[[MOST:.*]] = arith.constant dense<1.250000e+00> : tensor<{{.*}}xf64
// CHECK-COUNT-3: arith.select %{{.*}} : tensor<4xi1, {{.*}}>, tensor<4xf64
// CHECK: arith.mulf %{{.*}}, %[[MOST]]
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @listed(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x4xf32>, %s: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %t:2 = cheems.rotary_table frequencies [1.0, 0.5, 0.125, 0.0625] {magnitude = 1.25} ins(%p, %l : tensor<?xi32>, tensor<?xi32>)
        outs(%c, %s : tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>
    return %t#0, %t#1 : tensor<?x4xf32>, tensor<?x4xf32>
  }
}

// -----

// Tables of the same positions are one launch, and a block has rows of one of them: 32 rows of 16 numbers each, or 16 of 32.
// CHECK-LABEL: func.func @tables
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %{{.*}}, %c16
// CHECK: %[[MADE:.*]]:4 = cheems_tile.launch @rotary_table grid[%[[BLOCKS]], %c2, %c1] ins(%arg0, %arg1 :
// CHECK-NOT: cheems_tile.launch
// CHECK: return %[[MADE]]#0, %[[MADE]]#1, %[[MADE]]#2, %[[MADE]]#3
// CHECK-LABEL: cheems_tile.kernel @rotary_table(
// CHECK: arith.cmpi eq, %block_y, %c0
// CHECK: scf.if
// CHECK: cheems_tile.store %{{.*}}, %arg2[
// CHECK: cheems_tile.store %{{.*}}, %arg3[
// CHECK: arith.cmpi eq, %block_y, %c1
// CHECK: scf.if
// CHECK: cheems_tile.store %{{.*}}, %arg4[
// CHECK: cheems_tile.store %{{.*}}, %arg5[
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @tables(%p: tensor<?xi32>, %l: tensor<?xi32>) -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %p, %c0 : tensor<?xi32>
    %a = tensor.empty(%rows) : tensor<?x16xf32>
    %t:2 = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%a, %a : tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>, tensor<?x16xf32>
    %b = tensor.empty(%rows) : tensor<?x32xf32>
    %u:2 = cheems.rotary_table theta 1.0e+06 ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%b, %b : tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>, tensor<?x32xf32>
    return %t#0, %t#1, %u#0, %u#1 : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x32xf32>, tensor<?x32xf32>
  }
}

// -----

// What does not turn is copied: columns 16 to 40, after two halves of 8.
// CHECK-LABEL: cheems_tile.kernel @rotary(
// CHECK-DAG: %[[HALF:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[TURNED:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[WHOLE:.*]] = arith.constant 40 : index
// CHECK: cheems_tile.store %{{.*}}, %arg3[%{{.*}}, %{{.*}}, %c0] dims [0, 2] extents[%{{.*}}, %[[HALF]]] aligned 16
// CHECK: cheems_tile.store %{{.*}}, %arg3[%{{.*}}, %{{.*}}, %[[HALF]]] dims [0, 2] extents[%{{.*}}, %[[TURNED]]] aligned 16
// CHECK: %[[REST:.*]] = cheems_tile.load %arg0[%{{.*}}, %{{.*}}, %[[TURNED]]] dims [0, 2] extents[%{{.*}}, %[[WHOLE]]] aligned 16
// CHECK: cheems_tile.store %[[REST]], %arg3[%{{.*}}, %{{.*}}, %[[TURNED]]] dims [0, 2] extents[%{{.*}}, %[[WHOLE]]] aligned 16
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @in_part(%x: tensor<?x4x40xf32>, %c: tensor<?x8xf32>, %s: tensor<?x8xf32>, %y: tensor<?x4x40xf32>) -> tensor<?x4x40xf32> {
    %r = cheems.rotary ins(%x, %c, %s : tensor<?x4x40xf32>, tensor<?x8xf32>, tensor<?x8xf32>) outs(%y : tensor<?x4x40xf32>) -> tensor<?x4x40xf32>
    return %r : tensor<?x4x40xf32>
  }
}

// -----

// A block rotates both halves of a head of its rows. Columns of 12 numbers are 16 in the tile: the guards keep halves apart.
// CHECK-LABEL: cheems_tile.kernel @rotary(
// CHECK-DAG: %[[HALF:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[WHOLE:.*]] = arith.constant 24 : index
// CHECK: cheems_tile.load %arg0[%{{.*}}, %{{.*}}, %c0] dims [0, 2] extents[%{{.*}}, %[[HALF]]] aligned 16
// CHECK: cheems_tile.load %arg0[%{{.*}}, %{{.*}}, %[[HALF]]] dims [0, 2] extents[%{{.*}}, %[[WHOLE]]] aligned 16
// CHECK: %[[LOW:.*]] = arith.subf
// CHECK: %[[HIGH:.*]] = arith.addf
// CHECK: cheems_tile.store %[[LOW]], %arg3[%{{.*}}, %{{.*}}, %c0] dims [0, 2] extents[%{{.*}}, %[[HALF]]]
// CHECK: cheems_tile.store %[[HIGH]], %arg3[%{{.*}}, %{{.*}}, %[[HALF]]] dims [0, 2] extents[%{{.*}}, %[[WHOLE]]]
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @rotate(%x: tensor<?x6x24xf32>, %c: tensor<?x12xf32>, %s: tensor<?x12xf32>, %y: tensor<?x6x24xf32>) -> tensor<?x6x24xf32> {
    %r = cheems.rotary ins(%x, %c, %s : tensor<?x6x24xf32>, tensor<?x12xf32>, tensor<?x12xf32>) outs(%y : tensor<?x6x24xf32>) -> tensor<?x6x24xf32>
    return %r : tensor<?x6x24xf32>
  }
}

// -----

// The norm of heads is a part of their rotation, if nothing else reads it.
// CHECK-LABEL: func.func @normal
// CHECK: cheems_tile.launch @rotary grid[%{{.*}}, %c6, %c1] ins(%arg0, %arg1, %arg2, %arg3 :
// CHECK-NOT: launch
// CHECK-LABEL: cheems_tile.kernel @rotary(
// CHECK: cheems_tile.reduce add %{{.*}} axis 1
// CHECK: math.rsqrt
// CHECK: arith.subf
// CHECK-NOT: cheems_tile.kernel
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @normal(%x: tensor<?x6x24xf32>, %g: tensor<24xf32>, %c: tensor<?x12xf32>, %s: tensor<?x12xf32>, %e: tensor<?x6x24xf32>, %y: tensor<?x6x24xf32>) -> tensor<?x6x24xf32> {
    %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %g : tensor<?x6x24xf32>, tensor<24xf32>) outs(%e : tensor<?x6x24xf32>) -> tensor<?x6x24xf32>
    %r = cheems.rotary ins(%n, %c, %s : tensor<?x6x24xf32>, tensor<?x12xf32>, tensor<?x12xf32>) outs(%y : tensor<?x6x24xf32>) -> tensor<?x6x24xf32>
    return %r : tensor<?x6x24xf32>
  }
}

// -----

// Mask values are computed where their matmul ends.
// CHECK-LABEL: func.func @mask
// CHECK-COUNT-1: cheems_tile.launch @matmul_f32
// CHECK-NOT: launch
// CHECK-LABEL: cheems_tile.kernel @matmul_f32(
// CHECK: math.absf
// CHECK: math.exp
// CHECK: math.log
// CHECK: %[[MASK:.*]] = math.exp
// CHECK: cheems_tile.store %[[MASK]]
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @mask(%v: tensor<?x32xf32>, %w: tensor<2x32xf32>, %a: tensor<2xf32>, %e: tensor<?x2xf32>, %o: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
    %dt = linalg.matmul indexing_maps = [#x, #w, #y] ins(%v, %w : tensor<?x32xf32>, tensor<2x32xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
    %m = cheems.dynamic_mask ins(%dt, %a : tensor<?x2xf32>, tensor<2xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
    return %m : tensor<?x2xf32>
  }
}

// -----

// The rounding of all heads is a part of the rotation.
// CHECK-LABEL: func.func @rounded
// CHECK: %[[ROUNDED:.*]] = tensor.empty(%{{.*}}) : tensor<?x2x32xbf16>
// CHECK: %[[R:.*]] = cheems_tile.launch @rotary grid{{.*}} outs(%[[ROUNDED]] : tensor<?x2x32xbf16>)
// CHECK-NOT: launch
// CHECK: tensor.collapse_shape %[[R]]
// CHECK-LABEL: cheems_tile.kernel @rotary(
// CHECK-COUNT-2: arith.truncf {{.*}} to tensor<{{.*}}xbf16
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @rounded(%x: tensor<?x2x32xf32>, %cosine: tensor<?x16xf32>, %sine: tensor<?x16xf32>, %y: tensor<?x2x32xf32>,
                     %flat: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
    %r = cheems.rotary ins(%x, %cosine, %sine : tensor<?x2x32xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
        outs(%y : tensor<?x2x32xf32>) -> tensor<?x2x32xf32>
    %rows = tensor.collapse_shape %r [[0], [1, 2]] : tensor<?x2x32xf32> into tensor<?x64xf32>
    %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%rows : tensor<?x64xf32>) outs(%flat : tensor<?x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %n = arith.truncf %in : f32 to bf16
      linalg.yield %n : bf16
    } -> tensor<?x64xbf16>
    return %o : tensor<?x64xbf16>
  }
}

// -----

// A table whose lengths are its positions is made once.
// CHECK-LABEL: func.func @lengths_are_positions
// CHECK-COUNT-1: cheems_tile.launch @rotary_table
// CHECK-NOT: launch
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @lengths_are_positions(%positions: tensor<3xi32>, %cosine: tensor<3x8xf32>, %sine: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
    %t:2 = cheems.rotary_table theta 1.0e+04 ins(%positions, %positions : tensor<3xi32>, tensor<3xi32>) outs(%cosine, %sine : tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>, tensor<3x8xf32>
    return %t#0, %t#1 : tensor<3x8xf32>, tensor<3x8xf32>
  }
}
