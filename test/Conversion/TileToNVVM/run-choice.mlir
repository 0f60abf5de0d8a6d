// Rows and elements that numbers choose, and maxima of integers.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm | cheems-translate --to-ptx -o %t.ptx
// RUN: not grep -F .local %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// Row i is row 2i - 1 of the table, and there are four: the first one and the last one are none. Accesses are of 8 bytes.
// RUN: cheems-ptx-run %t.ptx --kernel rows --grid 1 --block 128 --buffer x:f32[4x62]=iota --arg s32:4 --buffer y:f32[4x62]=none --print y \
// RUN:   | FileCheck %s --check-prefix=ROWS
// ROWS: 0 0 0
// ROWS-NEXT: 62 63 64
// ROWS-NEXT: 186 187
// ROWS-NEXT: 0 0 0
// PTX: .entry rows(
// PTX: ld.global.nc.v2.f32
#pairs = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#of_pairs = #cheems_tile.slice<axis = 1, of = #pairs>
cheems_tile.kernel @rows(%x: memref<?x62xf32>, %y: memref<4x62xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %i = cheems_tile.indices axis 0 : tensor<4xi32, #of_pairs>
  %one = arith.constant dense<1> : tensor<4xi32, #of_pairs>
  %twice = arith.addi %i, %i : tensor<4xi32, #of_pairs>
  %n = arith.subi %twice, %one : tensor<4xi32, #of_pairs>
  %t = cheems_tile.gather %x[%c0, %c0] rows %n dims [0, 1] aligned 8 : memref<?x62xf32>, tensor<4xi32, #of_pairs> -> tensor<4x64xf32, #pairs>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] aligned 8 : tensor<4x64xf32, #pairs>, memref<4x62xf32>
  cheems_tile.return
}

// Two rows of one thread each, and an offset along them: rows 1 + 3 - i. Columns lie apart in memory.
// RUN: cheems-ptx-run %t.ptx --kernel across --grid 1 --block 32 --buffer x:f32[32x6]=iota --arg s32:32 --arg s32:6 --buffer y:f32[4x32]=none --print y \
// RUN:   | FileCheck %s --check-prefix=ACROSS
// ACROSS: 4 10 16 22
// ACROSS-NEXT: 3 9 15
// ACROSS-NEXT: 2 8 14
// ACROSS-NEXT: 1 7 13
#lanes = #cheems_tile.blocked<rows = 2, columns = 16, width = 1>
#of_lanes = #cheems_tile.slice<axis = 1, of = #lanes>
cheems_tile.kernel @across(%x: memref<?x?xf32>, %y: memref<4x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = cheems_tile.indices axis 0 : tensor<4xi32, #of_lanes>
  %three = arith.constant dense<3> : tensor<4xi32, #of_lanes>
  %n = arith.subi %three, %i : tensor<4xi32, #of_lanes>
  %t = cheems_tile.gather %x[%c0, %c1] rows %n dims [1, 0] : memref<?x?xf32>, tensor<4xi32, #of_lanes> -> tensor<4x32xf32, #lanes>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<4x32xf32, #lanes>, memref<4x32xf32>
  cheems_tile.return
}

// A number each: those of column 1 in the rows 2i - 1, of which the first and the last are none.
// RUN: cheems-ptx-run %t.ptx --kernel numbers --grid 1 --block 128 --buffer x:f32[4x62]=iota --arg s32:4 --buffer y:f32[4]=none --print y \
// RUN:   | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: 0 63 187 0
cheems_tile.kernel @numbers(%x: memref<?x62xf32>, %y: memref<4xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = cheems_tile.indices axis 0 : tensor<4xi32, #of_pairs>
  %one = arith.constant dense<1> : tensor<4xi32, #of_pairs>
  %twice = arith.addi %i, %i : tensor<4xi32, #of_pairs>
  %n = arith.subi %twice, %one : tensor<4xi32, #of_pairs>
  %t = cheems_tile.gather %x[%c0, %c1] rows %n dims [0] : memref<?x62xf32>, tensor<4xi32, #of_pairs> -> tensor<4xf32, #of_pairs>
  cheems_tile.store %t, %y[%c0] dims [0] : tensor<4xf32, #of_pairs>, memref<4xf32>
  cheems_tile.return
}

// Turned: y[i, j] = x[j / 16, 31 - j], through shared memory. The greatest number of each row, by one instruction where a warp has a row.
// RUN: cheems-ptx-run %t.ptx --kernel turned --shared 512 --grid 1 --block 128 --buffer x:f32[4x32]=iota --buffer y:f32[4x32]=none --buffer m:i32[4]=none \
// RUN:   --print y --print m | FileCheck %s --check-prefix=TURNED
// TURNED: 31 30 29 {{.*}} 17 16 47 46
// TURNED: m
// TURNED: 31 31 31 31
// PTX: .entry turned(
// PTX: redux.sync.max.s32
#warps = #cheems_tile.blocked<rows = 4, columns = 32, width = 1>
#of_warps = #cheems_tile.slice<axis = 1, of = #warps>
cheems_tile.kernel @turned(%x: memref<4x32xf32>, %y: memref<4x32xf32>, %m: memref<4xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x4x32xf32>
  %t = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<4x32xf32> -> tensor<4x32xf32, #warps>
  cheems_tile.write %t, %b[%c0, %c0, %c0] : tensor<4x32xf32, #warps>, !cheems_tile.buffer<1x4x32xf32>
  cheems_tile.barrier
  %j = cheems_tile.indices axis 1 : tensor<4x32xi32, #warps>
  %last = arith.constant dense<31> : tensor<4x32xi32, #warps>
  %four = arith.constant dense<4> : tensor<4x32xi32, #warps>
  %row = arith.shrui %j, %four : tensor<4x32xi32, #warps>
  %column = arith.subi %last, %j : tensor<4x32xi32, #warps>
  %p = cheems_tile.pick %b[%c0] rows %row columns %column : !cheems_tile.buffer<1x4x32xf32>, tensor<4x32xi32, #warps> -> tensor<4x32xf32, #warps>
  cheems_tile.store %p, %y[%c0, %c0] dims [0, 1] : tensor<4x32xf32, #warps>, memref<4x32xf32>
  %most = cheems_tile.reduce maximum %column axis 1 : tensor<4x32xi32, #warps> -> tensor<4xi32, #of_warps>
  cheems_tile.store %most, %m[%c0] dims [0] : tensor<4xi32, #of_warps>, memref<4xi32>
  cheems_tile.return
}

// Maxima of integers of several warps, and of a part of a warp: -j - 1000 (i % 2), of which some have a sign.
// RUN: cheems-ptx-run %t.ptx --kernel maxima --shared 128 --grid 1 --block 128 --buffer a:i32[1]=none --buffer c:i32[16]=none --print a --print c \
// RUN:   | FileCheck %s --check-prefix=MAXIMA
// MAXIMA: -7
// MAXIMA: 0 -1000 0 -1000
#whole = #cheems_tile.blocked<rows = 1, columns = 128, width = 1>
#of_whole = #cheems_tile.slice<axis = 1, of = #whole>
#eights = #cheems_tile.blocked<rows = 16, columns = 8, width = 1>
#of_eights = #cheems_tile.slice<axis = 1, of = #eights>
cheems_tile.kernel @maxima(%a: memref<1xi32>, %c: memref<16xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %j = cheems_tile.indices axis 1 : tensor<1x128xi32, #whole>
  %most = arith.constant dense<-134> : tensor<1x128xi32, #whole>
  %n = arith.addi %j, %most : tensor<1x128xi32, #whole>
  %r = cheems_tile.reduce maximum %n axis 1 : tensor<1x128xi32, #whole> -> tensor<1xi32, #of_whole>
  cheems_tile.store %r, %a[%c0] dims [0] : tensor<1xi32, #of_whole>, memref<1xi32>
  %i = cheems_tile.indices axis 0 : tensor<16x8xi32, #eights>
  %k = cheems_tile.indices axis 1 : tensor<16x8xi32, #eights>
  %one = arith.constant dense<1> : tensor<16x8xi32, #eights>
  %far = arith.constant dense<-1000> : tensor<16x8xi32, #eights>
  %odd = arith.andi %i, %one : tensor<16x8xi32, #eights>
  %down = arith.muli %odd, %far : tensor<16x8xi32, #eights>
  %m = arith.subi %down, %k : tensor<16x8xi32, #eights>
  %s = cheems_tile.reduce maximum %m axis 1 : tensor<16x8xi32, #eights> -> tensor<16xi32, #of_eights>
  cheems_tile.store %s, %c[%c0] dims [0] : tensor<16xi32, #of_eights>, memref<16xi32>
  cheems_tile.return
}

// Even columns come first: the number of each among them is a sum up to it. What has an index past the memory is not stored.
// RUN: cheems-ptx-run %t.ptx --kernel sorted --shared 64 --grid 1 --block 128 --buffer y:i32[1x66]=none --arg s32:66 --buffer n:i32[1]=none \
// RUN:   --print y --print n | FileCheck %s --check-prefix=SORTED
// SORTED: 0 2 4 6 8 {{.*}} 122 124 126 1 3
// SORTED: n
// SORTED: 64
#sorted = #cheems_tile.blocked<rows = 1, columns = 128, width = 1>
#of_sorted = #cheems_tile.slice<axis = 0, of = #sorted>
#sum_of_sorted = #cheems_tile.slice<axis = 1, of = #sorted>
cheems_tile.kernel @sorted(%y: memref<1x?xi32>, %n: memref<1xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %j = cheems_tile.indices axis 1 : tensor<1x128xi32, #sorted>
  %one = arith.constant dense<1> : tensor<1x128xi32, #sorted>
  %odd = arith.andi %j, %one : tensor<1x128xi32, #sorted>
  %even = arith.subi %one, %odd : tensor<1x128xi32, #sorted>
  %evens = cheems_tile.prefix_sum %even : tensor<1x128xi32, #sorted>
  %odds = cheems_tile.prefix_sum %odd : tensor<1x128xi32, #sorted>
  %behind = arith.constant dense<63> : tensor<1x128xi32, #sorted>
  %isOdd = arith.cmpi eq, %odd, %one : tensor<1x128xi32, #sorted>
  %first = arith.subi %evens, %one : tensor<1x128xi32, #sorted>
  %second = arith.addi %odds, %behind : tensor<1x128xi32, #sorted>
  %place = arith.select %isOdd, %second, %first : tensor<1x128xi1, #sorted>, tensor<1x128xi32, #sorted>
  %indices = cheems_tile.reduce maximum %place axis 0 : tensor<1x128xi32, #sorted> -> tensor<128xi32, #of_sorted>
  %numbers = cheems_tile.reduce maximum %j axis 0 : tensor<1x128xi32, #sorted> -> tensor<128xi32, #of_sorted>
  cheems_tile.scatter %numbers, %y[%c0, %c0] indices %indices dim 1 : tensor<128xi32, #of_sorted>, tensor<128xi32, #of_sorted>, memref<1x?xi32>
  // A number that all threads hold.
  %most = cheems_tile.reduce maximum %evens axis 1 : tensor<1x128xi32, #sorted> -> tensor<1xi32, #sum_of_sorted>
  %all = tensor.extract %most[%c0] : tensor<1xi32, #sum_of_sorted>
  %again = tensor.splat %all : tensor<1xi32, #sum_of_sorted>
  cheems_tile.store %again, %n[%c0] dims [0] : tensor<1xi32, #sum_of_sorted>, memref<1xi32>
  cheems_tile.return
}

// How often each remainder by 4 occurs among 128 numbers. Columns from 3 on count nowhere.
// RUN: cheems-ptx-run %t.ptx --kernel counted --shared 512 --grid 1 --block 128 --buffer y:i32[128]=none --print y | FileCheck %s --check-prefix=COUNTED
// COUNTED: 32 32 32 0 0
// PTX: .entry counted(
// PTX: red.relaxed.cta.shared.add.u32
cheems_tile.kernel @counted(%y: memref<128xi32>) warps(4) {
  %c0 = arith.constant 0 : index
  %bins = cheems_tile.alloc : !cheems_tile.buffer<1x1x128xi32>
  %zero = arith.constant dense<0> : tensor<1x128xi32, #sorted>
  cheems_tile.write %zero, %bins[%c0, %c0, %c0] : tensor<1x128xi32, #sorted>, !cheems_tile.buffer<1x1x128xi32>
  cheems_tile.barrier
  %j = cheems_tile.indices axis 1 : tensor<1x128xi32, #sorted>
  %three = arith.constant dense<3> : tensor<1x128xi32, #sorted>
  %rest = arith.andi %j, %three : tensor<1x128xi32, #sorted>
  cheems_tile.tally %bins[%c0] rows %zero columns %rest below 3 : !cheems_tile.buffer<1x1x128xi32>, tensor<1x128xi32, #sorted>
  cheems_tile.barrier
  %n = cheems_tile.read %bins[%c0, %c0, %c0] : !cheems_tile.buffer<1x1x128xi32> -> tensor<128xi32, #of_sorted>
  cheems_tile.store %n, %y[%c0] dims [0] : tensor<128xi32, #of_sorted>, memref<128xi32>
  cheems_tile.return
}
