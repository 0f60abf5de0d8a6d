// finish prints as it parses.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @both
// CHECK: cheems_cpu.column_epilogue rotated 16 mapped [20, 23] angles(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>) with(%{{.*}} : tensor<3xf32>) outs(%{{.*}} : tensor<?x32xf32>) {
// CHECK: cheems_cpu.yield
// CHECK: } -> tensor<?x32xf32>
func.func @both(%c: tensor<?x4xf32>, %s: tensor<?x4xf32>, %b: tensor<3xf32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = cheems_cpu.column_epilogue rotated 16 mapped [20, 23] angles(%c, %s : tensor<?x4xf32>, tensor<?x4xf32>) with(%b : tensor<3xf32>) outs(%y : tensor<?x32xf32>) {
  ^bb0(%step: f32, %bias: f32):
    %0 = arith.addf %step, %bias : f32
    %1 = math.exp %0 : f32
    cheems_cpu.yield %1 : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// A tile in the middle of a matmul.
// CHECK-LABEL: @rotated
// CHECK: cheems_cpu.column_epilogue rotated 48 at %{{.*}} angles(%{{.*}}, %{{.*}} : memref<5x4xf32>, memref<5x4xf32>) outs(%{{.*}} : memref<5x16xf32>){{$}}
func.func @rotated(%at: index, %c: memref<5x4xf32>, %s: memref<5x4xf32>, %y: memref<5x16xf32>) {
  cheems_cpu.column_epilogue rotated 48 at %at angles(%c, %s : memref<5x4xf32>, memref<5x4xf32>) outs(%y : memref<5x16xf32>)
  return
}
