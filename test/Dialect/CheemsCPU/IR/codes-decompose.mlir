// Quantized values as loops: a row's greatest magnitude is found among integers, a score is multiplied by its key's scale once and a weight
// by its value's, and an entry that moves takes its scales along.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s --implicit-check-not=cheems.

// CHECK-LABEL: @quantize
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg1, %{{.*}} = %arg2)
// CHECK: %[[MOST:.*]] = scf.for {{.*}} -> (i32)
// CHECK: arith.andi
// CHECK: arith.maxsi
// CHECK: %[[LARGEST:.*]] = arith.bitcast %[[MOST]] : i32 to f32
// CHECK: %[[COUNTS:.*]] = arith.cmpi sge, %[[MOST]]
// CHECK: arith.divf %[[LARGEST]]
// CHECK: %[[SCALE:.*]] = arith.select %[[COUNTS]]
// CHECK: %[[FACTOR:.*]] = arith.select %[[COUNTS]]
// CHECK: arith.mulf %{{.*}}, %[[FACTOR]] : f32
// CHECK: arith.addf
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: tensor.insert %[[SCALE]]
func.func @quantize(%x: tensor<?x64xf32>, %c: tensor<?x64xi8>, %s: tensor<?xf32>) -> (tensor<?x64xi8>, tensor<?xf32>) {
  %r:2 = cheems.quantize_entries ins(%x : tensor<?x64xf32>) outs(%c, %s : tensor<?x64xi8>, tensor<?xf32>) -> tensor<?x64xi8>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x64xi8>, tensor<?xf32>
}

// CHECK-LABEL: @attention
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: %[[DOT:.*]] = scf.for {{.*}} -> (f32)
// CHECK: arith.sitofp %{{.*}} : i8 to f32
// CHECK: %[[KEY:.*]] = tensor.extract %arg4
// CHECK: arith.mulf %[[DOT]], %[[KEY]] : f32
// CHECK: math.exp
// CHECK: %[[E:.*]] = arith.select
// CHECK: arith.addf %{{.*}}, %[[E]] : f32
// CHECK: %[[VALUE:.*]] = tensor.extract %arg5
// CHECK: %[[WEIGHT:.*]] = arith.mulf %[[E]], %[[VALUE]] : f32
// CHECK: arith.mulf %[[WEIGHT]], %{{.*}} : f32
func.func @attention(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xi8>, %mask: tensor<1x?xf32>, %first: index, %ks: tensor<1x?xf32>, %vs: tensor<1x?xf32>, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %first : tensor<?x2x8xf32>, tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<1x?xf32>, index) scales(%ks, %vs : tensor<1x?xf32>, tensor<1x?xf32>) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}

// CHECK-LABEL: @update
// CHECK-COUNT-2: tensor.insert %{{.*}} : tensor<1x9x8xi8>
// CHECK: tensor.insert %{{.*}} : tensor<1x9xf32>
// CHECK: tensor.insert %{{.*}} : tensor<1x9xi32>
// CHECK-COUNT-2: tensor.insert %{{.*}} : tensor<1x9xf32>
func.func @update(%t: tensor<1xf32>, %l: tensor<1xi32>, %n: index, %k: tensor<1x9x8xi8>, %v: tensor<1x9x8xi8>, %m: tensor<1x9xf32>, %p: tensor<1x9xi32>, %ks: tensor<1x9xf32>, %vs: tensor<1x9xf32>) -> tensor<1x9xf32> {
  %r:6 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<1xf32>, tensor<1xi32>, index, index) outs(%k, %v, %m, %p : tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, tensor<1x9xi32>) scales(%ks, %vs : tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, tensor<1x9xi32>, tensor<1x9xf32>, tensor<1x9xf32>
  return %r#5 : tensor<1x9xf32>
}

// CHECK-LABEL: @append
// CHECK: scf.if %{{.*}} -> (tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<2x?xf32>, tensor<1x?xf32>, tensor<1x?xf32>, index)
// CHECK-COUNT-2: arith.trunci %{{.*}} : i32 to i8
func.func @append(%key: tensor<?x8xf32>, %mask: tensor<?x2xf32>, %n: index, %k: tensor<1x?x8xi8>, %v: tensor<1x?x8xi8>, %m: tensor<2x?xf32>, %seen: tensor<?xi32>, %ks: tensor<1x?xf32>, %vs: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %u:6 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x2xf32>, index) outs(%k, %v, %m, %seen : tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<2x?xf32>, tensor<?xi32>) scales(%ks, %vs : tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?x8xi8>, tensor<1x?x8xi8>, tensor<2x?xf32>, tensor<?xi32>, tensor<1x?xf32>, tensor<1x?xf32>
  return %u#4 : tensor<1x?xf32>
}
