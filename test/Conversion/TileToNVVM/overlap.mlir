// A kernel that overlaps waits, and then lets the next one start. Loads of what no kernel writes may come before the wait: those that
// stand there stay, as loads that ptxas does not move either, and nothing else comes there.
// REQUIRES: cheems-translate
// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems-tile-plan-shared,cheems-lower-tiles,canonicalize,cse)' | FileCheck %s
// RUN: cheems-opt %s --cheems-tile-plan-shared --cheems-tile-to-nvvm -o %t.mlir
// RUN: cheems-translate --to-ptx %t.mlir | FileCheck %s --check-prefix=PTX
// RUN: not cheems-translate --to-ptx --cuda-arch sm_80 %t.mlir 2>&1 | FileCheck %s --check-prefix=OLD

// LLVM takes the wait for what may write through the pointers of memory that kernels write. What it gives is for loads that it knows nothing of.
// CHECK: llvm.func @add(%[[X:[^:]*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i32, %[[W:[^:]*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %[[ROW:[^:]*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %[[Y:[^:]*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i32)
// CHECK: %[[END:.*]] = llvm.inline_asm has_side_effects "griddepcontrol.wait;", "=r,l,l,l,~{memory}" %[[X]], %[[ROW]], %[[Y]] : (!llvm.ptr<1>, !llvm.ptr<1>, !llvm.ptr<1>) -> i32
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// A number that a kernel may have written is loaded as any other.
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: llvm.inline_asm "{{.*}} ld.global.v4.f32 {{.*}}, [$4 + 0];", "=&f,=&f,=&f,=&f,l,b,r" %{{.*}}, %{{.*}}, %[[END]]
// CHECK: llvm.load %{{.*}} invariant {{.*}} vector<4xf32>

// PTX: .entry add(
// PTX-NOT: ld.global
// PTX: griddepcontrol.wait;
// PTX: griddepcontrol.launch_dependents;
// PTX-DAG: ld.global.b32
// PTX-DAG: ld.global.v4.f32
// PTX-DAG: ld.global.nc.v4.b32
// PTX: st.global
// PTX: .entry weights_first(
// PTX-NOT: {{ld.global|st.global}}
// PTX: ld.global.b32
// PTX-NOT: {{ld.global|st.global}}
// PTX: @{{.*}} ld.global.v4.f32
// PTX-NOT: {{ld.global|st.global}}
// PTX: ld.global.v4.{{[fb]}}32
// PTX-NOT: {{ld.global|st.global}}
// PTX: griddepcontrol.wait;
// PTX: griddepcontrol.launch_dependents;
// PTX-NOT: ld.global.nc
// PTX: ld.global.v4
// PTX: st.global
// PTX-NOT: griddepcontrol
// PTX: .entry alone(
// PTX-NOT: griddepcontrol
// PTX: ld.global.nc.b32

// OLD: error: LLVM makes no PTX of these kernels: {{.*}}griddepcontrol
#rows = #cheems_tile.blocked<rows = 1, columns = 32, width = 4>
cheems_tile.kernel @add(%x: memref<?x128xf32>, %w: memref<1x128xf32> {cheems_tile.constant}, %row: memref<1xi32>, %y: memref<?x128xf32>) warps(1) overlaps {
  %c0 = arith.constant 0 : index
  cheems_tile.wait_for_launches
  %number = memref.load %row[%c0] : memref<1xi32>
  %from = arith.index_cast %number : i32 to index
  %a = cheems_tile.load %x[%from, %c0] dims [0, 1] aligned 16 : memref<?x128xf32> -> tensor<1x128xf32, #rows>
  %b = cheems_tile.load %w[%c0, %c0] dims [0, 1] aligned 16 : memref<1x128xf32> -> tensor<1x128xf32, #rows>
  %c = arith.addf %a, %b : tensor<1x128xf32, #rows>
  cheems_tile.store %c, %y[%from, %c0] dims [0, 1] aligned 16 : tensor<1x128xf32, #rows>, memref<?x128xf32>
  cheems_tile.return
}
cheems_tile.kernel @weights_first(%x: memref<?x128xf32>, %w: memref<?x128xf32> {cheems_tile.constant}, %v: memref<1x128xf32> {cheems_tile.constant}, %row: memref<1xi32> {cheems_tile.constant}, %y: memref<?x128xf32>) warps(1) overlaps {
  %c0 = arith.constant 0 : index
  %number = memref.load %row[%c0] : memref<1xi32>
  %from = arith.index_cast %number : i32 to index
  %b = cheems_tile.load %w[%from, %c0] dims [0, 1] aligned 16 : memref<?x128xf32> -> tensor<1x128xf32, #rows>
  %c = cheems_tile.load %v[%c0, %c0] dims [0, 1] aligned 16 : memref<1x128xf32> -> tensor<1x128xf32, #rows>
  cheems_tile.wait_for_launches
  %a = cheems_tile.load %x[%from, %c0] dims [0, 1] aligned 16 : memref<?x128xf32> -> tensor<1x128xf32, #rows>
  %d = arith.addf %a, %b : tensor<1x128xf32, #rows>
  %e = arith.addf %d, %c : tensor<1x128xf32, #rows>
  cheems_tile.store %e, %y[%from, %c0] dims [0, 1] aligned 16 : tensor<1x128xf32, #rows>, memref<?x128xf32>
  cheems_tile.return
}
cheems_tile.kernel @alone(%row: memref<1xi32>, %y: memref<?x128xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %number = memref.load %row[%c0] : memref<1xi32>
  %from = arith.index_cast %number : i32 to index
  %zero = arith.constant dense<0.0> : tensor<1x128xf32, #rows>
  cheems_tile.store %zero, %y[%from, %c0] dims [0, 1] aligned 16 : tensor<1x128xf32, #rows>, memref<?x128xf32>
  cheems_tile.return
}
