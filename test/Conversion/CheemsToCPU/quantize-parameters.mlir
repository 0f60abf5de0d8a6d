// RUN: cheems-opt %s --cheems-quantize-parameters --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Scales follow the quantized values through the arguments of a layer function: 4 bits with two groups of 32 in a row, rows padded to 32.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<2x8x16x4xi8>, %[[Z:.*]]: f32, %[[S:.*]]: tensor<2x2x16xbf16>)
// CHECK: cheems_cpu.linear ins(%[[X]] : tensor<?x64xf32>) weights(%[[W]] : tensor<2x8x16x4xi8>) bits 4 scales(%[[S]] : tensor<2x2x16xbf16>) outs(%{{.*}} : tensor<?x20xf32>) -> tensor<?x20xf32>
// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[C:.*]] = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 32, part = codes> : tensor<2x8x16x4xi8>
// CHECK-DAG: %[[SC:.*]] = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 32, part = scales> : tensor<2x2x16xbf16>
// CHECK: call @layer(%{{.*}}, %[[C]], %{{.*}}, %[[SC]])
// doc: cheems-quantize-parameters,canonicalize,cse
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func private @layer(%x: tensor<?x64xf32>, %w: tensor<20x64xf32>, %zero: f32) -> tensor<?x20xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %none = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x20xf32>
  %f = linalg.fill ins(%none : f32) outs(%e : tensor<?x20xf32>) -> tensor<?x20xf32>
  %y = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x64xf32>, tensor<20x64xf32>) outs(%f : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %y : tensor<?x20xf32>
}
func.func @step(%x: tensor<?x64xf32>, %z: f32) -> tensor<?x20xf32> {
  %w = cheems.parameter ["w"] quantized <bits = 4, group = 32, part = matrix> : tensor<20x64xf32>
  %y = call @layer(%x, %w, %z) : (tensor<?x64xf32>, tensor<20x64xf32>, f32) -> tensor<?x20xf32>
  return %y : tensor<?x20xf32>
}
// doc-end

// -----

// Two calls of one function; a matrix that passes through two functions; 8 bits have one f32 scale per row.
// CHECK-LABEL: func.func private @inner
// CHECK-SAME: (%{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<1x2x16x4xi8>, %{{.*}}: tensor<1x1x16xf32>)
// CHECK-LABEL: func.func private @outer
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<1x2x16x4xi8>, %[[S:.*]]: tensor<1x1x16xf32>)
// CHECK: call @inner(%[[X]], %[[W]], %[[S]])
// CHECK-LABEL: func.func @twice
// CHECK-DAG: %[[A:.*]] = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = codes> : tensor<1x2x16x4xi8>
// CHECK-DAG: %[[AS:.*]] = cheems.parameter ["a"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = scales> : tensor<1x1x16xf32>
// CHECK-DAG: %[[B:.*]] = cheems.parameter ["b"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = codes> : tensor<1x2x16x4xi8>
// CHECK-DAG: %[[BS:.*]] = cheems.parameter ["b"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 8, group = 0, part = scales> : tensor<1x1x16xf32>
// CHECK: call @outer(%{{.*}}, %[[A]], %[[AS]])
// CHECK: call @inner(%{{.*}}, %[[B]], %[[BS]])
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func private @inner(%x: tensor<?x8xf32>, %w: tensor<8x8xbf16>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<8x8xbf16>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func private @outer(%x: tensor<?x8xf32>, %w: tensor<8x8xbf16>) -> tensor<?x8xf32> {
  %y = call @inner(%x, %w) : (tensor<?x8xf32>, tensor<8x8xbf16>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = matrix> : tensor<8x8xbf16>
  %b = cheems.parameter ["b"] quantized <bits = 8, group = 0, part = matrix> : tensor<8x8xbf16>
  %y = call @outer(%x, %a) : (tensor<?x8xf32>, tensor<8x8xbf16>) -> tensor<?x8xf32>
  %z = call @inner(%y, %b) : (tensor<?x8xf32>, tensor<8x8xbf16>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

// Rows that are looked up are not the rows that are rounded.
func.func @read(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %n: index, %k: index) -> (tensor<?x8xf32>, f32) {
  %w = cheems.parameter ["w"] quantized <bits = 8, group = 0, part = matrix> : tensor<8x8xf32>
  // expected-error @+1 {{'tensor.extract' op reads a weight that is quantized for matmuls}}
  %e = tensor.extract %w[%n, %k] : tensor<8x8xf32>
  return %x, %e : tensor<?x8xf32>, f32
}

// -----

#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func private @layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @mixed(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %a = cheems.parameter ["a"] quantized <bits = 8, group = 0, part = matrix> : tensor<8x8xf32>
  // expected-error @+1 {{'cheems.parameter' op shares an argument with weights that are rounded in another way}}
  %b = cheems.parameter ["b"] : tensor<8x8xf32>
  %r = call @layer(%x, %a, %y) : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = call @layer(%r, %b, %y) : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %s : tensor<?x8xf32>
}

// -----

// An attribute that names the layer is no call of it.
// CHECK-LABEL: func.func private @named
// CHECK-SAME: tensor<1x2x16x4xi8>, %{{.*}}: tensor<1x1x16xf32>)
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func private @named(%x: tensor<?x8xf32>, %w: tensor<16x8xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant {of = @named} 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<16x8xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
func.func @step(%x: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %w = cheems.parameter ["w"] quantized <bits = 8, group = 0, part = matrix> : tensor<16x8xf32>
  %y = call @named(%x, %w) : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
