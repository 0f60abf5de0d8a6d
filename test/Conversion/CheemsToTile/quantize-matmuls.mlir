// RUN: cheems-opt %s --cheems-quantize-matmuls --split-input-file --verify-diagnostics | FileCheck %s

#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>

// A layer function gets the scales as its last arguments. Two matmuls of one input share its quantized values; weights that stay exact get
// the input itself.
// CHECK-LABEL: @layer
// CHECK-SAME: %[[X:.*]]: tensor<?x96xf32>, %[[A:.*]]: tensor<16x96xi8>, %[[B:.*]]: tensor<16x64xi8>, %[[C:.*]]: tensor<16x96xf32>, %[[BS:.*]]: tensor<16x3xbf16>, %[[AS:.*]]: tensor<16x1xf32>
// CHECK: %[[R:.*]]:2 = cheems.quantize_entries ins(%[[X]] : tensor<?x96xf32>)
// CHECK-NOT: quantize_entries
// CHECK: cheems_tile.quantized_matmul bits 8 ins(%[[R]]#0, %[[R]]#1 : {{.*}}) weights(%[[A]], %[[AS]] :
// CHECK: cheems_tile.quantized_matmul bits 4 ins(%[[R]]#0, %[[R]]#1 : {{.*}}) weights(%[[B]], %[[BS]] :
// CHECK: linalg.matmul {{.*}} ins(%[[X]], %[[C]] :
func.func private @layer(%x: tensor<?x96xf32>, %a: tensor<16x96xf32>, %b: tensor<16x96xf32>, %c: tensor<16x96xf32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x96xf32>
  %empty = tensor.empty(%t) : tensor<?x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %a : tensor<?x96xf32>, tensor<16x96xf32>) outs(%start : tensor<?x16xf32>) -> tensor<?x16xf32>
  %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %b : tensor<?x96xf32>, tensor<16x96xf32>) outs(%start : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %c : tensor<?x96xf32>, tensor<16x96xf32>) outs(%start : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %p, %q, %r : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}
// CHECK-LABEL: @step
// CHECK-DAG: %[[BYTES:.*]] = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = codes> : tensor<16x96xi8>
// CHECK-DAG: %[[SCALES:.*]] = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = scales> : tensor<16x1xf32>
// CHECK-DAG: %[[NIBBLES:.*]] = cheems.parameter ["b"] layout(#cheems_tile.nibbles) quantized <bits = 4, group = 32, part = codes> : tensor<16x64xi8>
// CHECK-DAG: %[[GROUPS:.*]] = cheems.parameter ["b"] quantized <bits = 4, group = 32, part = scales> : tensor<16x3xbf16>
// CHECK: call @layer(%arg0, %[[BYTES]], %[[NIBBLES]], %{{.*}}, %[[GROUPS]], %[[SCALES]])
func.func @step(%x: tensor<?x96xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %a = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = matrix> : tensor<16x96xf32>
  %b = cheems.parameter ["b"] quantized <bits = 4, group = 32, part = matrix> : tensor<16x96xf32>
  %c = cheems.parameter ["c"] : tensor<16x96xf32>
  %y:3 = call @layer(%x, %a, %b, %c) : (tensor<?x96xf32>, tensor<16x96xf32>, tensor<16x96xf32>, tensor<16x96xf32>)
      -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
  return %y#0, %y#1, %y#2 : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}

// -----

// CHECK-LABEL: @short
// doc: cheems-quantize-matmuls
#input = affine_map<(t, n, k) -> (t, k)>
#weights = affine_map<(t, n, k) -> (n, k)>
#sums = affine_map<(t, n, k) -> (t, n)>
func.func @short(%x: tensor<4x64xf32>, %empty: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %w = cheems.parameter ["w"] quantized <bits = 8, group = 0, part = matrix> : tensor<16x64xf32>
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.matmul indexing_maps = [#input, #weights, #sums]
      ins(%x, %w : tensor<4x64xf32>, tensor<16x64xf32>) outs(%start : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
// doc-end

// -----

func.func @another_use(%row: index) -> f32 {
  %w = cheems.parameter ["w"] quantized <bits = 8, group = 0, part = matrix> : tensor<16x64xf32>
  %c0 = arith.constant 0 : index
  // expected-error@below {{reads a weight that is quantized for matmuls whose sums start from zero}}
  %y = tensor.extract %w[%row, %c0] : tensor<16x64xf32>
  return %y : f32
}

// -----

func.func private @both(%w: tensor<16x64xf32>) {
  return
}
func.func @two_formats() {
  // expected-error@below {{shares an argument with weights that are rounded in another way}}
  %a = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = matrix> : tensor<16x64xf32>
  %b = cheems.parameter ["b"] quantized <bits = 4, group = 64, part = matrix> : tensor<16x64xf32>
  call @both(%a) : (tensor<16x64xf32>) -> ()
  call @both(%b) : (tensor<16x64xf32>) -> ()
  return
}

// -----

// Tables of experts: quantized values, and a scale per row beside them.
// CHECK-LABEL: func.func @tables
// CHECK: cheems.parameter ["down"] quantized <bits = 8, group = 0, part = codes> : tensor<16x64xi8>
// CHECK: cheems.parameter ["up"] quantized <bits = 8, group = 0, part = codes> : tensor<16x64xi8>
// CHECK: cheems.mix_experts softmax silu ins({{.*}} tensor<16x64xi8>, tensor<16x64xi8>) scales({{.*}} : tensor<16xf32>, tensor<16xf32>)
func.func @tables(%x: tensor<4x64xf32>, %score: tensor<4x2x3xf32>, %expert: tensor<4x2x3xi32>, %y: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %down = cheems.parameter ["down"] quantized <bits = 8, group = 0, part = matrix> : tensor<16x64xf32>
  %up = cheems.parameter ["up"] quantized <bits = 8, group = 0, part = matrix> : tensor<16x64xf32>
  %r = cheems.mix_experts softmax silu ins(%x, %score, %expert, %down, %up : tensor<4x64xf32>, tensor<4x2x3xf32>, tensor<4x2x3xi32>, tensor<16x64xf32>, tensor<16x64xf32>)
      outs(%y : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}
