// RUN: cheems-opt %s --cheems-fuse-projections --canonicalize --cse --split-input-file | FileCheck %s

// Two matmuls of one input, through the arguments of a layer function.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[W:.*]]: tensor<10x8xf32>)
// CHECK: %[[Y:.*]] = linalg.matmul {{.*}} ins(%[[X]], %[[W]] : tensor<?x8xf32>, tensor<10x8xf32>)
// CHECK-DAG: tensor.extract_slice %[[Y]][0, 0] [%{{.*}}, 4] [1, 1]
// CHECK-DAG: tensor.extract_slice %[[Y]][0, 4] [%{{.*}}, 6] [1, 1]
// CHECK-LABEL: func.func @step
// CHECK: %[[P:.*]] = cheems.parameter ["k", "v"] : tensor<10x8xf32>
// CHECK: call @layer(%{{.*}}, %[[P]])
// doc: cheems-fuse-projections,canonicalize,cse
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func private @layer(%x: tensor<?x8xf32>, %k: tensor<4x8xf32>, %v: tensor<6x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%n) : tensor<?x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %k : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %e1 = tensor.empty(%n) : tensor<?x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x6xf32>) -> tensor<?x6xf32>
  %b = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %v : tensor<?x8xf32>, tensor<6x8xf32>) outs(%f1 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x6xf32>
}
func.func @step(%x: tensor<?x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>) {
  %k = cheems.parameter ["k"] : tensor<4x8xf32>
  %v = cheems.parameter ["v"] : tensor<6x8xf32>
  %r:2 = call @layer(%x, %k, %v) : (tensor<?x8xf32>, tensor<4x8xf32>, tensor<6x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>)
  return %r#0, %r#1 : tensor<?x4xf32>, tensor<?x6xf32>
}
// doc-end

// -----

// A destination that holds something (a bias) and another input stay as they are.
// CHECK-LABEL: @apart
// CHECK: cheems.parameter ["u"] : tensor<4x8xf32>
// CHECK: cheems.parameter ["v"] : tensor<4x8xf32>
// CHECK: cheems.parameter ["w"] : tensor<4x8xf32>
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @apart(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %bias: tensor<?x4xf32>, %zero: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %u = cheems.parameter ["u"] : tensor<4x8xf32>
  %v = cheems.parameter ["v"] : tensor<4x8xf32>
  %w = cheems.parameter ["w"] : tensor<4x8xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%zero : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %u : tensor<?x8xf32>, tensor<4x8xf32>) outs(%bias : tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %v : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %d = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%y, %w : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b, %d : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A transposed parameter has one name, so it merges with none.
// CHECK-LABEL: @permuted
// CHECK: cheems.parameter ["u"] permute [1, 0] : tensor<4x8xf32>
// CHECK: cheems.parameter ["v"] : tensor<4x8xf32>
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @permuted(%x: tensor<?x8xf32>, %zero: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %u = cheems.parameter ["u"] permute [1, 0] : tensor<4x8xf32>
  %v = cheems.parameter ["v"] : tensor<4x8xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%zero : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %u : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %v : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// A gate and what it gates stay two, after a bias as well; what else reads the input merges.
// CHECK-LABEL: @gated
// CHECK-DAG: cheems.parameter ["g"] : tensor<4x8xf32>
// CHECK-DAG: cheems.parameter ["u"] : tensor<4x8xf32>
// CHECK-DAG: cheems.parameter ["k", "v"] : tensor<8x8xf32>
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(t, n) -> (t, n)>
#column = affine_map<(t, n) -> (n)>
func.func @gated(%x: tensor<?x8xf32>, %bias: tensor<4xf32>, %e: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %u = cheems.parameter ["u"] : tensor<4x8xf32>
  %g = cheems.parameter ["g"] : tensor<4x8xf32>
  %k = cheems.parameter ["k"] : tensor<4x8xf32>
  %v = cheems.parameter ["v"] : tensor<4x8xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %up = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %u : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %gate = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %g : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %biased = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%gate, %bias : tensor<?x4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  %h = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%biased, %up : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  %key = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %k : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %value = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %v : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %h, %key, %value : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// What is quantized merges with what is rounded alike; exact weights merge with each other.
// CHECK-LABEL: @rounded
// CHECK-DAG: cheems.parameter ["u", "w"] quantized <bits = 8, group = 0, part = matrix> : tensor<8x8xf32>
// CHECK-DAG: cheems.parameter ["v", "z"] : tensor<8x8xf32>
// CHECK-COUNT-2: linalg.matmul
// CHECK-NOT: linalg.matmul
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @rounded(%x: tensor<?x8xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %u = cheems.parameter ["u"] quantized <bits = 8, group = 0, part = matrix> : tensor<4x8xf32>
  %v = cheems.parameter ["v"] : tensor<4x8xf32>
  %w = cheems.parameter ["w"] quantized <bits = 8, group = 0, part = matrix> : tensor<4x8xf32>
  %z = cheems.parameter ["z"] : tensor<4x8xf32>
  %c = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %u : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %v : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %d = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %g = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %z : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b, %d, %g : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Weights of two calls, in another order for either matmul, are not each other's partners.
// CHECK-LABEL: func.func private @layer
// CHECK-COUNT-2: linalg.matmul
// CHECK-LABEL: func.func @step
// CHECK-DAG: %[[K0:.*]] = cheems.parameter ["k0"] : tensor<4x8xf32>
// CHECK-DAG: %[[K1:.*]] = cheems.parameter ["k1"] : tensor<4x8xf32>
// CHECK-DAG: %[[V1:.*]] = cheems.parameter ["v1"] : tensor<6x8xf32>
// CHECK-DAG: %[[V0:.*]] = cheems.parameter ["v0"] : tensor<6x8xf32>
// CHECK: call @layer(%{{.*}}, %[[K0]], %[[V0]])
// CHECK: call @layer(%{{.*}}, %[[K1]], %[[V1]])
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func private @layer(%x: tensor<?x8xf32>, %k: tensor<4x8xf32>, %v: tensor<6x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%n) : tensor<?x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %k : tensor<?x8xf32>, tensor<4x8xf32>) outs(%f0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %e1 = tensor.empty(%n) : tensor<?x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x6xf32>) -> tensor<?x6xf32>
  %b = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %v : tensor<?x8xf32>, tensor<6x8xf32>) outs(%f1 : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x6xf32>
}
func.func @step(%x: tensor<?x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>, tensor<?x4xf32>, tensor<?x6xf32>) {
  %k0 = cheems.parameter ["k0"] : tensor<4x8xf32>
  %k1 = cheems.parameter ["k1"] : tensor<4x8xf32>
  %v1 = cheems.parameter ["v1"] : tensor<6x8xf32>
  %v0 = cheems.parameter ["v0"] : tensor<6x8xf32>
  %r:2 = call @layer(%x, %k0, %v0) : (tensor<?x8xf32>, tensor<4x8xf32>, tensor<6x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>)
  %s:2 = call @layer(%x, %k1, %v1) : (tensor<?x8xf32>, tensor<4x8xf32>, tensor<6x8xf32>) -> (tensor<?x4xf32>, tensor<?x6xf32>)
  return %r#0, %r#1, %s#0, %s#1 : tensor<?x4xf32>, tensor<?x6xf32>, tensor<?x4xf32>, tensor<?x6xf32>
}
