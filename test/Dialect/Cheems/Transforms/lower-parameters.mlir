// RUN: cheems-opt %s --cheems-lower-parameters --split-input-file --verify-diagnostics | FileCheck %s

// Each weight once, 64-byte aligned, in order of first use; the module's table is what the archive is written by.
// CHECK: module attributes {cheems.parameter_bytes = 192 : i64, cheems.parameters = [
// CHECK-SAME: {names = ["norm"], offset = 0 : i64, type = tensor<8xf32>}
// CHECK-SAME: {layout = #cheems_cpu.panels<16, 2>, names = ["a", "b"], offset = 64 : i64, type = tensor<1x2x16x2xbf16>}
// CHECK-LABEL: @step
// CHECK: %[[O0:.*]] = arith.constant 0 : index
// CHECK: %[[V0:.*]] = memref.view %arg1[%[[O0]]][] : memref<?xi8> to memref<8xf32>
// CHECK: bufferization.to_tensor %[[V0]] restrict : memref<8xf32>
// CHECK: %[[O1:.*]] = arith.constant 64 : index
// CHECK: %[[V1:.*]] = memref.view %arg1[%[[O1]]][] : memref<?xi8> to memref<1x2x16x2xbf16>
// CHECK: %[[O2:.*]] = arith.constant 0 : index
// CHECK: memref.view %arg1[%[[O2]]][] : memref<?xi8> to memref<8xf32>
// CHECK-NOT: cheems.parameter
// doc: cheems-lower-parameters
func.func @step(%i: index, %weights: memref<?xi8> {cheems.field = "parameters"}) -> (tensor<8xf32>, tensor<1x2x16x2xbf16>, tensor<8xf32>) {
  %n = cheems.parameter ["norm"] : tensor<8xf32>
  %p = cheems.parameter ["a", "b"] layout(#cheems_cpu.panels<16, 2>) : tensor<1x2x16x2xbf16>
  %again = cheems.parameter ["norm"] : tensor<8xf32>
  return %n, %p, %again : tensor<8xf32>, tensor<1x2x16x2xbf16>, tensor<8xf32>
}
// doc-end

// -----

// A transposed copy is another parameter than the stored one.
// CHECK: module attributes {cheems.parameter_bytes = 128 : i64, cheems.parameters = [
// CHECK-SAME: {names = ["k"], offset = 0 : i64, type = tensor<4x4xf32>}
// CHECK-SAME: {names = ["k"], offset = 64 : i64, permute = array<i64: 1, 0>, type = tensor<4x4xf32>}
// CHECK-LABEL: @permuted
func.func @permuted(%weights: memref<?xi8> {cheems.field = "parameters"}) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %k = cheems.parameter ["k"] : tensor<4x4xf32>
  %t = cheems.parameter ["k"] permute [1, 0] : tensor<4x4xf32>
  %again = cheems.parameter ["k"] permute [1, 0] : tensor<4x4xf32>
  return %k, %t, %again : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Tables side by side are another parameter than one below the other.
// CHECK: module attributes {cheems.parameter_bytes = 128 : i64, cheems.parameters = [
// CHECK-SAME: {names = ["d", "u"], offset = 0 : i64, type = tensor<4x4xf32>}
// CHECK-SAME: {by_columns, names = ["d", "u"], offset = 64 : i64, type = tensor<4x4xf32>}
// CHECK-LABEL: @beside
func.func @beside(%weights: memref<?xi8> {cheems.field = "parameters"}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %below = cheems.parameter ["d", "u"] : tensor<4x4xf32>
  %beside = cheems.parameter ["d", "u"] by_columns : tensor<4x4xf32>
  return %below, %beside : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Weights of an image made before: what is the same lies there, all else behind them. What is not used here is not named here.
// CHECK: module attributes {cheems.parameter_bytes = 256 : i64, cheems.parameters = [
// CHECK-SAME: {names = ["new"], offset = 192 : i64, type = tensor<4x4xf32>}
// CHECK-SAME: {names = ["norm"], offset = 64 : i64, type = tensor<8xf32>}
// CHECK-NOT: "other"
// CHECK-LABEL: @shared
module attributes {cheems.parameter_bytes = 192 : i64, cheems.parameters = [
    {names = ["other"], offset = 0 : i64, type = tensor<8xf32>}, {names = ["norm"], offset = 64 : i64, type = tensor<8xf32>},
    {names = ["norm"], offset = 128 : i64, type = tensor<8xbf16>}]} {
  func.func @shared(%weights: memref<?xi8> {cheems.field = "parameters"}) -> (tensor<4x4xf32>, tensor<8xf32>) {
    %new = cheems.parameter ["new"] : tensor<4x4xf32>
    %n = cheems.parameter ["norm"] : tensor<8xf32>
    return %new, %n : tensor<4x4xf32>, tensor<8xf32>
  }
}

// -----

func.func @no_section(%weights: memref<?xi8>) -> tensor<8xf32> {
  // expected-error@below {{is in a function without an argument {cheems.field = "parameters"}}}
  %n = cheems.parameter ["norm"] : tensor<8xf32>
  return %n : tensor<8xf32>
}

// -----

// expected-error@below {{is in no function}}
%outside = cheems.parameter ["norm"] : tensor<8xf32>
