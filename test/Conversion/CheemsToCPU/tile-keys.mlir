// Attention in blocks of rows, and of keys in splits. In the form that the importer writes, inside a parallel loop over segments and heads,
// the blocks stay in place through the whole pipeline: scratch is static, and nothing is copied.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-tile-keys),canonicalize,cse)' --split-input-file | FileCheck %s
// RUN: sed 's/rows = 64, keys = 64/rows = 2, keys = 3/' %s | cheems-opt --pass-pipeline='builtin.module(func.func(cheems-tile-keys),canonicalize,cse)' --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: cheems-opt %s --cheems-fast=to=planned --split-input-file | FileCheck %s --check-prefix=BUFFER --implicit-check-not=memref.alloc --implicit-check-not=memref.copy

// One row of a static count needs no loop over rows.
// CHECK-LABEL: @decode
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[BLOCK:.*]] = arith.constant 64 : index
// CHECK: %[[END:.*]] = arith.addi %arg3, %{{.*}} : index
// CHECK: %[[M0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<1x2xf32>)
// CHECK: %[[S0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<1x2xf32>)
// CHECK: %[[Y0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%arg4 : tensor<1x2x8xf32>)
// CHECK: %[[B0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<1x2xf32>)
// CHECK: %[[R:.*]]:6 = scf.for %[[FROM:.*]] = %[[ZERO]] to %[[END]] step %[[BLOCK]] iter_args(%[[M:.*]] = %[[M0]], %[[S:.*]] = %[[S0]], %[[Y:.*]] = %[[Y0]], %[[B:.*]] = %[[B0]], %[[T:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}})
// A split begins where as many low bits of the block's number are zero as its exponent is above 4.
// CHECK: %[[NUMBER:.*]] = arith.divui %[[FROM]], %[[BLOCK]]
// CHECK: %[[ZEROS:.*]] = math.ctlz
// CHECK: %[[ABOVE:.*]] = arith.subi %c59_i64, %[[ZEROS]] : i64
// CHECK: %[[LOW:.*]] = arith.maxsi %[[ABOVE]], %c0_i64 : i64
// CHECK: %[[SHIFT:.*]] = arith.index_cast %[[LOW]] : i64 to index
// CHECK: %[[HIGH:.*]] = arith.shrui %[[NUMBER]], %[[SHIFT]]
// CHECK: %[[START:.*]] = arith.shli %[[HIGH]], %[[SHIFT]]
// CHECK: %[[BEGINS:.*]] = arith.cmpi eq, %[[START]], %[[NUMBER]]
// CHECK: %[[FIRST:.*]] = arith.cmpi ne, %[[NUMBER]], %[[ZERO]]
// CHECK: %[[LATER:.*]] = arith.andi %[[BEGINS]], %[[FIRST]]
// CHECK: %[[N:.*]]:6 = scf.if %[[LATER]]
// CHECK-NEXT: %[[BOTH:.*]]:3 = cheems_cpu.merge_attention ins(%[[M]], %[[S]], %[[Y]] : {{.*}}) outs(%[[B]], %[[T]], %[[Z]] :
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[M]] :
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[S]] :
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[Y]] :
// CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[BOTH]]#0, %[[BOTH]]#1, %[[BOTH]]#2
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[M]], %[[S]], %[[Y]], %[[B]], %[[T]], %[[Z]]
// CHECK: %[[J:.*]] = affine.min #{{.*}}(%[[FROM]])[%[[END]]]
// CHECK: %[[K:.*]] = tensor.extract_slice %arg1[0, %[[FROM]], 0] [1, %[[J]], 8] [1, 1, 1] : tensor<1x?x8xf32> to tensor<1x?x8xf32>
// CHECK: %[[MASK:.*]] = tensor.extract_slice %arg2[0, %[[FROM]]] [1, %[[J]]] [1, 1]
// CHECK: cheems_cpu.online_attention bias scale 5.000000e-01 ins(%arg0, %[[K]], %{{.*}}, %[[MASK]], %arg3, %[[FROM]] :
// CHECK-SAME: outs(%[[N]]#0, %[[N]]#1, %[[N]]#2 :
// CHECK: %[[ALL:.*]]:3 = cheems_cpu.merge_attention ins(%[[R]]#3, %[[R]]#4, %[[R]]#5 : {{.*}}) outs(%[[R]]#0, %[[R]]#1, %[[R]]#2 :
// CHECK: linalg.generic {{.*}} ins(%[[ALL]]#1 : tensor<1x2xf32>) outs(%[[ALL]]#2 : tensor<1x2x8xf32>)
// CHECK: arith.divf
// BUFFER-LABEL: @decode
// SMALL-LABEL: @decode
// doc: func.func(cheems-tile-keys),canonicalize,cse
func.func @decode(%q: tensor<1x2x8xf32>, %k: tensor<1x?x8xf32>, %mask: tensor<1x?xf32>, %first: index, %y: tensor<1x2x8xf32>) -> tensor<1x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 64, keys = 64>} ins(%q, %k, %k, %mask, %first : tensor<1x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?xf32>, index) outs(%y : tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return %r : tensor<1x2x8xf32>
}
// doc-end

// -----

// More rows than a block: entries end where the block's last row sees none further. With `seen` that is its last count.
// CHECK-LABEL: @rows
// CHECK-NOT: scf.for {{.*}} step %{{.*}} iter_args(%{{.*}} = %arg4)
// CHECK: cheems_cpu.online_attention
// SMALL-LABEL: @rows
// SMALL: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %arg5)
// SMALL-DAG: %[[SEEN:.*]] = tensor.extract_slice %arg4[%[[I]]] [%[[N:.*]]] [1]
// SMALL-DAG: %[[FIRST:.*]] = affine.apply {{.*}}()[%arg3, %[[I]]]
// SMALL: %[[LAST:.*]] = tensor.extract %[[SEEN]][%{{.*}}] : tensor<?xi32>
// SMALL: %[[END:.*]] = arith.index_cast %[[LAST]] : i32 to index
// SMALL: bufferization.alloc_tensor() : tensor<2x2xf32>
// SMALL: bufferization.alloc_tensor() : tensor<2x2xf32>
// SMALL: scf.for %[[FROM:.*]] = %{{.*}} to %[[END]] step
// SMALL: cheems_cpu.online_attention threshold scale 5.000000e-01 hide_below 1.000000e+00 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]], %[[FROM]] :
// SMALL-SAME: seen(%[[SEEN]] : tensor<?xi32>)
func.func @rows(%q: tensor<5x2x8xf32>, %k: tensor<1x?x8xf32>, %mask: tensor<2x?xf32>, %first: index, %s: tensor<5xi32>, %y: tensor<5x2x8xf32>) -> tensor<5x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 64, keys = 64>} ins(%q, %k, %k, %mask, %first : tensor<5x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<2x?xf32>, index) seen(%s : tensor<5xi32>) outs(%y : tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  return %r : tensor<5x2x8xf32>
}

// -----

// Rows of a segment, state of a slot. The kernel's scratch is the worker's.
// CHECK-LABEL: @segments
// CHECK: scf.forall
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<?x2x8xf32>)
// CHECK: bufferization.alloc_tensor() : tensor<64x2xf32>
// CHECK: bufferization.alloc_tensor() : tensor<64x2xf32>
// BUFFER-LABEL: @segments
// BUFFER-SAME: cheems_cpu.workspace = array<i64: 0, 0, {{[1-9][0-9]*}}>
// BUFFER: scf.forall
// BUFFER: cheems_cpu.worker
// BUFFER: memref.view %{{.*}} : memref<?xi8> to memref<64x2xf32>
// BUFFER: math.exp
func.func @segments(%qb: memref<?x4x8xf32>, %kb: memref<?x2x?x8xbf16>, %vb: memref<?x2x?x8xbf16>, %mb: memref<?x2x?xf32>, %table: memref<?x4xindex>, %yb: memref<?x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %q = bufferization.to_tensor %qb restrict : memref<?x4x8xf32> to tensor<?x4x8xf32>
  %keys = bufferization.to_tensor %kb restrict writable : memref<?x2x?x8xbf16> to tensor<?x2x?x8xbf16>
  %values = bufferization.to_tensor %vb restrict writable : memref<?x2x?x8xbf16> to tensor<?x2x?x8xbf16>
  %masks = bufferization.to_tensor %mb restrict writable : memref<?x2x?xf32> to tensor<?x2x?xf32>
  %y = bufferization.to_tensor %yb restrict writable : memref<?x4x8xf32> to tensor<?x4x8xf32>
  %segs = bufferization.to_tensor %table restrict : memref<?x4xindex> to tensor<?x4xindex>
  %n = tensor.dim %segs, %c0 : tensor<?x4xindex>
  %r:4 = scf.forall (%i, %h) in (%n, 2) shared_outs(%out = %y, %ks = %keys, %vs = %values, %ms = %masks) -> (tensor<?x4x8xf32>, tensor<?x2x?x8xbf16>, tensor<?x2x?x8xbf16>, tensor<?x2x?xf32>) {
    %slot = tensor.extract %segs[%i, %c0] : tensor<?x4xindex>
    %start = tensor.extract %segs[%i, %c1] : tensor<?x4xindex>
    %length = tensor.extract %segs[%i, %c2] : tensor<?x4xindex>
    %position = tensor.extract %segs[%i, %h] : tensor<?x4xindex>
    %capacity = tensor.dim %ks, %c2 : tensor<?x2x?x8xbf16>
    %head = arith.muli %h, %c2 : index
    %o = tensor.extract_slice %out[%start, %head, 0] [%length, 2, 8] [1, 1, 1] : tensor<?x4x8xf32> to tensor<?x2x8xf32>
    %k = tensor.extract_slice %ks[%slot, %h, 0, 0] [1, 1, %capacity, 8] [1, 1, 1, 1] : tensor<?x2x?x8xbf16> to tensor<1x?x8xbf16>
    %v = tensor.extract_slice %vs[%slot, %h, 0, 0] [1, 1, %capacity, 8] [1, 1, 1, 1] : tensor<?x2x?x8xbf16> to tensor<1x?x8xbf16>
    %m = tensor.extract_slice %ms[%slot, %h, 0] [1, 1, %capacity] [1, 1, 1] : tensor<?x2x?xf32> to tensor<1x?xf32>
    %rows = tensor.extract_slice %q[%start, %head, 0] [%length, 2, 8] [1, 1, 1] : tensor<?x4x8xf32> to tensor<?x2x8xf32>
    %place = tensor.extract_slice %m[0, %position] [1, %length] [1, 1] : tensor<1x?xf32> to tensor<1x?xf32>
    %one = arith.constant 1.0 : f32
    %new = linalg.fill ins(%one : f32) outs(%place : tensor<1x?xf32>) -> tensor<1x?xf32>
    %m1 = tensor.insert_slice %new into %m[0, %position] [1, %length] [1, 1] : tensor<1x?xf32> into tensor<1x?xf32>
    %a = cheems_cpu.dynamic_mask_attention bias scale 0.5 {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 64, keys = 64>} ins(%rows, %k, %v, %m1, %position : tensor<?x2x8xf32>, tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<1x?xf32>, index) outs(%o : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %a into %out[%start, %head, 0] [%length, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> into tensor<?x4x8xf32>
      tensor.parallel_insert_slice %k into %ks[%slot, %h, 0, 0] [1, 1, %capacity, 8] [1, 1, 1, 1] : tensor<1x?x8xbf16> into tensor<?x2x?x8xbf16>
      tensor.parallel_insert_slice %v into %vs[%slot, %h, 0, 0] [1, 1, %capacity, 8] [1, 1, 1, 1] : tensor<1x?x8xbf16> into tensor<?x2x?x8xbf16>
      tensor.parallel_insert_slice %m1 into %ms[%slot, %h, 0] [1, 1, %capacity] [1, 1, 1] : tensor<1x?xf32> into tensor<?x2x?xf32>
    }
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %yb : (tensor<?x4x8xf32>, memref<?x4x8xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %kb : (tensor<?x2x?x8xbf16>, memref<?x2x?x8xbf16>) -> ()
  bufferization.materialize_in_destination %r#2 in restrict writable %vb : (tensor<?x2x?x8xbf16>, memref<?x2x?x8xbf16>) -> ()
  bufferization.materialize_in_destination %r#3 in restrict writable %mb : (tensor<?x2x?xf32>, memref<?x2x?xf32>) -> ()
  return
}

// -----

// With a window: blocks of rows in iter_args, thresholds in static scratch, kept entries moved after each block.
// CHECK-LABEL: @windowed
// CHECK: cheems_cpu.online_attention bias {{.*}} kept(
// BUFFER-LABEL: @windowed
// BUFFER: scf.forall
// BUFFER: math.exp
func.func @windowed(%qb: memref<?x2x8xf32>, %kb: memref<?x?x8xbf16>, %vb: memref<?x?x8xbf16>, %mb: memref<?x?xf32>, %pb: memref<?x?xi32>, %yb: memref<?x2x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %q = bufferization.to_tensor %qb restrict : memref<?x2x8xf32> to tensor<?x2x8xf32>
  %keys = bufferization.to_tensor %kb restrict writable : memref<?x?x8xbf16> to tensor<?x?x8xbf16>
  %values = bufferization.to_tensor %vb restrict writable : memref<?x?x8xbf16> to tensor<?x?x8xbf16>
  %masks = bufferization.to_tensor %mb restrict writable : memref<?x?xf32> to tensor<?x?xf32>
  %positions = bufferization.to_tensor %pb restrict writable : memref<?x?xi32> to tensor<?x?xi32>
  %y = bufferization.to_tensor %yb restrict writable : memref<?x2x8xf32> to tensor<?x2x8xf32>
  %length = tensor.dim %q, %c0 : tensor<?x2x8xf32>
  %r:5 = scf.forall (%i) in (%n) shared_outs(%out = %y, %ks = %keys, %vs = %values, %ms = %masks, %ps = %positions) -> (tensor<?x2x8xf32>, tensor<?x?x8xbf16>, tensor<?x?x8xbf16>, tensor<?x?xf32>, tensor<?x?xi32>) {
    %capacity = tensor.dim %ks, %c1 : tensor<?x?x8xbf16>
    %o = tensor.extract_slice %out[%i, 0, 0] [%length, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<?x2x8xf32>
    %k = tensor.extract_slice %ks[%i, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<?x?x8xbf16> to tensor<1x?x8xbf16>
    %v = tensor.extract_slice %vs[%i, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<?x?x8xbf16> to tensor<1x?x8xbf16>
    %m = tensor.extract_slice %ms[%i, 0] [1, %capacity] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    %p = tensor.extract_slice %ps[%i, 0] [1, %capacity] [1, 1] : tensor<?x?xi32> to tensor<1x?xi32>
    %b:5 = scf.for %at = %c0 to %length step %c64 iter_args(%oo = %o, %kk = %k, %vv = %v, %mm = %m, %pp = %p) -> (tensor<?x2x8xf32>, tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<1x?xf32>, tensor<1x?xi32>) {
      %left = arith.subi %length, %at : index
      %count = arith.minui %c64, %left : index
      %first = arith.minui %at, %c16 : index
      %rows = tensor.extract_slice %q[%at, 0, 0] [%count, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<?x2x8xf32>
      %to = tensor.extract_slice %oo[%at, 0, 0] [%count, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> to tensor<?x2x8xf32>
      %e0 = tensor.empty() : tensor<64x1xf32>
      %e1 = tensor.empty() : tensor<64x1xi32>
      %t0 = tensor.extract_slice %e0[0, 0] [%count, 1] [1, 1] : tensor<64x1xf32> to tensor<?x1xf32>
      %l0 = tensor.extract_slice %e1[0, 0] [%count, 1] [1, 1] : tensor<64x1xi32> to tensor<?x1xi32>
      %t:2 = cheems_cpu.keep_threshold keep 16 ins(%mm, %pp, %first : tensor<1x?xf32>, tensor<1x?xi32>, index) outs(%t0, %l0 : tensor<?x1xf32>, tensor<?x1xi32>) -> tensor<?x1xf32>, tensor<?x1xi32>
      %a = cheems_cpu.dynamic_mask_attention bias scale 0.5 {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 64, keys = 64>} ins(%rows, %kk, %vv, %mm, %first : tensor<?x2x8xf32>, tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<1x?xf32>, index) kept(%pp, %t#0, %t#1 : tensor<1x?xi32>, tensor<?x1xf32>, tensor<?x1xi32>) outs(%to : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
      %end = arith.subi %count, %c1 : index
      %tl = tensor.extract_slice %t#0[%end, 0] [1, 1] [1, 1] : tensor<?x1xf32> to tensor<1xf32>
      %ll = tensor.extract_slice %t#1[%end, 0] [1, 1] [1, 1] : tensor<?x1xi32> to tensor<1xi32>
      %u:4 = cheems_cpu.keep_update keep 16 ins(%tl, %ll, %first, %count : tensor<1xf32>, tensor<1xi32>, index, index) outs(%kk, %vv, %mm, %pp : tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<1x?xf32>, tensor<1x?xi32>) -> tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<1x?xf32>, tensor<1x?xi32>
      %back = tensor.insert_slice %a into %oo[%at, 0, 0] [%count, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> into tensor<?x2x8xf32>
      scf.yield %back, %u#0, %u#1, %u#2, %u#3 : tensor<?x2x8xf32>, tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<1x?xf32>, tensor<1x?xi32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b#0 into %out[%i, 0, 0] [%length, 2, 8] [1, 1, 1] : tensor<?x2x8xf32> into tensor<?x2x8xf32>
      tensor.parallel_insert_slice %b#1 into %ks[%i, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<1x?x8xbf16> into tensor<?x?x8xbf16>
      tensor.parallel_insert_slice %b#2 into %vs[%i, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<1x?x8xbf16> into tensor<?x?x8xbf16>
      tensor.parallel_insert_slice %b#3 into %ms[%i, 0] [1, %capacity] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
      tensor.parallel_insert_slice %b#4 into %ps[%i, 0] [1, %capacity] [1, 1] : tensor<1x?xi32> into tensor<?x?xi32>
    }
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %yb : (tensor<?x2x8xf32>, memref<?x2x8xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %kb : (tensor<?x?x8xbf16>, memref<?x?x8xbf16>) -> ()
  bufferization.materialize_in_destination %r#2 in restrict writable %vb : (tensor<?x?x8xbf16>, memref<?x?x8xbf16>) -> ()
  bufferization.materialize_in_destination %r#3 in restrict writable %mb : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
  bufferization.materialize_in_destination %r#4 in restrict writable %pb : (tensor<?x?xi32>, memref<?x?xi32>) -> ()
  return
}
