// f32 by MLIR's polynomials, f64 by ours; scalars and vectors; what is an instruction stays, and so does what has no
// polynomial. expand-math-accuracy.test checks the values.
// RUN: cheems-opt %s --cheems-expand-math | FileCheck %s

// CHECK-LABEL: @f64
// CHECK-NOT: math.{{sin|cos|exp|log}}
// CHECK: math.fma
// CHECK-NOT: math.{{sin|cos|exp|log}}
// CHECK: return
func.func @f64(%x: f64, %v: vector<4xf64>) -> (f64, f64, f64, vector<4xf64>, vector<4xf64>) {
  %a = math.sin %x : f64
  %b = math.cos %a : f64
  %c = math.exp %b : f64
  %d = math.log %v : vector<4xf64>
  %e = math.sin %d : vector<4xf64>
  return %a, %b, %c, %d, %e : f64, f64, f64, vector<4xf64>, vector<4xf64>
}

// CHECK-LABEL: @f32
// CHECK-NOT: math.{{exp|log1p|log|erf|tanh}}
// CHECK: return
func.func @f32(%x: f32, %v: vector<8xf32>) -> (f32, f32, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %a = math.exp %x : f32
  %b = math.log1p %a : f32
  %c = math.log %v : vector<8xf32>
  %d = math.erf %c : vector<8xf32>
  %e = math.tanh %d : vector<8xf32>
  return %a, %b, %c, %d, %e : f32, f32, vector<8xf32>, vector<8xf32>, vector<8xf32>
}

// CHECK-LABEL: @left
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: math.sin %{{.*}} : f32
// CHECK: math.exp %{{.*}} : tensor<4xf64>
func.func @left(%x: f32, %t: tensor<4xf64>) -> (f32, f32, tensor<4xf64>) {
  %a = math.sqrt %x : f32
  %b = math.sin %x : f32
  %c = math.exp %t : tensor<4xf64>
  return %a, %b, %c : f32, f32, tensor<4xf64>
}

// CHECK-LABEL: @exponential
// CHECK-NOT: math.exp
// doc: cheems-expand-math,canonicalize,cse
func.func @exponential(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}
// doc-end
