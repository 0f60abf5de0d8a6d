// Rows that numbers choose come to shared memory, each thread's part by its own copies: no barrier lies between the wait and the read. A number
// below zero chooses no row, and the last two columns do not exist. The interpreter has the same.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm | cheems-translate --to-ptx -o %t.ptx
// RUN: not grep -F .local %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: cheems-ptx-run %t.ptx --kernel fetched --shared 1024 --grid 1 --block 32 --buffer x:f32[5x14]=iota --arg s32:5 --buffer o:f32[4x16]=none \
// RUN:   --print o | FileCheck %s --check-prefix=ROWS
// ROWS: 56 57 58 59 60 61 62 63 64 65 66 67 68 69 0 0
// ROWS-NEXT: 28 29 30 31 32 33 34 35 36 37 38 39 40 41 0 0
// ROWS-NEXT: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 0 0
// ROWS-NEXT: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// PTX: .entry fetched(
// PTX: cp.async.ca.shared.global {{.*}}, 8,
// PTX: cp.async.wait_group
// PTX-NOT: bar.sync
// PTX: ld.shared
// RUN: python3 %S/../../Interpreter/Inputs/tensors.py write %t.in.safetensors \
// RUN:   'x=F32[5,14]:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69'
// RUN: cheems-opt %s --cheems-interpret='entry=main inputs=%t.in.safetensors outputs=%t.out.safetensors' -o /dev/null
// RUN: python3 %S/../../Interpreter/Inputs/tensors.py show %t.out.safetensors | FileCheck %s --check-prefix=SAME
// SAME: 56 57 58 59 60 61 62 63 64 65 66 67 68 69 0 0 28 29 30 31 32 33 34 35 36 37 38 39 40 41 0 0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 0 0 0 0 0 0
#rows = #cheems_tile.blocked<rows = 4, columns = 8, width = 2>
#number = #cheems_tile.slice<axis = 1, of = #rows>
cheems_tile.kernel @fetched(%x: memref<?x14xf32>, %o: memref<4x16xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = cheems_tile.alloc : !cheems_tile.buffer<2x4x16xf32>
  // 4, 2, 0, -2
  %i = cheems_tile.indices axis 0 : tensor<4xi32, #number>
  %twice = arith.addi %i, %i : tensor<4xi32, #number>
  %four = arith.constant dense<4> : tensor<4xi32, #number>
  %n = arith.subi %four, %twice : tensor<4xi32, #number>
  cheems_tile.fetch_rows %x[%c0, %c0] rows %n dims [0, 1] to %ring[%c1] aligned 8
      : memref<?x14xf32>, tensor<4xi32, #number>, !cheems_tile.buffer<2x4x16xf32>
  cheems_tile.commit
  cheems_tile.wait pending 0
  %t = cheems_tile.read %ring[%c1, %c0, %c0] : !cheems_tile.buffer<2x4x16xf32> -> tensor<4x16xf32, #rows>
  cheems_tile.store %t, %o[%c0, %c0] dims [0, 1] : tensor<4x16xf32, #rows>, memref<4x16xf32>
  cheems_tile.return
}

func.func @main(%x: tensor<5x14xf32> {cheems.name = "x"}) -> (tensor<4x16xf32> {cheems.name = "o"}) {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x16xf32>
  %o = cheems_tile.launch @fetched grid[%c1, %c1, %c1] ins(%x : tensor<5x14xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %o : tensor<4x16xf32>
}
