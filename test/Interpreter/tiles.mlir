// Kernels of tiles: matmuls from shared memory and from registers, in f32, a norm, and attention with a running softmax.
// RUN: python3 %S/Inputs/tiles.py write %t.in.safetensors
// RUN: cheems-opt %s --cheems-interpret='entry=main inputs=%t.in.safetensors outputs=%t.out.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tiles.py check %t.in.safetensors %t.out.safetensors
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-interpret='entry=main inputs=%t.in.safetensors outputs=%t.planned.safetensors' -o /dev/null
// RUN: cmp %t.out.safetensors %t.planned.safetensors

#a = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#b = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
#c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#c_rows = #cheems_tile.slice<axis = 1, of = #c>
#ak = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, warps_k = 2, k_width = 8>
#bk = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, warps_k = 2, k_width = 8>
#ck = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, warps_k = 2>
#whole = #cheems_tile.blocked<rows = 8, columns = 8, width = 1>
#grid = #cheems_tile.blocked<rows = 8, columns = 4, width = 1>
#row = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#rows = #cheems_tile.slice<axis = 1, of = #row>
#columns = #cheems_tile.slice<axis = 0, of = #row>

// A ring of two stages: the copy of the next one is under way while one is multiplied.
cheems_tile.kernel @product(%x: memref<?x?xbf16>, %w: memref<?x?xbf16>, %y: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %bx = cheems_tile.block_id x
  %by = cheems_tile.block_id y
  %m = arith.muli %by, %c16 : index
  %n = arith.muli %bx, %c8 : index
  %k = memref.dim %x, %c1 : memref<?x?xbf16>
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x16x16xbf16, swizzled>
  %ws = cheems_tile.alloc : !cheems_tile.buffer<2x8x16xbf16, swizzled>
  cheems_tile.async_copy %x[%m, %c0] dims [0, 1] to %xs[%c0] aligned 16 : memref<?x?xbf16>, !cheems_tile.buffer<2x16x16xbf16, swizzled>
  cheems_tile.async_copy %w[%n, %c0] dims [0, 1] to %ws[%c0] aligned 16 : memref<?x?xbf16>, !cheems_tile.buffer<2x8x16xbf16, swizzled>
  cheems_tile.commit
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %sums = scf.for %at = %c0 to %k step %c16 iter_args(%sum = %zero) -> tensor<16x8xf32, #c> {
    %step = arith.divui %at, %c16 : index
    %now = arith.remui %step, %c2 : index
    %then = arith.subi %c1, %now : index
    %next = arith.addi %at, %c16 : index
    cheems_tile.barrier
    cheems_tile.async_copy %x[%m, %next] dims [0, 1] to %xs[%then] aligned 16 : memref<?x?xbf16>, !cheems_tile.buffer<2x16x16xbf16, swizzled>
    cheems_tile.async_copy %w[%n, %next] dims [0, 1] to %ws[%then] aligned 16 : memref<?x?xbf16>, !cheems_tile.buffer<2x8x16xbf16, swizzled>
    cheems_tile.commit
    cheems_tile.wait pending 1
    cheems_tile.barrier
    %a = cheems_tile.read %xs[%now, %c0, %c0] : !cheems_tile.buffer<2x16x16xbf16, swizzled> -> tensor<16x16xbf16, #a>
    %b = cheems_tile.read %ws[%now, %c0, %c0] : !cheems_tile.buffer<2x8x16xbf16, swizzled> -> tensor<8x16xbf16, #b>
    %d = cheems_tile.mma %a, %b, %sum : tensor<16x16xbf16, #a>, tensor<8x16xbf16, #b>, tensor<16x8xf32, #c>
    scf.yield %d : tensor<16x8xf32, #c>
  }
  cheems_tile.store %sums, %y[%m, %n] dims [0, 1] : tensor<16x8xf32, #c>, memref<?x?xf32>
  cheems_tile.return
}

// One row: two warps have different k, straight from memory. The result is rounded once.
cheems_tile.kernel @narrow(%x: memref<?x?xbf16>, %w: memref<?x?xbf16>, %rows: index, %y: memref<?x?xbf16>) warps(2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %bx = cheems_tile.block_id x
  %n = arith.muli %bx, %c8 : index
  %k = memref.dim %x, %c1 : memref<?x?xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #ck>
  %sums = scf.for %at = %c0 to %k step %c64 iter_args(%sum = %zero) -> tensor<16x8xf32, #ck> {
    %a = cheems_tile.load %x[%c0, %at] dims [0, 1] extents[%rows, %k] aligned 16 : memref<?x?xbf16> -> tensor<16x64xbf16, #ak>
    %b = cheems_tile.load %w[%n, %at] dims [0, 1] aligned 16 : memref<?x?xbf16> -> tensor<8x64xbf16, #bk>
    %d = cheems_tile.mma %a, %b, %sum : tensor<16x64xbf16, #ak>, tensor<8x64xbf16, #bk>, tensor<16x8xf32, #ck>
    scf.yield %d : tensor<16x8xf32, #ck>
  }
  %y32 = cheems_tile.sum_partials %sums : tensor<16x8xf32, #ck> -> tensor<16x8xf32, #whole>
  %y16 = arith.truncf %y32 : tensor<16x8xf32, #whole> to tensor<16x8xbf16, #whole>
  cheems_tile.store %y16, %y[%c0, %n] dims [0, 1] : tensor<16x8xbf16, #whole>, memref<?x?xbf16>
  cheems_tile.return
}

// The kernel computes in f32: what is loaded is widened and written into buffers.
cheems_tile.kernel @exact(%x: memref<?x?xbf16>, %w: memref<?x?xbf16>, %y: memref<?x?xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %bx = cheems_tile.block_id x
  %by = cheems_tile.block_id y
  %m = arith.muli %by, %c8 : index
  %n = arith.muli %bx, %c8 : index
  %k = memref.dim %x, %c1 : memref<?x?xbf16>
  %xs = cheems_tile.alloc : !cheems_tile.buffer<1x8x8xf32>
  %ws = cheems_tile.alloc : !cheems_tile.buffer<1x8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32, #grid>
  %sums = scf.for %at = %c0 to %k step %c8 iter_args(%sum = %zero) -> tensor<8x8xf32, #grid> {
    cheems_tile.barrier
    %a = cheems_tile.load %x[%m, %at] dims [0, 1] : memref<?x?xbf16> -> tensor<8x8xbf16, #grid>
    %a32 = arith.extf %a : tensor<8x8xbf16, #grid> to tensor<8x8xf32, #grid>
    cheems_tile.write %a32, %xs[%c0, %c0, %c0] : tensor<8x8xf32, #grid>, !cheems_tile.buffer<1x8x8xf32>
    %b = cheems_tile.load %w[%n, %at] dims [0, 1] : memref<?x?xbf16> -> tensor<8x8xbf16, #grid>
    %b32 = arith.extf %b : tensor<8x8xbf16, #grid> to tensor<8x8xf32, #grid>
    cheems_tile.write %b32, %ws[%c0, %c0, %c0] : tensor<8x8xf32, #grid>, !cheems_tile.buffer<1x8x8xf32>
    cheems_tile.barrier
    %d = cheems_tile.fma %xs[%c0], %ws[%c0], %sum : !cheems_tile.buffer<1x8x8xf32>, !cheems_tile.buffer<1x8x8xf32>, tensor<8x8xf32, #grid>
    scf.yield %d : tensor<8x8xf32, #grid>
  }
  cheems_tile.store %sums, %y[%m, %n] dims [0, 1] : tensor<8x8xf32, #grid>, memref<?x?xf32>
  cheems_tile.return
}

cheems_tile.kernel @norm(%x: memref<?x128xf32>, %y: memref<?x128xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %bx = cheems_tile.block_id x
  %row = arith.muli %bx, %c4 : index
  %t = cheems_tile.load %x[%row, %c0] dims [0, 1] aligned 8 : memref<?x128xf32> -> tensor<4x128xf32, #row>
  %q = arith.mulf %t, %t : tensor<4x128xf32, #row>
  %s = cheems_tile.reduce add %q axis 1 : tensor<4x128xf32, #row> -> tensor<4xf32, #rows>
  %i = arith.constant dense<0.0078125> : tensor<4xf32, #rows>
  %m = arith.mulf %s, %i : tensor<4xf32, #rows>
  %r = math.rsqrt %m : tensor<4xf32, #rows>
  %rb = cheems_tile.broadcast %r : tensor<4xf32, #rows> -> tensor<4x128xf32, #row>
  // The weight of a column is its number: a part of a row of shared memory.
  %c2 = arith.constant 2 : index
  %ws = cheems_tile.alloc : !cheems_tile.buffer<1x4x128xf32>
  %j = cheems_tile.indices axis 1 : tensor<4x128xi32, #row>
  %numbers = arith.sitofp %j : tensor<4x128xi32, #row> to tensor<4x128xf32, #row>
  cheems_tile.write %numbers, %ws[%c0, %c0, %c0] : tensor<4x128xf32, #row>, !cheems_tile.buffer<1x4x128xf32>
  cheems_tile.barrier
  %w = cheems_tile.read %ws[%c0, %c2, %c0] : !cheems_tile.buffer<1x4x128xf32> -> tensor<128xf32, #columns>
  %wb = cheems_tile.broadcast %w : tensor<128xf32, #columns> -> tensor<4x128xf32, #row>
  %n = arith.mulf %t, %rb : tensor<4x128xf32, #row>
  %o = arith.mulf %n, %wb : tensor<4x128xf32, #row>
  cheems_tile.store %o, %y[%row, %c0] dims [0, 1] aligned 8 : tensor<4x128xf32, #row>, memref<?x128xf32>
  cheems_tile.return
}

// Each row sees the keys up to its own. The sums that were before a new maximum are scaled down.
cheems_tile.kernel @attention(%q: memref<?x16xbf16>, %k: memref<?x16xbf16>, %v: memref<?x8xbf16>, %y: memref<?x8xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %bx = cheems_tile.block_id x
  %first = arith.muli %bx, %c16 : index
  %end = arith.addi %first, %c16 : index
  %vs = cheems_tile.alloc : !cheems_tile.buffer<1x16x8xbf16>
  %query = cheems_tile.load %q[%first, %c0] dims [0, 1] aligned 4 : memref<?x16xbf16> -> tensor<16x16xbf16, #a>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %none = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %hidden = arith.constant dense<-1.0e+30> : tensor<16x16xf32, #c>
  %least = arith.constant dense<-1.0e+30> : tensor<16xf32, #c_rows>
  %nothing = arith.constant dense<0.0> : tensor<16xf32, #c_rows>
  %i = cheems_tile.indices axis 0 : tensor<16x16xi32, #c>
  %j = cheems_tile.indices axis 1 : tensor<16x16xi32, #c>
  %r:3 = scf.for %at = %c0 to %end step %c16 iter_args(%most = %least, %total = %nothing, %sum = %zero)
      -> (tensor<16xf32, #c_rows>, tensor<16xf32, #c_rows>, tensor<16x8xf32, #c>) {
    %key = cheems_tile.load %k[%at, %c0] dims [0, 1] aligned 4 : memref<?x16xbf16> -> tensor<16x16xbf16, #b>
    %s = cheems_tile.mma %query, %key, %none : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<16x16xf32, #c>
    %behind = arith.subi %first, %at : index
    %far = arith.index_cast %behind : index to i32
    %shift = arith.constant 0 : i32
    %isSame = arith.cmpi eq, %far, %shift : i32
    %sees = arith.cmpi sge, %i, %j : tensor<16x16xi32, #c>
    %masked = arith.select %sees, %s, %hidden : tensor<16x16xi1, #c>, tensor<16x16xf32, #c>
    %scores = arith.select %isSame, %masked, %s : tensor<16x16xf32, #c>
    %here = cheems_tile.reduce maximum %scores axis 1 : tensor<16x16xf32, #c> -> tensor<16xf32, #c_rows>
    %greatest = arith.maximumf %most, %here : tensor<16xf32, #c_rows>
    %fall = arith.subf %most, %greatest : tensor<16xf32, #c_rows>
    %scale = math.exp %fall : tensor<16xf32, #c_rows>
    %across = cheems_tile.broadcast %greatest : tensor<16xf32, #c_rows> -> tensor<16x16xf32, #c>
    %below = arith.subf %scores, %across : tensor<16x16xf32, #c>
    %p = math.exp %below : tensor<16x16xf32, #c>
    %add = cheems_tile.reduce add %p axis 1 : tensor<16x16xf32, #c> -> tensor<16xf32, #c_rows>
    %kept = arith.mulf %total, %scale : tensor<16xf32, #c_rows>
    %newTotal = arith.addf %kept, %add : tensor<16xf32, #c_rows>
    cheems_tile.barrier
    cheems_tile.async_copy %v[%at, %c0] dims [0, 1] to %vs[%c0] aligned 16 : memref<?x8xbf16>, !cheems_tile.buffer<1x16x8xbf16>
    cheems_tile.commit
    cheems_tile.wait pending 0
    cheems_tile.barrier
    %value = cheems_tile.read %vs[%c0, %c0, %c0] transposed : !cheems_tile.buffer<1x16x8xbf16> -> tensor<8x16xbf16, #b>
    %p16 = arith.truncf %p : tensor<16x16xf32, #c> to tensor<16x16xbf16, #c>
    %pa = cheems_tile.convert_layout %p16 : tensor<16x16xbf16, #c> -> tensor<16x16xbf16, #a>
    %scales = cheems_tile.broadcast %scale : tensor<16xf32, #c_rows> -> tensor<16x8xf32, #c>
    %sum0 = arith.mulf %sum, %scales : tensor<16x8xf32, #c>
    %sum1 = cheems_tile.mma %pa, %value, %sum0 : tensor<16x16xbf16, #a>, tensor<8x16xbf16, #b>, tensor<16x8xf32, #c>
    scf.yield %greatest, %newTotal, %sum1 : tensor<16xf32, #c_rows>, tensor<16xf32, #c_rows>, tensor<16x8xf32, #c>
  }
  %totals = cheems_tile.broadcast %r#1 : tensor<16xf32, #c_rows> -> tensor<16x8xf32, #c>
  %o = arith.divf %r#2, %totals : tensor<16x8xf32, #c>
  cheems_tile.store %o, %y[%first, %c0] dims [0, 1] aligned 8 : tensor<16x8xf32, #c>, memref<?x8xf32>
  cheems_tile.return
}

func.func @main(%x: tensor<21x72xbf16> {cheems.name = "x"}, %w: tensor<11x72xbf16> {cheems.name = "w"},
    %q: tensor<19x16xbf16> {cheems.name = "q"}, %k: tensor<19x16xbf16> {cheems.name = "k"}, %v: tensor<19x8xbf16> {cheems.name = "v"},
    %n: tensor<6x128xf32> {cheems.name = "n"}) -> (tensor<21x11xf32> {cheems.name = "product"}, tensor<1x11xbf16> {cheems.name = "narrow"},
    tensor<21x11xf32> {cheems.name = "exact"}, tensor<6x128xf32> {cheems.name = "normal"}, tensor<19x8xf32> {cheems.name = "attended"}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %e0 = tensor.empty() : tensor<21x11xf32>
  %e1 = tensor.empty() : tensor<1x11xbf16>
  %e2 = tensor.empty() : tensor<6x128xf32>
  %e3 = tensor.empty() : tensor<19x8xf32>
  %product = cheems_tile.launch @product grid[%c2, %c2, %c1] ins(%x, %w : tensor<21x72xbf16>, tensor<11x72xbf16>) outs(%e0 : tensor<21x11xf32>) -> tensor<21x11xf32>
  %narrow = cheems_tile.launch @narrow grid[%c2, %c1, %c1] ins(%x, %w, %c1 : tensor<21x72xbf16>, tensor<11x72xbf16>, index) outs(%e1 : tensor<1x11xbf16>) -> tensor<1x11xbf16>
  %exact = cheems_tile.launch @exact grid[%c2, %c3, %c1] ins(%x, %w : tensor<21x72xbf16>, tensor<11x72xbf16>) outs(%e0 : tensor<21x11xf32>) -> tensor<21x11xf32>
  %normal = cheems_tile.launch @norm grid[%c2, %c1, %c1] ins(%n : tensor<6x128xf32>) outs(%e2 : tensor<6x128xf32>) -> tensor<6x128xf32>
  %attended = cheems_tile.launch @attention grid[%c2, %c1, %c1] ins(%q, %k, %v : tensor<19x16xbf16>, tensor<19x16xbf16>, tensor<19x8xbf16>) outs(%e3 : tensor<19x8xf32>) -> tensor<19x8xf32>
  return %product, %narrow, %exact, %normal, %attended : tensor<21x11xf32>, tensor<1x11xbf16>, tensor<21x11xf32>, tensor<6x128xf32>, tensor<19x8xf32>
}
