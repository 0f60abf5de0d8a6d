// Expert ops become loops with lists of as many entries as are retrieved; nothing is as long as there are experts.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s

// Two lists of the 4 best keys, then one of the 4 best of their 16 sums.
// CHECK-LABEL: @retrieve
// CHECK-NOT: cheems.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: linalg.fill {{.*}} -> tensor<2x4xi64>
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.cmpi sgt, %{{.*}}, %{{.*}} : i64
// CHECK: linalg.fill {{.*}} -> tensor<4xi64>
// CHECK: arith.addf
// CHECK-NOT: cheems.
// CHECK: return
func.func @retrieve(%g: tensor<?x2x2x16xf32>, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>) -> (tensor<?x2x4xf32>, tensor<?x2x4xi32>) {
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<?x2x2x16xf32>) outs(%s, %e : tensor<?x2x4xf32>, tensor<?x2x4xi32>) -> tensor<?x2x4xf32>, tensor<?x2x4xi32>
  return %0, %1 : tensor<?x2x4xf32>, tensor<?x2x4xi32>
}

// Fewer keys than are retrieved: all of them.
// CHECK-LABEL: @few_keys
// CHECK: linalg.fill {{.*}} -> tensor<2x2xi64>
// CHECK: linalg.fill {{.*}} -> tensor<3xi64>
func.func @few_keys(%g: tensor<?x2x1x2xf32>, %s: tensor<?x1x3xf32>, %e: tensor<?x1x3xi32>) -> (tensor<?x1x3xf32>, tensor<?x1x3xi32>) {
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<?x2x1x2xf32>) outs(%s, %e : tensor<?x1x3xf32>, tensor<?x1x3xi32>) -> tensor<?x1x3xf32>, tensor<?x1x3xi32>
  return %0, %1 : tensor<?x1x3xf32>, tensor<?x1x3xi32>
}

// A third list has what the second had, its scores made equal.
// CHECK-LABEL: @ascending
// CHECK: linalg.fill {{.*}} -> tensor<2x4xi64>
// CHECK: linalg.fill {{.*}} -> tensor<4xi64>
// CHECK: %[[PAIRS:.*]] = scf.for
// CHECK: arith.addf
// CHECK: %[[LIST:.*]] = linalg.fill {{.*}} -> tensor<4xi64>
// CHECK: %[[ORDERED:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}} = %[[LIST]])
// CHECK: tensor.extract %[[PAIRS]][%[[I]]]
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?x2x4xf32>, tensor<?x2x4xi32>)
// CHECK-NEXT: tensor.extract %[[ORDERED]][%[[J]]]
// CHECK: return
func.func @ascending(%g: tensor<?x2x2x16xf32>, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>) -> (tensor<?x2x4xf32>, tensor<?x2x4xi32>) {
  %0, %1 = cheems.retrieve_experts ascending ins(%g : tensor<?x2x2x16xf32>) outs(%s, %e : tensor<?x2x4xf32>, tensor<?x2x4xi32>) -> tensor<?x2x4xf32>, tensor<?x2x4xi32>
  return %0, %1 : tensor<?x2x4xf32>, tensor<?x2x4xi32>
}

// CHECK-LABEL: @softmax
// CHECK-NOT: cheems.
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.index_cast %{{.*}} : i32 to index
// CHECK: arith.extf
// CHECK: arith.divf
// CHECK: tensor.insert %{{.*}} into %{{.*}} : tensor<?x8xf32>
func.func @softmax(%x: tensor<?x8xf32>, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>, %d: tensor<16x8xbf16>, %u: tensor<16x8xbf16>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %u : tensor<?x8xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<16x8xbf16>, tensor<16x8xbf16>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// The score is inside the activation: no softmax.
// CHECK-LABEL: @inner
// CHECK-NOT: math.exp
// CHECK: math.erf
// CHECK-NOT: math.exp
// CHECK: return
func.func @inner(%x: tensor<?x8xf32>, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>, %d: tensor<16x8xf32>, %u: tensor<16x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = cheems.mix_experts inner gelu ins(%x, %s, %e, %d, %u : tensor<?x8xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<16x8xf32>, tensor<16x8xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// A scale for the hit, one for the weight.
// CHECK-LABEL: @codes
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<16xf32>, %[[G:[a-z0-9]+]]: tensor<16xf32>
// CHECK-NOT: cheems.
// CHECK: %[[E:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: arith.sitofp %{{.*}} : i8 to f32
// CHECK: %[[DOWN:.*]] = tensor.extract %[[C]][%[[E]]]
// CHECK: arith.mulf %[[SUM]], %[[DOWN]]
// CHECK: %[[W:.*]] = arith.maximumf
// CHECK: %[[UP:.*]] = tensor.extract %[[G]][%[[E]]]
// CHECK: %[[SHARE:.*]] = arith.mulf %[[W]], %[[UP]]
// CHECK: %[[CODE:.*]] = arith.sitofp %{{.*}} : i8 to f32
// CHECK: arith.mulf %[[SHARE]], %[[CODE]]
func.func @codes(%c: tensor<16xf32>, %g: tensor<16xf32>, %x: tensor<?x8xf32>, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>, %d: tensor<16x8xi8>, %u: tensor<16x8xi8>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = cheems.mix_experts inner relu ins(%x, %s, %e, %d, %u : tensor<?x8xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<16x8xi8>, tensor<16x8xi8>) scales(%c, %g : tensor<16xf32>, tensor<16xf32>) outs(%y : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
