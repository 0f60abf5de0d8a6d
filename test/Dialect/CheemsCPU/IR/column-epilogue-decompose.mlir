// finish becomes scalar loops that read a pair before they write either, in one buffer.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose),one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map})' | FileCheck %s --check-prefix=PLACE --implicit-check-not=memref.copy --implicit-check-not=memref.alloc

// CHECK-LABEL: @both
// PLACE-LABEL: @both
// CHECK-NOT: cheems.
// CHECK: %[[LOW:.*]] = tensor.extract
// CHECK: %[[HIGH:.*]] = tensor.extract
// CHECK: arith.subf
// CHECK: arith.addf
// CHECK: tensor.insert
// CHECK: tensor.insert
// CHECK: math.exp
func.func @both(%c: tensor<?x4xf32>, %s: tensor<?x4xf32>, %b: tensor<3xf32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %r = cheems_cpu.column_epilogue rotated 16 mapped [20, 23] angles(%c, %s : tensor<?x4xf32>, tensor<?x4xf32>) with(%b : tensor<3xf32>) outs(%y : tensor<?x32xf32>) {
  ^bb0(%step: f32, %bias: f32):
    %0 = arith.addf %step, %bias : f32
    %1 = math.exp %0 : f32
    cheems_cpu.yield %1 : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}
