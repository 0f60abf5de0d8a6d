// What each op stands for in upstream ops; decompose-values.test checks what they compute.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s --check-prefix=LEFT
// LEFT-NOT: cheems.

// The squares are summed first, then each row is scaled.
// CHECK-LABEL: @norm
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: math.sqrt
// CHECK: arith.divf
func.func @norm(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<?x8xf32>, tensor<8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Angles are f64 until their cosine and sine are taken; without dynamic there is no power.
// CHECK-LABEL: @table
// CHECK: arith.constant dense<[1.000000e+00, 1.000000e-01, 1.000000e-02, 1.000000e-03]> : tensor<4xf64>
// CHECK: arith.sitofp %{{.*}} : i32 to f64
// CHECK-NOT: math.exp
// CHECK: math.cos %{{.*}} : f64
// CHECK: math.sin %{{.*}} : f64
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, f32
func.func @table(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x4xf32>, %s: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r:2 = cheems.rotary_table theta 1.0e+04 ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c, %s : tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: @dynamic_table
// CHECK: math.log %{{.*}} : f64
// CHECK: math.exp %{{.*}} : f64
func.func @dynamic_table(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x4xf32>, %s: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r:2 = cheems.rotary_table theta 1.0e+04 dynamic {factor = 4.0 : f64, trained = 8 : i64} ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c, %s : tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>, tensor<?x4xf32>
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x4xf32>
}

// Halves are a dimension of their own, so the destination is written once, by one op.
// CHECK-LABEL: @rotary
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<?x2x2x4xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1, %arg2 :
// CHECK-NOT: linalg.generic
// CHECK: tensor.collapse_shape %{{.*}} into tensor<?x2x8xf32>
func.func @rotary(%x: tensor<?x2x8xf32>, %c: tensor<?x4xf32>, %s: tensor<?x4xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems.rotary ins(%x, %c, %s : tensor<?x2x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// What does not turn is copied.
// CHECK-LABEL: @partial
// CHECK: tensor.extract_slice %arg0[0, 0, 0] [{{.*}}, 2, 6] [1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg1, %arg2 :
// CHECK: %[[TURNED:.*]] = tensor.insert_slice %{{.*}} into %arg3[0, 0, 0] [{{.*}}, 2, 6] [1, 1, 1]
// CHECK: %[[REST:.*]] = tensor.extract_slice %arg0[0, 0, 6] [{{.*}}, 2, 2] [1, 1, 1]
// CHECK: linalg.generic
// CHECK: tensor.extract %[[REST]][
// CHECK: tensor.insert_slice %{{.*}} into %[[TURNED]][0, 0, 6] [{{.*}}, 2, 2] [1, 1, 1]
func.func @partial(%x: tensor<?x2x8xf32>, %c: tensor<?x3xf32>, %s: tensor<?x3xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems.rotary ins(%x, %c, %s : tensor<?x2x8xf32>, tensor<?x3xf32>, tensor<?x3xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// Frequencies are constants, and cosines are multiplied before they are rounded.
// CHECK-LABEL: @listed
// CHECK: arith.constant dense<[1.000000e+00, 2.500000e-01]> : tensor<2xf64>
// CHECK: %[[COSINE:.*]] = math.cos
// CHECK: %[[SCALED:.*]] = arith.mulf %[[COSINE]], %{{.*}} : f64
// CHECK: arith.truncf %[[SCALED]]
func.func @listed(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?x2xf32>, %s: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %r:2 = cheems.rotary_table frequencies [1.0, 0.25] {magnitude = 1.125 : f64} ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c, %s : tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>
  return %r#0, %r#1 : tensor<?x2xf32>, tensor<?x2xf32>
}

// softplus without overflow: max(x, 0) + log1p(exp(-|x|)).
// CHECK-LABEL: @mask
// CHECK: math.absf
// CHECK: math.exp
// CHECK: math.log1p
// CHECK: math.exp
func.func @mask(%d: tensor<?x3xf32>, %a: tensor<3xf32>, %o: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %r = cheems.dynamic_mask ins(%d, %a : tensor<?x3xf32>, tensor<3xf32>) outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
