// A module may have launches of kernels that were compiled before. They stay, and so do the kernels.
// RUN: cheems-opt %s --cheems-gpu-kernels | FileCheck %s

// CHECK: gpu.module @kernels
// CHECK: llvm.func @one(
// CHECK: func.func @launches
// CHECK: cheems_tile.launch @one grid[%{{.*}}, %{{.*}}, %{{.*}}] outs(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  gpu.module @kernels {
    llvm.func @one(%y: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}) attributes {cheems_tile.shared = 0 : i64, gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      llvm.return
    }
  }
  func.func @launches(%n: index, %y: tensor<4xf32>) -> tensor<4xf32> {
    %r = cheems_tile.launch @one grid[%n, %n, %n] outs(%y : tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
