// Matmuls of bf16 in four ways give what the exact matmul of the same numbers gives: with operands by ldmatrix, straight from memory in
// the other order of k, with weights that lie across, and with k dealt to warps. Rows, columns and k have remainders.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm -o %t.mlir
// RUN: cheems-translate %t.mlir --to-ptx -o %t.ptx
// RUN: cheems-translate %t.mlir --to-ptx --cuda-arch sm_80 -o %t.80.ptx
// RUN: not grep -F .local %t.ptx

// DEFINE: %{x} = --buffer x:bf16[21x40]=random:0:1 --arg s32:21 --arg s32:40
// DEFINE: %{w} = --buffer w:bf16[24x40]=random:0:1 --arg s32:24 --arg s32:40
// DEFINE: %{y} = --buffer y:f32[21x24]=none --arg s32:21 --arg s32:24
// DEFINE: %{like} = --expect y=@%t.npy --tolerance 1e-5 --print y
// RUN: cheems-ptx-run %t.ptx --kernel exact --shared 8192 --grid 1 --block 128 %{x} %{w} %{y} --save y=%t.npy --print y | FileCheck %s --check-prefix=EXACT
// RUN: cheems-ptx-run %t.ptx --kernel matrices --shared 4096 --grid 1 --block 128 %{x} %{w} %{y} %{like} --counts %t.json
// RUN: cheems-ptx-run %t.80.ptx --arch 80 --kernel matrices --shared 4096 --grid 1 --block 128 %{x} %{w} %{y} %{like} --mode late --seed 3
// RUN: cheems-ptx-run %t.ptx --kernel direct --grid 1 --block 128 %{x} %{w} %{y} %{like}
// RUN: cheems-ptx-run %t.ptx --kernel parts --shared 16384 --grid 1 --block 128 %{x} %{w} %{y} %{like} --counts %t.parts.json
// RUN: FileCheck %s --check-prefix=COUNTS < %t.json
// RUN: FileCheck %s --check-prefix=COUNTS < %t.parts.json
// The weights of this one lie across: the exact matmul of it is another one.
// DEFINE: %{v} = --buffer w:bf16[40x24]=random:0:1 --arg s32:40 --arg s32:24
// RUN: cheems-ptx-run %t.ptx --kernel exact_across --shared 8192 --grid 1 --block 128 %{x} %{v} %{y} --save y=%t.npy
// RUN: cheems-ptx-run %t.ptx --kernel across --shared 4096 --grid 1 --block 128 %{x} %{v} %{y} %{like} --mode late

// EXACT-NOT: ?
// COUNTS: "bank_conflicts": 0,

#a = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2>
#b = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2>
#c = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 2>
#a8 = #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 2, k_width = 8>
#b8 = #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 2, k_width = 8>
#part_a = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, warps_k = 4, k_width = 8>
#part_b = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, warps_k = 4, k_width = 8>
#part_c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 4>
#grid = #cheems_tile.blocked<rows = 4, columns = 32, width = 1>
#quads = #cheems_tile.blocked<rows = 16, columns = 8, width = 4>
#rows = #cheems_tile.blocked<rows = 8, columns = 16, width = 2>
!memory = memref<?x?xbf16>
!ring = !cheems_tile.buffer<1x32x32xbf16, swizzled>

cheems_tile.kernel @exact(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %depth = memref.dim %x, %c1 : !memory
  %xs = cheems_tile.alloc : !cheems_tile.buffer<1x32x32xf32, swizzled>
  %ws = cheems_tile.alloc : !cheems_tile.buffer<1x32x32xf32, swizzled>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #grid>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%part = %zero) -> tensor<32x32xf32, #grid> {
    %a = cheems_tile.load %x[%c0, %k] dims [0, 1] aligned 8 : !memory -> tensor<32x32xbf16, #quads>
    %b = cheems_tile.load %w[%c0, %k] dims [0, 1] aligned 8 : !memory -> tensor<32x32xbf16, #quads>
    %a32 = arith.extf %a : tensor<32x32xbf16, #quads> to tensor<32x32xf32, #quads>
    %b32 = arith.extf %b : tensor<32x32xbf16, #quads> to tensor<32x32xf32, #quads>
    cheems_tile.barrier
    cheems_tile.write %a32, %xs[%c0, %c0, %c0] : tensor<32x32xf32, #quads>, !cheems_tile.buffer<1x32x32xf32, swizzled>
    cheems_tile.write %b32, %ws[%c0, %c0, %c0] : tensor<32x32xf32, #quads>, !cheems_tile.buffer<1x32x32xf32, swizzled>
    cheems_tile.barrier
    %next = cheems_tile.fma %xs[%c0], %ws[%c0], %part
        : !cheems_tile.buffer<1x32x32xf32, swizzled>, !cheems_tile.buffer<1x32x32xf32, swizzled>, tensor<32x32xf32, #grid>
    scf.yield %next : tensor<32x32xf32, #grid>
  }
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] : tensor<32x32xf32, #grid>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @exact_across(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %depth = memref.dim %x, %c1 : !memory
  %xs = cheems_tile.alloc : !cheems_tile.buffer<1x32x32xf32, swizzled>
  %ws = cheems_tile.alloc : !cheems_tile.buffer<1x32x32xf32, swizzled>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #grid>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%part = %zero) -> tensor<32x32xf32, #grid> {
    %a = cheems_tile.load %x[%c0, %k] dims [0, 1] aligned 8 : !memory -> tensor<32x32xbf16, #quads>
    %b = cheems_tile.load %w[%k, %c0] dims [1, 0] : !memory -> tensor<32x32xbf16, #quads>
    %a32 = arith.extf %a : tensor<32x32xbf16, #quads> to tensor<32x32xf32, #quads>
    %b32 = arith.extf %b : tensor<32x32xbf16, #quads> to tensor<32x32xf32, #quads>
    cheems_tile.barrier
    cheems_tile.write %a32, %xs[%c0, %c0, %c0] : tensor<32x32xf32, #quads>, !cheems_tile.buffer<1x32x32xf32, swizzled>
    cheems_tile.write %b32, %ws[%c0, %c0, %c0] : tensor<32x32xf32, #quads>, !cheems_tile.buffer<1x32x32xf32, swizzled>
    cheems_tile.barrier
    %next = cheems_tile.fma %xs[%c0], %ws[%c0], %part
        : !cheems_tile.buffer<1x32x32xf32, swizzled>, !cheems_tile.buffer<1x32x32xf32, swizzled>, tensor<32x32xf32, #grid>
    scf.yield %next : tensor<32x32xf32, #grid>
  }
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] : tensor<32x32xf32, #grid>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @matrices(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %depth = memref.dim %x, %c1 : !memory
  %xs = cheems_tile.alloc : !ring
  %ws = cheems_tile.alloc : !ring
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%part = %zero) -> tensor<32x32xf32, #c> {
    cheems_tile.barrier
    cheems_tile.async_copy %x[%c0, %k] dims [0, 1] to %xs[%c0] aligned 16 : !memory, !ring
    cheems_tile.async_copy %w[%c0, %k] dims [0, 1] to %ws[%c0] aligned 16 : !memory, !ring
    cheems_tile.commit
    cheems_tile.wait pending 0
    cheems_tile.barrier
    %whole = scf.for %step = %c0 to %c32 step %c16 iter_args(%some = %part) -> tensor<32x32xf32, #c> {
      %a = cheems_tile.read %xs[%c0, %c0, %step] : !ring -> tensor<32x16xbf16, #a>
      %b = cheems_tile.read %ws[%c0, %c0, %step] : !ring -> tensor<32x16xbf16, #b>
      %next = cheems_tile.mma %a, %b, %some : tensor<32x16xbf16, #a>, tensor<32x16xbf16, #b>, tensor<32x32xf32, #c>
      scf.yield %next : tensor<32x32xf32, #c>
    }
    scf.yield %whole : tensor<32x32xf32, #c>
  }
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<32x32xf32, #c>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @across(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %depth = memref.dim %x, %c1 : !memory
  %xs = cheems_tile.alloc : !ring
  %ws = cheems_tile.alloc : !ring
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%part = %zero) -> tensor<32x32xf32, #c> {
    cheems_tile.barrier
    cheems_tile.async_copy %x[%c0, %k] dims [0, 1] to %xs[%c0] aligned 16 : !memory, !ring
    cheems_tile.async_copy %w[%k, %c0] dims [0, 1] to %ws[%c0] aligned 16 : !memory, !ring
    cheems_tile.commit
    cheems_tile.wait pending 0
    cheems_tile.barrier
    %whole = scf.for %step = %c0 to %c32 step %c16 iter_args(%some = %part) -> tensor<32x32xf32, #c> {
      %a = cheems_tile.read %xs[%c0, %c0, %step] : !ring -> tensor<32x16xbf16, #a>
      %b = cheems_tile.read %ws[%c0, %step, %c0] transposed : !ring -> tensor<32x16xbf16, #b>
      %next = cheems_tile.mma %a, %b, %some : tensor<32x16xbf16, #a>, tensor<32x16xbf16, #b>, tensor<32x32xf32, #c>
      scf.yield %next : tensor<32x32xf32, #c>
    }
    scf.yield %whole : tensor<32x32xf32, #c>
  }
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<32x32xf32, #c>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @direct(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %depth = memref.dim %x, %c1 : !memory
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%part = %zero) -> tensor<32x32xf32, #c> {
    %a = cheems_tile.load %x[%c0, %k] dims [0, 1] aligned 16 : !memory -> tensor<32x32xbf16, #a8>
    %b = cheems_tile.load %w[%c0, %k] dims [0, 1] aligned 16 : !memory -> tensor<32x32xbf16, #b8>
    %next = cheems_tile.mma %a, %b, %part : tensor<32x32xbf16, #a8>, tensor<32x32xbf16, #b8>, tensor<32x32xf32, #c>
    scf.yield %next : tensor<32x32xf32, #c>
  }
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<32x32xf32, #c>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @parts(%x: !memory, %w: !memory, %y: memref<?x?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %depth = memref.dim %x, %c1 : !memory
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #part_c>
  %parts = scf.for %k = %c0 to %depth step %c128 iter_args(%part = %zero) -> tensor<32x32xf32, #part_c> {
    %a = cheems_tile.load %x[%c0, %k] dims [0, 1] aligned 16 : !memory -> tensor<32x128xbf16, #part_a>
    %b = cheems_tile.load %w[%c0, %k] dims [0, 1] aligned 16 : !memory -> tensor<32x128xbf16, #part_b>
    %next = cheems_tile.mma %a, %b, %part : tensor<32x128xbf16, #part_a>, tensor<32x128xbf16, #part_b>, tensor<32x32xf32, #part_c>
    scf.yield %next : tensor<32x32xf32, #part_c>
  }
  %sum = cheems_tile.sum_partials %parts : tensor<32x32xf32, #part_c> -> tensor<32x32xf32, #rows>
  cheems_tile.store %sum, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<32x32xf32, #rows>, memref<?x?xf32>
  cheems_tile.return
}
