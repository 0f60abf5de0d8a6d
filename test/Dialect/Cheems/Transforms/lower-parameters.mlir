// RUN: cheems-opt %s --cheems-lower-parameters --split-input-file --verify-diagnostics | FileCheck %s

// Each weight once, 64-byte aligned, in order of first use; the module's table is what the archive is written by.
// CHECK: module attributes {cheems.parameter_bytes = 192 : i64, cheems.parameters = [
// CHECK-SAME: #cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 0>
// CHECK-SAME: #cheems.stored_parameter<names = ["a", "b"], type = tensor<1x2x16x2xbf16>, offset = 64, layout = #cheems_cpu.panels<16, 2>>
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
func.func @step(%i: index, %weights: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) -> (tensor<8xf32>, tensor<1x2x16x2xbf16>, tensor<8xf32>) {
  %n = cheems.parameter ["norm"] : tensor<8xf32>
  %p = cheems.parameter ["a", "b"] layout(#cheems_cpu.panels<16, 2>) : tensor<1x2x16x2xbf16>
  %again = cheems.parameter ["norm"] : tensor<8xf32>
  return %n, %p, %again : tensor<8xf32>, tensor<1x2x16x2xbf16>, tensor<8xf32>
}
// doc-end

// -----

// A transposed copy is another parameter than the stored one.
// CHECK: module attributes {cheems.parameter_bytes = 128 : i64, cheems.parameters = [
// CHECK-SAME: #cheems.stored_parameter<names = ["k"], type = tensor<4x4xf32>, offset = 0>
// CHECK-SAME: #cheems.stored_parameter<names = ["k"], type = tensor<4x4xf32>, offset = 64, permute = [1, 0]>
// CHECK-LABEL: @permuted
func.func @permuted(%weights: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %k = cheems.parameter ["k"] : tensor<4x4xf32>
  %t = cheems.parameter ["k"] permute [1, 0] : tensor<4x4xf32>
  %again = cheems.parameter ["k"] permute [1, 0] : tensor<4x4xf32>
  return %k, %t, %again : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Tables side by side are another parameter than one below the other.
// CHECK: module attributes {cheems.parameter_bytes = 128 : i64, cheems.parameters = [
// CHECK-SAME: #cheems.stored_parameter<names = ["d", "u"], type = tensor<4x4xf32>, offset = 0>
// CHECK-SAME: #cheems.stored_parameter<names = ["d", "u"], type = tensor<4x4xf32>, offset = 64, by_columns = true>
// CHECK-LABEL: @beside
func.func @beside(%weights: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %below = cheems.parameter ["d", "u"] : tensor<4x4xf32>
  %beside = cheems.parameter ["d", "u"] by_columns : tensor<4x4xf32>
  return %below, %beside : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Weights of an image made before: what is the same lies there, all else after them. What is not used here is not named here.
// CHECK: module attributes {cheems.parameter_bytes = 256 : i64, cheems.parameters = [
// CHECK-SAME: #cheems.stored_parameter<names = ["new"], type = tensor<4x4xf32>, offset = 192>
// CHECK-SAME: #cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 64>
// CHECK-NOT: "other"
// CHECK-LABEL: @shared
module attributes {cheems.parameter_bytes = 192 : i64, cheems.parameters = [
    #cheems.stored_parameter<names = ["other"], type = tensor<8xf32>, offset = 0>, #cheems.stored_parameter<names = ["norm"], type = tensor<8xf32>, offset = 64>,
    #cheems.stored_parameter<names = ["norm"], type = tensor<8xbf16>, offset = 128>]} {
  func.func @shared(%weights: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) -> (tensor<4x4xf32>, tensor<8xf32>) {
    %new = cheems.parameter ["new"] : tensor<4x4xf32>
    %n = cheems.parameter ["norm"] : tensor<8xf32>
    return %new, %n : tensor<4x4xf32>, tensor<8xf32>
  }
}

// -----

func.func @no_section(%weights: memref<?xi8>) -> tensor<8xf32> {
  // expected-error@below {{is in a function without an argument {cheems.field = #cheems.step_field<parameters>}}}
  %n = cheems.parameter ["norm"] : tensor<8xf32>
  return %n : tensor<8xf32>
}

// -----

// expected-error@below {{is in no function}}
%outside = cheems.parameter ["norm"] : tensor<8xf32>
