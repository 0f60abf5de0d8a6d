// An ssd becomes a loop of ssd_chunk that carries the state; few static rows are one chunk.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-tile-chunks),canonicalize)' | FileCheck %s
// Over segments and heads, with the state in a slice of a pool, all stays in place: what is allocated is scratch of a chunk.
// RUN: cheems-opt %s --cheems-fast=to=planned | FileCheck %s --check-prefix=PLACE --implicit-check-not=memref.alloc --implicit-check-not=memref.copy
// Plain loops are made, too.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose),cheems-fast{from=tiled to=planned lanes=8})' | FileCheck %s --check-prefix=LOOPS --implicit-check-not=memref.alloc --implicit-check-not=memref.copy

// CHECK-LABEL: @sequence
// CHECK: %[[T:.*]] = tensor.dim %arg0
// CHECK: scf.for %[[I:.*]] = %c0 to %[[T]] step %c16 iter_args(%[[Y:.*]] = %arg4, %[[H:.*]] = %arg5)
// CHECK: %[[N:.*]] = affine.min {{.*}}(%[[I]])[%[[T]]]
// CHECK: %[[O:.*]] = tensor.extract_slice %[[Y]][%[[I]], 0, 0] [%[[N]], 1, 8] [1, 1, 1]
// CHECK: %[[R:.*]]:2 = cheems_cpu.ssd_chunk ins({{.*}}) outs(%[[O]], %[[H]] : tensor<?x1x8xf32>, tensor<1x6x8xf32>)
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[R]]#0 into %[[Y]]
// CHECK: scf.yield %[[NEXT]], %[[R]]#1
// doc: func.func(cheems-tile-chunks),canonicalize
func.func @sequence(%x: tensor<?x1x8xf32>, %dt: tensor<?x1xf32>, %a: tensor<1xf32>, %b: tensor<?x1x6xf32>, %y: tensor<?x1x8xf32>, %h: tensor<1x6x8xf32>) -> (tensor<?x1x8xf32>, tensor<1x6x8xf32>) {
  %r:2 = cheems_cpu.ssd {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 16>} ins(%x, %dt, %a, %b, %b : tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
                    outs(%y, %h : tensor<?x1x8xf32>, tensor<1x6x8xf32>) -> tensor<?x1x8xf32>, tensor<1x6x8xf32>
  return %r#0, %r#1 : tensor<?x1x8xf32>, tensor<1x6x8xf32>
}
// doc-end

// CHECK-LABEL: @decode
// CHECK-NOT: scf.for
// CHECK: cheems_cpu.ssd_chunk allow_bf16 ins(%arg0, %arg1, %arg2, %arg3, %arg3 : {{.*}}) outs(%arg4, %arg5 : tensor<1x1x8xf32>, tensor<1x6x8xf32>)
func.func @decode(%x: tensor<1x1x8xf32>, %dt: tensor<1x1xf32>, %a: tensor<1xf32>, %b: tensor<1x1x6xf32>, %y: tensor<1x1x8xf32>, %h: tensor<1x6x8xf32>) -> (tensor<1x1x8xf32>, tensor<1x6x8xf32>) {
  %r:2 = cheems_cpu.ssd allow_bf16 {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 16>} ins(%x, %dt, %a, %b, %b : tensor<1x1x8xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1x1x6xf32>, tensor<1x1x6xf32>)
                    outs(%y, %h : tensor<1x1x8xf32>, tensor<1x6x8xf32>) -> tensor<1x1x8xf32>, tensor<1x6x8xf32>
  return %r#0, %r#1 : tensor<1x1x8xf32>, tensor<1x6x8xf32>
}

// CHECK-LABEL: @few
// CHECK-NOT: scf.for
// CHECK: cheems_cpu.ssd_chunk
func.func @few(%x: tensor<16x1x8xf32>, %dt: tensor<16x1xf32>, %a: tensor<1xf32>, %b: tensor<16x1x6xf32>, %y: tensor<16x1x8xf32>, %h: tensor<1x6x8xf32>) -> (tensor<16x1x8xf32>, tensor<1x6x8xf32>) {
  %r:2 = cheems_cpu.ssd {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 16>} ins(%x, %dt, %a, %b, %b : tensor<16x1x8xf32>, tensor<16x1xf32>, tensor<1xf32>, tensor<16x1x6xf32>, tensor<16x1x6xf32>)
                    outs(%y, %h : tensor<16x1x8xf32>, tensor<1x6x8xf32>) -> tensor<16x1x8xf32>, tensor<1x6x8xf32>
  return %r#0, %r#1 : tensor<16x1x8xf32>, tensor<1x6x8xf32>
}

// A segment's rows [start, start + length) of one head; its state is [slot, layer, head] of the pool, zero for a fresh sequence.
// CHECK-LABEL: @layer
// CHECK: scf.forall
// CHECK: scf.for {{.*}} iter_args
// CHECK: cheems_cpu.ssd_chunk
// PLACE-LABEL: func.func @layer
// PLACE-SAME: cheems_cpu.workspace = array<i64: 0, 0, {{[1-9][0-9]*}}>
// PLACE: scf.forall
// PLACE: memref.subview {{.*}} : memref<?x3x4x6x8xf32>
// PLACE: vector.fma
// LOOPS-LABEL: func.func @layer
// LOOPS-SAME: cheems_cpu.workspace = array<i64: 0, 0, 0>
func.func @layer(%segments: memref<?x3xi32>, %xb: memref<?x4x8xf32>, %dtb: memref<?x4xf32>, %ab: memref<4xf32>, %bb: memref<?x2x6xf32>, %cb: memref<?x2x6xf32>, %db: memref<4xf32>, %yb: memref<?x4x8xf32>, %poolb: memref<?x3x4x6x8xf32>, %layer: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %segs = bufferization.to_tensor %segments restrict : memref<?x3xi32> to tensor<?x3xi32>
  %x = bufferization.to_tensor %xb restrict : memref<?x4x8xf32> to tensor<?x4x8xf32>
  %dt = bufferization.to_tensor %dtb restrict : memref<?x4xf32> to tensor<?x4xf32>
  %a = bufferization.to_tensor %ab restrict : memref<4xf32> to tensor<4xf32>
  %b = bufferization.to_tensor %bb restrict : memref<?x2x6xf32> to tensor<?x2x6xf32>
  %c = bufferization.to_tensor %cb restrict : memref<?x2x6xf32> to tensor<?x2x6xf32>
  %d = bufferization.to_tensor %db restrict : memref<4xf32> to tensor<4xf32>
  %y = bufferization.to_tensor %yb restrict writable : memref<?x4x8xf32> to tensor<?x4x8xf32>
  %pool = bufferization.to_tensor %poolb restrict writable : memref<?x3x4x6x8xf32> to tensor<?x3x4x6x8xf32>
  %n = tensor.dim %segs, %c0 : tensor<?x3xi32>
  %out:2 = scf.forall (%s, %head) in (%n, 4) shared_outs(%ys = %y, %ps = %pool) -> (tensor<?x4x8xf32>, tensor<?x3x4x6x8xf32>) {
    %f0 = tensor.extract %segs[%s, %c0] : tensor<?x3xi32>
    %f1 = tensor.extract %segs[%s, %c1] : tensor<?x3xi32>
    %f2 = tensor.extract %segs[%s, %c2] : tensor<?x3xi32>
    %slot = arith.index_cast %f0 : i32 to index
    %start = arith.index_cast %f1 : i32 to index
    %length = arith.index_cast %f2 : i32 to index
    %group = affine.apply affine_map<(h) -> (h floordiv 2)>(%head)
    %xs = tensor.extract_slice %x[%start, %head, 0] [%length, 1, 8] [1, 1, 1] : tensor<?x4x8xf32> to tensor<?x1x8xf32>
    %dts = tensor.extract_slice %dt[%start, %head] [%length, 1] [1, 1] : tensor<?x4xf32> to tensor<?x1xf32>
    %as = tensor.extract_slice %a[%head] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %bs = tensor.extract_slice %b[%start, %group, 0] [%length, 1, 6] [1, 1, 1] : tensor<?x2x6xf32> to tensor<?x1x6xf32>
    %cs = tensor.extract_slice %c[%start, %group, 0] [%length, 1, 6] [1, 1, 1] : tensor<?x2x6xf32> to tensor<?x1x6xf32>
    %ds = tensor.extract_slice %d[%head] [1] [1] : tensor<4xf32> to tensor<1xf32>
    %yh = tensor.extract_slice %ys[%start, %head, 0] [%length, 1, 8] [1, 1, 1] : tensor<?x4x8xf32> to tensor<?x1x8xf32>
    %h = tensor.extract_slice %ps[%slot, %layer, %head, 0, 0] [1, 1, 1, 6, 8] [1, 1, 1, 1, 1] : tensor<?x3x4x6x8xf32> to tensor<1x6x8xf32>
    %fresh = arith.cmpi eq, %start, %c0 : index
    %before = scf.if %fresh -> (tensor<1x6x8xf32>) {
      %f = linalg.fill ins(%zero : f32) outs(%h : tensor<1x6x8xf32>) -> tensor<1x6x8xf32>
      scf.yield %f : tensor<1x6x8xf32>
    } else {
      scf.yield %h : tensor<1x6x8xf32>
    }
    %r:2 = cheems_cpu.ssd {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 16>} ins(%xs, %dts, %as, %bs, %cs : tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) skip(%ds : tensor<1xf32>)
                      outs(%yh, %before : tensor<?x1x8xf32>, tensor<1x6x8xf32>) -> tensor<?x1x8xf32>, tensor<1x6x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r#0 into %ys[%start, %head, 0] [%length, 1, 8] [1, 1, 1] : tensor<?x1x8xf32> into tensor<?x4x8xf32>
      tensor.parallel_insert_slice %r#1 into %ps[%slot, %layer, %head, 0, 0] [1, 1, 1, 6, 8] [1, 1, 1, 1, 1] : tensor<1x6x8xf32> into tensor<?x3x4x6x8xf32>
    }
  }
  bufferization.materialize_in_destination %out#0 in restrict writable %yb : (tensor<?x4x8xf32>, memref<?x4x8xf32>) -> ()
  bufferization.materialize_in_destination %out#1 in restrict writable %poolb : (tensor<?x3x4x6x8xf32>, memref<?x3x4x6x8xf32>) -> ()
  return
}
