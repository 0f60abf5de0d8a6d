// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems-lower-tiles,canonicalize,cse)' | FileCheck %s

// CHECK: gpu.module @kernels {
// CHECK-NEXT: llvm.mlir.global external @cheems_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// A memref is a pointer and its dynamic extents. What is only read may be loaded past the coherent caches.
// CHECK: llvm.func @double(%[[X:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %[[ROWS:.*]]: i32,
// CHECK-SAME: %[[Y:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i32)
// CHECK-SAME: attributes {cheems_tile.shared = 0 : i64, gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>}
// Rows are guarded; columns are within 128 whatever the arguments are.
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %[[ROWS]] : i32
// CHECK: llvm.inline_asm "mov.f32 $0, 0f00000000; {{.*}} @$5 ld.global.nc.v4.f32 {$0, $1, $2, $3}, [$4 + 0];", "=&f,=&f,=&f,=&f,l,b" %{{.*}}, %[[IN]]
// CHECK-NOT: ld.global
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: llvm.inline_asm has_side_effects "@$1 st.global.v4.f32 [$0 + 0], {$2, $3, $4, $5};"
// CHECK: llvm.return
// The launch stays.
// CHECK: func.func @step
// CHECK: cheems_tile.launch @double
// CHECK-NOT: cheems_tile.kernel
// doc: cheems-lower-tiles,canonicalize,cse
#rows = #cheems_tile.blocked<rows = 2, columns = 32, width = 4>
cheems_tile.kernel @double(%x: memref<?x128xf32>, %y: memref<?x128xf32>) warps(2) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %block = cheems_tile.block_id x
  %row = arith.muli %block, %c2 : index
  %t = cheems_tile.load %x[%row, %c0] dims [0, 1] aligned 16 : memref<?x128xf32> -> tensor<2x128xf32, #rows>
  %d = arith.addf %t, %t : tensor<2x128xf32, #rows>
  cheems_tile.store %d, %y[%row, %c0] dims [0, 1] aligned 16 : tensor<2x128xf32, #rows>, memref<?x128xf32>
  cheems_tile.return
}
func.func @step(%x: memref<?x128xf32>, %y: memref<?x128xf32>, %blocks: index) {
  %c1 = arith.constant 1 : index
  cheems_tile.launch @double grid[%blocks, %c1, %c1] ins(%x : memref<?x128xf32>) outs(%y : memref<?x128xf32>)
  return
}
// doc-end
