// RUN: cheems-opt %s --cheems-pack-parameters --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @product
// CHECK-NOT: linalg.fill
// CHECK-DAG: %[[W:.*]] = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 1>) : tensor<2x8x16x1xf32>
// CHECK-DAG: %[[Y:.*]] = tensor.empty(%{{.*}}) : tensor<?x32xf32>
// CHECK: cheems_cpu.linear ins(%arg0 : tensor<?x8xf32>) weights(%[[W]] : tensor<2x8x16x1xf32>) outs(%[[Y]] : tensor<?x32xf32>) -> tensor<?x32xf32>
// doc: cheems-pack-parameters,canonicalize,cse
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @product(%x: tensor<?x8xf32>) -> tensor<?x32xf32> {
  %w = cheems.parameter ["w"] : tensor<32x8xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<32x8xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
// doc-end

// -----

// A tied embedding: bf16 panels hold pairs of k, rows are read where the panels have them; the last panel is not full.
// What the destination holds is added to the sums.
// CHECK-LABEL: @tied
// CHECK: %[[W:.*]] = cheems.parameter ["w"] layout(#cheems_cpu.panels<16, 2>) : tensor<2x4x16x2xbf16>
// CHECK: %[[N0:.*]] = affine.apply {{.*}}()[%arg1]
// CHECK: %[[K0:.*]] = affine.apply {{.*}}()[%arg2]
// CHECK: %[[N1:.*]] = affine.apply {{.*}}()[%arg1]
// CHECK: %[[K1:.*]] = affine.apply {{.*}}()[%arg2]
// CHECK: tensor.extract %[[W]][%[[N0]], %[[K0]], %[[N1]], %[[K1]]]
// CHECK: %[[Y:.*]] = tensor.empty
// CHECK: cheems_cpu.linear ins(%arg0 : tensor<?x8xf32>) weights(%[[W]] : tensor<2x4x16x2xbf16>) with(%arg3 : tensor<?x20xf32>) outs(%[[Y]] : tensor<?x20xf32>)
// CHECK: ^bb0(%[[SUM:.*]]: f32, %[[START:.*]]: f32):
// CHECK: arith.addf %[[SUM]], %[[START]]
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @tied(%x: tensor<?x8xf32>, %n: index, %k: index, %y: tensor<?x20xf32>) -> (tensor<?x20xf32>, bf16) {
  %w = cheems.parameter ["w"] : tensor<20x8xbf16>
  %e = tensor.extract %w[%n, %k] : tensor<20x8xbf16>
  %r = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<20x8xbf16>) outs(%y : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %r, %e : tensor<?x20xf32>, bf16
}

// -----

// A bias as what the sums start from: one value per column, and the destination is the broadcast's.
// CHECK-LABEL: @broadcast
// CHECK-NOT: linalg.broadcast
// CHECK: cheems_cpu.linear ins(%arg0 : tensor<?x7xf32>) weights(%{{.*}} : tensor<1x7x16x1xbf16>) with(%arg1 : tensor<3xf32>) outs(%arg2 : tensor<?x3xf32>)
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @broadcast(%x: tensor<?x7xf32>, %b: tensor<3xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %w = cheems.parameter ["w"] : tensor<3x7xbf16>
  %init = linalg.broadcast ins(%b : tensor<3xf32>) outs(%y : tensor<?x3xf32>) dimensions = [0]
  %r = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x7xf32>, tensor<3x7xbf16>) outs(%init : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @other_use(%x: tensor<?x8xf32>, %y: tensor<?x32xf32>) -> (tensor<?x32xf32>, tensor<1x8xf32>) {
  %w = cheems.parameter ["w"] : tensor<32x8xf32>
  // expected-error@below {{reads a weight that matmuls need in panels}}
  %s = tensor.extract_slice %w[3, 0] [1, 8] [1, 1] : tensor<32x8xf32> to tensor<1x8xf32>
  %r = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<32x8xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r, %s : tensor<?x32xf32>, tensor<1x8xf32>
}

// -----

// A transposed parameter has no rows of the checkpoint's to pack.
// CHECK-LABEL: @permuted
// CHECK: cheems.parameter ["w"] permute [1, 0] : tensor<32x8xf32>
// CHECK: linalg.matmul
#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @permuted(%x: tensor<?x8xf32>, %y: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %w = cheems.parameter ["w"] permute [1, 0] : tensor<32x8xf32>
  %r = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %w : tensor<?x8xf32>, tensor<32x8xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

// Queries with the keys of each half and head: a matmul per matrix.
#x = affine_map<(t, a, b, k, n) -> (t, a, b, k)>
#w = affine_map<(t, a, b, k, n) -> (a, b, k, n)>
#y = affine_map<(t, a, b, k, n) -> (t, a, b, n)>
// CHECK-LABEL: @keys
// CHECK-SAME: (%[[X:.*]]: tensor<?x2x3x32xf32>, %[[Y:.*]]: tensor<?x2x3x40xf32>)
// CHECK: %[[W:.*]] = cheems.parameter ["keys"] layout(#cheems_cpu.panels<16, 2>) permute [2, 0, 1, 3] : tensor<2x3x3x16x16x2xbf16>
// CHECK: scf.forall (%[[T:.*]], %[[A:.*]], %[[B:.*]]) in (%{{.*}}, 2, 3) shared_outs(%[[OUT:.*]] = %[[Y]])
// CHECK-DAG: %[[ROWS:.*]] = tensor.extract_slice %[[X]][%{{.*}}, %[[A]], %[[B]], 0] [%{{.*}}, 1, 1, 32]
// CHECK-DAG: %[[MATRIX:.*]] = tensor.extract_slice %[[W]][%[[A]], %[[B]], 0, 0, 0, 0]
// CHECK: cheems_cpu.linear ins(%[[ROWS]] : tensor<?x32xf32>) weights(%[[MATRIX]] : tensor<3x16x16x2xbf16>)
// CHECK: tensor.parallel_insert_slice
// CHECK-LABEL: @keys_decode
// CHECK-NOT: scf.forall
// CHECK: scf.for
// CHECK: scf.for
// CHECK: cheems_cpu.linear
// CHECK-NOT: scf.forall
func.func @keys(%x: tensor<?x2x3x32xf32>, %y: tensor<?x2x3x40xf32>) -> tensor<?x2x3x40xf32> {
  %zero = arith.constant 0.0 : f32
  %w = cheems.parameter ["keys"] permute [2, 0, 3, 1] : tensor<2x3x32x40xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2x3x40xf32>) -> tensor<?x2x3x40xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%x, %w : tensor<?x2x3x32xf32>, tensor<2x3x32x40xbf16>) outs(%f : tensor<?x2x3x40xf32>) {
  ^bb0(%q: f32, %key: bf16, %sum: f32):
    %wide = arith.extf %key : bf16 to f32
    %product = arith.mulf %q, %wide : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<?x2x3x40xf32>
  return %r : tensor<?x2x3x40xf32>
}
func.func @keys_decode(%x: tensor<?x2x3x32xf32>, %y: tensor<?x2x3x40xf32>) -> tensor<?x2x3x40xf32> attributes {cheems.most_rows = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %w = cheems.parameter ["keys"] permute [2, 0, 3, 1] : tensor<2x3x32x40xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2x3x40xf32>) -> tensor<?x2x3x40xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%x, %w : tensor<?x2x3x32xf32>, tensor<2x3x32x40xbf16>) outs(%f : tensor<?x2x3x40xf32>) {
  ^bb0(%q: f32, %key: bf16, %sum: f32):
    %wide = arith.extf %key : bf16 to f32
    %product = arith.mulf %q, %wide : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<?x2x3x40xf32>
  return %r : tensor<?x2x3x40xf32>
}
