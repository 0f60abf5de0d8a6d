// ssd decomposes into its recurrence, ssd_chunk into the dual form for several rows; both update y and the state in place.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose),canonicalize,cse)' | FileCheck %s

// Rows, heads, then the state's rows: no memory but that of the operands.
// CHECK-LABEL: @recurrence
// CHECK-NOT: tensor.empty
// CHECK: scf.for %[[T:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[Y:.*]] = %arg6, %[[H:.*]] = %arg7)
// CHECK: scf.for %[[HEAD:.*]] = %c0 to %c4
// CHECK-DAG: %[[G:.*]] = arith.divui %[[HEAD]], %c2
// CHECK-DAG: %[[DT:.*]] = tensor.extract %arg1[%[[T]], %[[HEAD]]]
// CHECK-DAG: %[[A:.*]] = tensor.extract %arg2[%[[HEAD]]]
// CHECK: %[[POWER:.*]] = arith.mulf %[[A]], %[[DT]] : f32
// CHECK: math.exp %[[POWER]] : f32
// CHECK: scf.for %[[P:.*]] = %c0 to %c8
// CHECK: tensor.extract %arg5[%[[HEAD]]]
// CHECK: scf.for %[[N:.*]] = %c0 to %c6
// CHECK: tensor.extract %arg3[%[[T]], %[[G]], %[[N]]]
// CHECK: tensor.extract %arg4[%[[T]], %[[G]], %[[N]]]
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[T]], %[[HEAD]], %{{.*}}]
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[HEAD]], %[[N]], %{{.*}}]
// CHECK-NOT: cheems.
func.func @recurrence(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %d: tensor<4xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) -> (tensor<?x4x8xf32>, tensor<4x6x8xf32>) {
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) skip(%d : tensor<4xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return %r#0, %r#1 : tensor<?x4x8xf32>, tensor<4x6x8xf32>
}

// Logarithms are summed and subtracted in f64; one row, or none, is the recurrence.
// CHECK-LABEL: @dual
// CHECK: arith.cmpi ugt, %{{.*}}, %c1
// CHECK: scf.if
// CHECK: tensor.empty(%{{.*}}) : tensor<?x1xf64>
// CHECK: arith.addf {{.*}} : f64
// CHECK: %[[DIFFERENCE:.*]] = arith.subf {{.*}} : f64
// CHECK: %[[POWER:.*]] = arith.truncf %[[DIFFERENCE]] : f64 to f32
// CHECK: math.exp %[[POWER]] : f32
// CHECK: } else {
// CHECK-NOT: f64
// CHECK: math.exp
// CHECK: return
func.func @dual(%x: tensor<?x1x8xf32>, %dt: tensor<?x1xf32>, %a: tensor<1xf32>, %b: tensor<?x1x6xf32>, %c: tensor<?x1x6xf32>, %y: tensor<?x1x8xf32>, %h: tensor<1x6x8xf32>) -> (tensor<?x1x8xf32>, tensor<1x6x8xf32>) {
  %r:2 = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) outs(%y, %h : tensor<?x1x8xf32>, tensor<1x6x8xf32>) -> tensor<?x1x8xf32>, tensor<1x6x8xf32>
  return %r#0, %r#1 : tensor<?x1x8xf32>, tensor<1x6x8xf32>
}

// A single static row needs no question.
// CHECK-LABEL: @single
// CHECK-NOT: scf.if
// CHECK-NOT: f64
// CHECK: math.exp
// CHECK: return
func.func @single(%x: tensor<1x1x8xf32>, %dt: tensor<1x1xf32>, %a: tensor<1xf32>, %b: tensor<1x1x6xf32>, %c: tensor<1x1x6xf32>, %y: tensor<1x1x8xf32>, %h: tensor<1x6x8xf32>) -> (tensor<1x1x8xf32>, tensor<1x6x8xf32>) {
  %r:2 = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<1x1x8xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1x1x6xf32>, tensor<1x1x6xf32>) outs(%y, %h : tensor<1x1x8xf32>, tensor<1x6x8xf32>) -> tensor<1x1x8xf32>, tensor<1x6x8xf32>
  return %r#0, %r#1 : tensor<1x1x8xf32>, tensor<1x6x8xf32>
}
