// Kernels of sm_90a wait by themselves, and what no kernel writes is marked. Other GPUs have no such instructions.
// RUN: split-file %s %t
// RUN: cheems-opt %t/step.mlir --cheems-tile-overlap-launches | FileCheck %s
// RUN: cheems-opt %t/early.mlir --cheems-tile-overlap-launches | FileCheck %s --check-prefix=EARLY
// RUN: cheems-opt %t/unknown.mlir --cheems-tile-overlap-launches | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed s/sm_90a/sm_80/ %t/step.mlir | cheems-opt --cheems-tile-overlap-launches | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/^module.*{$/module {/' %t/step.mlir | cheems-opt --cheems-tile-overlap-launches | FileCheck %s --check-prefix=OTHER

// Weights by way of a call, and tokens. What a kernel wrote is not constant, nor is a pool, though the kernel only reads it.
// CHECK: cheems_tile.kernel @scale(%{{.*}}: memref<?x64xf32>, %{{.*}}: memref<64xf32> {cheems_tile.constant}, %{{.*}}: memref<?xi32> {cheems_tile.constant}, %{{.*}}: index, %{{.*}}: memref<?x64xf32>) warps(1) overlaps {
// CHECK-NEXT: cheems_tile.wait_for_launches
// CHECK-NEXT: cheems_tile.return
// One launch has weights there, the other one has not.
// CHECK: cheems_tile.kernel @copy(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>) warps(1) overlaps {
// Weights that a kernel begins with come before its wait, in each branch that does. Whoever took no branch waits before the end.
// EARLY: cheems_tile.kernel @weigh(
// EARLY: cheems_tile.load %arg0[
// EARLY-NEXT: cheems_tile.wait_for_launches
// EARLY-NEXT: cheems_tile.load
// EARLY: cheems_tile.kernel @branch(
// EARLY: scf.if
// EARLY-NEXT: cheems_tile.load
// EARLY-NEXT: cheems_tile.wait_for_launches
// EARLY-NEXT: cheems_tile.store
// EARLY: } else {
// EARLY-NEXT: cheems_tile.wait_for_launches
// EARLY-NEXT: cheems_tile.load
// EARLY: }
// EARLY-NEXT: cheems_tile.wait_for_launches
// EARLY-NEXT: cheems_tile.return
// What somebody else may call is not known, and what nobody calls never runs.
// UNKNOWN: cheems_tile.kernel @outside(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>) warps(1) overlaps {
// UNKNOWN: cheems_tile.kernel @inside(%{{[^:]*}}: memref<64xf32> {cheems_tile.constant}, %{{[^:]*}}: memref<64xf32>) warps(1) overlaps {
// OTHER-NOT: overlaps
// OTHER-NOT: wait_for_launches
// OTHER-NOT: constant}

//--- step.mlir
// doc: cheems-tile-overlap-launches
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  cheems_tile.kernel @scale(%x: memref<?x64xf32>, %by: memref<64xf32>, %tokens: memref<?xi32>, %row: index, %y: memref<?x64xf32>) warps(1) {
    cheems_tile.return
  }
  cheems_tile.kernel @copy(%x: memref<64xf32>, %y: memref<64xf32>) warps(1) {
    cheems_tile.return
  }
  func.func private @layer(%x: memref<?x64xf32>, %by: memref<64xf32>, %tokens: memref<?xi32>, %y: memref<?x64xf32>) {
    %c1 = arith.constant 1 : index
    cheems_tile.launch @scale grid[%c1, %c1, %c1] ins(%x, %by, %tokens, %c1 : memref<?x64xf32>, memref<64xf32>, memref<?xi32>, index)
      outs(%y : memref<?x64xf32>)
    return
  }
  func.func @step(%weights: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}, %tokens: memref<?xi32> {cheems.field = #cheems.step_field<tokens>},
                  %pool: memref<?x64xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}) attributes {cheems.entry = "step"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %by = memref.view %weights[%c256][] : memref<?xi8> to memref<64xf32>
    %copy = memref.alloc() : memref<64xf32>
    %again = memref.alloc() : memref<64xf32>
    %y = memref.alloc(%c1) : memref<?x64xf32>
    cheems_tile.launch @copy grid[%c1, %c1, %c1] ins(%by : memref<64xf32>) outs(%copy : memref<64xf32>)
    cheems_tile.launch @copy grid[%c1, %c1, %c1] ins(%copy : memref<64xf32>) outs(%again : memref<64xf32>)
    func.call @layer(%pool, %by, %tokens, %y) : (memref<?x64xf32>, memref<64xf32>, memref<?xi32>, memref<?x64xf32>) -> ()
    return
  }
}
// doc-end

//--- early.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 2>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  cheems_tile.kernel @weigh(%w: memref<1x64xf32>, %x: memref<1x64xf32>, %y: memref<1x64xf32>) warps(1) {
    %c0 = arith.constant 0 : index
    %a = cheems_tile.load %w[%c0, %c0] dims [0, 1] : memref<1x64xf32> -> tensor<1x64xf32, #row>
    %b = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<1x64xf32> -> tensor<1x64xf32, #row>
    %c = arith.mulf %a, %b : tensor<1x64xf32, #row>
    cheems_tile.store %c, %y[%c0, %c0] dims [0, 1] : tensor<1x64xf32, #row>, memref<1x64xf32>
    cheems_tile.return
  }
  cheems_tile.kernel @branch(%w: memref<1x64xf32>, %x: memref<1x64xf32>, %y: memref<1x64xf32>) warps(1) {
    %c0 = arith.constant 0 : index
    %block = cheems_tile.block_id x
    %isFirst = arith.cmpi eq, %block, %c0 : index
    scf.if %isFirst {
      %a = cheems_tile.load %w[%c0, %c0] dims [0, 1] : memref<1x64xf32> -> tensor<1x64xf32, #row>
      cheems_tile.store %a, %y[%c0, %c0] dims [0, 1] : tensor<1x64xf32, #row>, memref<1x64xf32>
    } else {
      %b = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<1x64xf32> -> tensor<1x64xf32, #row>
      cheems_tile.store %b, %y[%block, %c0] dims [0, 1] : tensor<1x64xf32, #row>, memref<1x64xf32>
    }
    cheems_tile.return
  }
  func.func @step(%weights: memref<1x64xf32> {cheems.field = #cheems.step_field<parameters>}, %x: memref<1x64xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64},
                  %y: memref<1x64xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "step"} {
    %c1 = arith.constant 1 : index
    cheems_tile.launch @weigh grid[%c1, %c1, %c1] ins(%weights, %x : memref<1x64xf32>, memref<1x64xf32>) outs(%y : memref<1x64xf32>)
    cheems_tile.launch @branch grid[%c1, %c1, %c1] ins(%weights, %x : memref<1x64xf32>, memref<1x64xf32>) outs(%y : memref<1x64xf32>)
    return
  }
}

//--- unknown.mlir
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  cheems_tile.kernel @outside(%x: memref<64xf32>, %y: memref<64xf32>) warps(1) {
    cheems_tile.return
  }
  func.func @other(%x: memref<64xf32>, %y: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    cheems_tile.launch @outside grid[%c1, %c1, %c1] ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
    return
  }
  cheems_tile.kernel @inside(%x: memref<64xf32>, %y: memref<64xf32>) warps(1) {
    cheems_tile.return
  }
  func.func private @layer(%x: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %y = memref.alloc() : memref<64xf32>
    cheems_tile.launch @inside grid[%c1, %c1, %c1] ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
    return
  }
  func.func @step(%weights: memref<64xf32> {cheems.field = #cheems.step_field<parameters>}) attributes {cheems.entry = "step"} {
    func.call @layer(%weights) : (memref<64xf32>) -> ()
    return
  }
  func.func private @unused(%x: memref<64xf32>) {
    func.call @layer(%x) : (memref<64xf32>) -> ()
    return
  }
}
