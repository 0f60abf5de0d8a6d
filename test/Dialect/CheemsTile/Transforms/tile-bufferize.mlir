// RUN: cheems-opt %s --cheems-tile-bufferize --drop-equivalent-buffer-results --canonicalize | FileCheck %s

// A launch writes where its destination is, without a copy; the second one reads what the first wrote.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: (%[[X:.*]]: memref<?x256xf32>, %[[Y:.*]]: memref<?x256xf32>, %[[BLOCKS:.*]]: index)
// CHECK: cheems_tile.launch @add grid[%[[BLOCKS]], %{{.*}}, %{{.*}}] ins(%[[X]] : memref<?x256xf32>) outs(%[[Y]] : memref<?x256xf32>)
// CHECK: cheems_tile.launch @add grid[%[[BLOCKS]], %{{.*}}, %{{.*}}] ins(%[[X]] : memref<?x256xf32>) outs(%[[Y]] : memref<?x256xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
// doc: cheems-tile-bufferize,drop-equivalent-buffer-results,canonicalize
#rows = #cheems_tile.blocked<rows = 1, columns = 128, width = 2>
cheems_tile.kernel @add(%x: memref<?x256xf32>, %y: memref<?x256xf32>) warps(4) {
  %c0 = arith.constant 0 : index
  %row = cheems_tile.block_id x
  %a = cheems_tile.load %x[%row, %c0] dims [0, 1] aligned 8 : memref<?x256xf32> -> tensor<1x256xf32, #rows>
  %b = cheems_tile.load %y[%row, %c0] dims [0, 1] aligned 8 : memref<?x256xf32> -> tensor<1x256xf32, #rows>
  %c = arith.addf %a, %b : tensor<1x256xf32, #rows>
  cheems_tile.store %c, %y[%row, %c0] dims [0, 1] aligned 8 : tensor<1x256xf32, #rows>, memref<?x256xf32>
  cheems_tile.return
}
func.func @twice(%x: tensor<?x256xf32>, %y: tensor<?x256xf32>, %blocks: index) -> tensor<?x256xf32> {
  %c1 = arith.constant 1 : index
  %a = cheems_tile.launch @add grid [%blocks, %c1, %c1] ins(%x : tensor<?x256xf32>) outs(%y : tensor<?x256xf32>) -> tensor<?x256xf32>
  %b = cheems_tile.launch @add grid [%blocks, %c1, %c1] ins(%x : tensor<?x256xf32>) outs(%a : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %b : tensor<?x256xf32>
}
// doc-end
