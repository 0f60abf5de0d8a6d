// Rows of two arrays that numbers in shared memory choose: of the first one below 3, of the second one from there on. The last row and the last
// two columns do not exist. The interpreter has the same.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm | cheems-translate --to-ptx -o %t.ptx
// RUN: not grep -F .local %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: cheems-ptx-run %t.ptx --kernel copied --shared 1024 --grid 1 --block 32 --buffer x:f32[3x16]=iota --arg s32:3 --buffer y:f32[4x16]=iota \
// RUN:   --arg s32:4 --buffer o:f32[4x16]=none --print o | FileCheck %s --check-prefix=ROWS
// ROWS: 48 49 50 51 52 53 54 55 56 57 58 59 60 61 0 0
// ROWS-NEXT: 16 17 18 19 20 21 22 23 24 25 26 27 28 29 0 0
// ROWS-NEXT: 32 33 34 35 36 37 38 39 40 41 42 43 44 45 0 0
// ROWS-NEXT: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// PTX: .entry copied(
// PTX: ld.shared
// PTX: selp.b64
// PTX: mad.wide.u32 {{.*}}, 64,
// PTX: cp.async.ca.shared.global
// RUN: python3 %S/../../Interpreter/Inputs/tensors.py write %t.in.safetensors \
// RUN:   'x=F32[3,16]:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47' \
// RUN:   'y=F32[4,16]:7'
// RUN: cheems-opt %s --cheems-interpret='entry=main inputs=%t.in.safetensors outputs=%t.out.safetensors' -o /dev/null
// RUN: python3 %S/../../Interpreter/Inputs/tensors.py show %t.out.safetensors | FileCheck %s --check-prefix=SAME
// SAME: 7 7 7 7 7 7 7 7 7 7 7 7 7 7 0 0 7 7 7 7 7 7 7 7 7 7 7 7 7 7 0 0 32 33 34 35 36 37 38 39 40 41 42 43 44 45 0 0 0 0
#line = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
#rows = #cheems_tile.blocked<rows = 4, columns = 8, width = 2>
cheems_tile.kernel @copied(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %o: memref<4x16xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c14 = arith.constant 14 : index
  %list = cheems_tile.alloc : !cheems_tile.buffer<1x1x32xi32>
  %ring = cheems_tile.alloc : !cheems_tile.buffer<1x4x16xf32>
  // 6, 4, 2, 0
  %i = cheems_tile.indices axis 1 : tensor<1x32xi32, #line>
  %twice = arith.addi %i, %i : tensor<1x32xi32, #line>
  %six = arith.constant dense<6> : tensor<1x32xi32, #line>
  %n = arith.subi %six, %twice : tensor<1x32xi32, #line>
  cheems_tile.write %n, %list[%c0, %c0, %c0] : tensor<1x32xi32, #line>, !cheems_tile.buffer<1x1x32xi32>
  cheems_tile.barrier
  cheems_tile.copy_rows %x[%c0, %c0] else %y[%c0, %c0] numbers %list[%c0] split 3 dims [0, 1] extents[%c3, %c14] to %ring[%c0] aligned 8
      : memref<?x16xf32>, memref<?x16xf32>, !cheems_tile.buffer<1x1x32xi32>, !cheems_tile.buffer<1x4x16xf32>
  cheems_tile.commit
  cheems_tile.wait pending 0
  cheems_tile.barrier
  %t = cheems_tile.read %ring[%c0, %c0, %c0] : !cheems_tile.buffer<1x4x16xf32> -> tensor<4x16xf32, #rows>
  cheems_tile.store %t, %o[%c0, %c0] dims [0, 1] : tensor<4x16xf32, #rows>, memref<4x16xf32>
  cheems_tile.return
}

func.func @main(%x: tensor<3x16xf32> {cheems.name = "x"}, %y: tensor<4x16xf32> {cheems.name = "y"}) -> (tensor<4x16xf32> {cheems.name = "o"}) {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x16xf32>
  %o = cheems_tile.launch @copied grid[%c1, %c1, %c1] ins(%x, %y : tensor<3x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %o : tensor<4x16xf32>
}
