// merge_attention on tensors prints as it parses, and as loops keeps the side that saw something where the other did not.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: @tensors
// CHECK: %{{.*}}:3 = cheems_cpu.merge_attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>
// LOOPS-LABEL: @tensors
// LOOPS-NOT: cheems.
// LOOPS: %[[LATER:.*]] = arith.cmpf une, %{{.*}}, %[[LOWEST:.*]] : f32
// LOOPS: scf.if %[[LATER]]
// LOOPS: %[[BEFORE:.*]] = arith.cmpf une, %{{.*}}, %[[LOWEST]] : f32
// LOOPS: scf.if %[[BEFORE]]
// LOOPS: arith.maximumf
// LOOPS-COUNT-2: math.exp
// LOOPS: arith.mulf
// LOOPS: arith.mulf
// LOOPS: arith.addf
// LOOPS: return
func.func @tensors(%m1: tensor<?x2xf32>, %s1: tensor<?x2xf32>, %y1: tensor<?x2x64xf32>, %m: tensor<?x2xf32>, %s: tensor<?x2xf32>, %y: tensor<?x2x64xf32>) -> tensor<?x2x64xf32> {
  %r:3 = cheems_cpu.merge_attention ins(%m1, %s1, %y1 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>) outs(%m, %s, %y : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2x64xf32>
  return %r#2 : tensor<?x2x64xf32>
}
