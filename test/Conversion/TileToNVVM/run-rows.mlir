// Rows are added in the order that the ops specify: a norm over lanes and one over warps, columns' maxima, and coordinates.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm | cheems-translate --to-ptx -o %t.ptx
// RUN: not grep -F .local %t.ptx

// RUN: cheems-ptx-run %t.ptx --kernel sums --shared 128 --grid 2 --block 128 --buffer x:f32[3x128]=iota --arg s32:3 --buffer y:f32[3]=none \
// RUN:   --arg s32:3 --print y | FileCheck %s --check-prefix=SUMS
// SUMS: 8128 24512 40896
#lanes = #cheems_tile.blocked<rows = 4, columns = 32, width = 4>
#lane_rows = #cheems_tile.slice<axis = 1, of = #lanes>
#wide = #cheems_tile.blocked<rows = 1, columns = 128, width = 1>
#wide_rows = #cheems_tile.slice<axis = 1, of = #wide>
cheems_tile.kernel @sums(%x: memref<?x128xf32>, %y: memref<?xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %block = cheems_tile.block_id x
  %row = arith.muli %block, %c2 : index
  %t = cheems_tile.load %x[%row, %c0] dims [0, 1] : memref<?x128xf32> -> tensor<2x128xf32, #wide>
  %s = cheems_tile.reduce add %t axis 1 : tensor<2x128xf32, #wide> -> tensor<2xf32, #wide_rows>
  cheems_tile.store %s, %y[%row] dims [0] : tensor<2xf32, #wide_rows>, memref<?xf32>
  cheems_tile.return
}

// The mean of squares is 4, so the norm halves.
// RUN: cheems-ptx-run %t.ptx --kernel norm --grid 1 --block 128 --buffer x:f32[3x128]=2 --arg s32:3 --buffer y:f32[3x128]=none \
// RUN:   --arg s32:3 --expect y=1 --tolerance 1e-6 --print y
cheems_tile.kernel @norm(%x: memref<?x128xf32>, %y: memref<?x128xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %t = cheems_tile.load %x[%c0, %c0] dims [0, 1] aligned 16 : memref<?x128xf32> -> tensor<4x128xf32, #lanes>
  %q = arith.mulf %t, %t : tensor<4x128xf32, #lanes>
  %s = cheems_tile.reduce add %q axis 1 : tensor<4x128xf32, #lanes> -> tensor<4xf32, #lane_rows>
  %scale = arith.constant dense<0.0078125> : tensor<4xf32, #lane_rows>
  %mean = arith.mulf %s, %scale : tensor<4xf32, #lane_rows>
  %r = math.rsqrt %mean : tensor<4xf32, #lane_rows>
  %b = cheems_tile.broadcast %r : tensor<4xf32, #lane_rows> -> tensor<4x128xf32, #lanes>
  %o = arith.mulf %t, %b : tensor<4x128xf32, #lanes>
  cheems_tile.store %o, %y[%c0, %c0] dims [0, 1] aligned 16 : tensor<4x128xf32, #lanes>, memref<?x128xf32>
  cheems_tile.return
}

// The columns of a matmul's accumulator are spread over lanes and warps, which together find maxima over rows.
// RUN: cheems-ptx-run %t.ptx --kernel maxima --shared 128 --grid 1 --block 64 --buffer x:f32[32x8]=iota --buffer y:f32[8]=none --print y \
// RUN:   | FileCheck %s --check-prefix=MAXIMA
// MAXIMA: 248 249 250 251 252 253 254 255
#acc = #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 1>
#acc_columns = #cheems_tile.slice<axis = 0, of = #acc>
cheems_tile.kernel @maxima(%x: memref<32x8xf32>, %y: memref<8xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %t = cheems_tile.load %x[%c0, %c0] dims [0, 1] aligned 8 : memref<32x8xf32> -> tensor<32x8xf32, #acc>
  %s = cheems_tile.reduce maximum %t axis 0 : tensor<32x8xf32, #acc> -> tensor<8xf32, #acc_columns>
  cheems_tile.store %s, %y[%c0] dims [0] aligned 8 : tensor<8xf32, #acc_columns>, memref<8xf32>
  cheems_tile.return
}

// Coordinates, a mask of them, and a layout that goes through shared memory: also of conditions.
// RUN: cheems-ptx-run %t.ptx --kernel triangle --shared 1024 --grid 1 --block 64 --buffer y:i32[16x16]=none --print y | FileCheck %s --check-prefix=TRIANGLE
// TRIANGLE: 0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
// TRIANGLE: 16 17 -1
// TRIANGLE: 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255
#square = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 2>
#pairs = #cheems_tile.blocked<rows = 8, columns = 8, width = 2>
cheems_tile.kernel @triangle(%y: memref<16x16xi32>) warps(2) {
  %c0 = arith.constant 0 : index
  %i = cheems_tile.indices axis 0 : tensor<16x16xi32, #square>
  %j = cheems_tile.indices axis 1 : tensor<16x16xi32, #square>
  %sixteen = arith.constant dense<16> : tensor<16x16xi32, #square>
  %row = arith.muli %i, %sixteen : tensor<16x16xi32, #square>
  %number = arith.addi %row, %j : tensor<16x16xi32, #square>
  %below = arith.cmpi sge, %i, %j : tensor<16x16xi32, #square>
  %n = cheems_tile.convert_layout %number : tensor<16x16xi32, #square> -> tensor<16x16xi32, #pairs>
  %m = cheems_tile.convert_layout %below : tensor<16x16xi1, #square> -> tensor<16x16xi1, #pairs>
  %none = arith.constant dense<-1> : tensor<16x16xi32, #pairs>
  %t = arith.select %m, %n, %none : tensor<16x16xi1, #pairs>, tensor<16x16xi32, #pairs>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<16x16xi32, #pairs>, memref<16x16xi32>
  cheems_tile.return
}

// An accumulator that is the next matmul's operand stays in its threads: the identity times it is itself, in 16 bits.
// RUN: cheems-ptx-run %t.ptx --kernel chain --grid 1 --block 32 --buffer x:f32[16x16]=iota --buffer y:f32[16x16]=none --expect y=iota --print y
#one_c = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1>
#one_a = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1>
#one_b = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1>
cheems_tile.kernel @chain(%x: memref<16x16xf32>, %y: memref<16x16xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #one_c>
  %x0 = cheems_tile.load %x[%c0, %c0] dims [0, 1] aligned 8 : memref<16x16xf32> -> tensor<16x16xf32, #one_c>
  %x16 = arith.truncf %x0 : tensor<16x16xf32, #one_c> to tensor<16x16xbf16, #one_c>
  %a = cheems_tile.convert_layout %x16 : tensor<16x16xbf16, #one_c> -> tensor<16x16xbf16, #one_a>
  %i = cheems_tile.indices axis 0 : tensor<16x16xi32, #one_b>
  %j = cheems_tile.indices axis 1 : tensor<16x16xi32, #one_b>
  %same = arith.cmpi eq, %i, %j : tensor<16x16xi32, #one_b>
  %b = arith.uitofp %same : tensor<16x16xi1, #one_b> to tensor<16x16xbf16, #one_b>
  %p = cheems_tile.mma %a, %b, %zero : tensor<16x16xbf16, #one_a>, tensor<16x16xbf16, #one_b>, tensor<16x16xf32, #one_c>
  cheems_tile.store %p, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<16x16xf32, #one_c>, memref<16x16xf32>
  cheems_tile.return
}

// Rows of numbers that memory has: the table has as many rows as it likes, and strides beyond 32 bits are computed in 64.
// RUN: cheems-ptx-run %t.ptx --kernel gather --grid 3 --block 32 --buffer table:f32[4x64]=iota --arg s32:4 --buffer rows:i32[3]=3,0,2 --arg s32:3 \
// RUN:   --buffer y:f32[3x64]=none --arg s32:3 --print y | FileCheck %s --check-prefix=GATHER
// RUN: FileCheck %s --check-prefix=CONSTANT < %t.ptx
// GATHER: 192 193 {{.*}} 254 255
// GATHER-NEXT: 0 1 2
// GATHER-NEXT: 128 129
// CONSTANT: .entry gather(
// CONSTANT: ld.global.nc.b32
#wide_row = #cheems_tile.blocked<rows = 1, columns = 32, width = 2>
cheems_tile.kernel @gather(%table: memref<?x64xf32>, %rows: memref<?xi32>, %y: memref<?x64xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %block = cheems_tile.block_id x
  %number = memref.load %rows[%block] : memref<?xi32>
  %row = arith.index_cast %number : i32 to index
  %t = cheems_tile.load %table[%row, %c0] dims [0, 1] aligned 8 : memref<?x64xf32> -> tensor<1x64xf32, #wide_row>
  cheems_tile.store %t, %y[%block, %c0] dims [0, 1] aligned 8 : tensor<1x64xf32, #wide_row>, memref<?x64xf32>
  cheems_tile.return
}

// A part of a row of a buffer, and numbers of 64 bits that change threads: x[32 + j] + i / 2. There are 40 x.
// RUN: cheems-ptx-run %t.ptx --kernel parts --shared 2048 --grid 1 --block 32 --buffer x:f32[1x40]=iota --buffer y:f32[8x16]=none --mode late \
// RUN:   --print y | FileCheck %s --check-prefix=PARTS
// PARTS: 32 33 34 35 36 37 38 39 0 0 0 0 0 0 0 0
// PARTS-NEXT: 32.5 33.5 34.5 35.5 36.5 37.5 38.5 39.5 0.5 0.5
// PARTS: 35.5 36.5
#fours = #cheems_tile.blocked<rows = 8, columns = 4, width = 4>
#four_columns = #cheems_tile.slice<axis = 0, of = #fours>
#twos = #cheems_tile.blocked<rows = 4, columns = 8, width = 2>
!line = !cheems_tile.buffer<1x1x64xf32>
cheems_tile.kernel @parts(%x: memref<1x40xf32>, %y: memref<8x16xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %xs = cheems_tile.alloc : !line
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %xs[%c0] aligned 16 : memref<1x40xf32>, !line
  cheems_tile.commit
  cheems_tile.wait pending 0
  cheems_tile.barrier
  %part = cheems_tile.read %xs[%c0, %c0, %c32] : !line -> tensor<16xf32, #four_columns>
  %row = cheems_tile.broadcast %part : tensor<16xf32, #four_columns> -> tensor<8x16xf32, #fours>
  %i = cheems_tile.indices axis 0 : tensor<8x16xi32, #fours>
  %i64 = arith.sitofp %i : tensor<8x16xi32, #fours> to tensor<8x16xf64, #fours>
  %half = arith.constant dense<0.5> : tensor<8x16xf64, #fours>
  %r64 = arith.extf %row : tensor<8x16xf32, #fours> to tensor<8x16xf64, #fours>
  %sum = math.fma %i64, %half, %r64 : tensor<8x16xf64, #fours>
  %moved = cheems_tile.convert_layout %sum : tensor<8x16xf64, #fours> -> tensor<8x16xf64, #twos>
  %y32 = arith.truncf %moved : tensor<8x16xf64, #twos> to tensor<8x16xf32, #twos>
  cheems_tile.store %y32, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<8x16xf32, #twos>, memref<8x16xf32>
  cheems_tile.return
}
