// The forms of generated IR that bufferise in place: Cheems' own pass list leaves nothing to allocate or copy, and the
// check passes. pool-pitfalls.mlir has the forms that cost a copy.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems-fast{from=tiled to=planned},func.func(convert-linalg-to-loops),cheems-check-kernels)' --split-input-file | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.copy
// The three passes before bufferisation are needed: CSE and the elimination of empty tensors, then cheems-own-inits after CSE.
// RUN: cheems-opt %s --split-input-file --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},canonicalize,cse,canonicalize)' | FileCheck %s --check-prefix=PLAIN
// RUN: cheems-opt %s --split-input-file --pass-pipeline='builtin.module(cse,eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},canonicalize,cse,canonicalize)' | FileCheck %s --check-prefix=SHARED

// A slot is read from shared_outs and inserted at the same value.
// CHECK-LABEL: @slot
func.func @slot(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %p[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %h1 = linalg.add ins(%h, %h : tensor<64xf32>, tensor<64xf32>) outs(%h : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %h1 into %p[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// The slot is loaded twice: CSE makes it one value again.
// CHECK-LABEL: @slot_loaded_twice
// PLAIN-LABEL: @slot_loaded_twice
// PLAIN: memref.copy
func.func @slot_loaded_twice(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %p[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %h1 = linalg.add ins(%h, %h : tensor<64xf32>, tensor<64xf32>) outs(%h : tensor<64xf32>) -> tensor<64xf32>
    %a2 = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot2 = arith.index_cast %a2 : i32 to index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %h1 into %p[%slot2, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// A fresh sequence zeroes its state with scf.if.
// CHECK-LABEL: @fresh
func.func @fresh(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %p[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %fresh = arith.cmpi eq, %slot, %c0 : index
    %zero = arith.constant 0.0 : f32
    %z = scf.if %fresh -> (tensor<64xf32>) {
      %f = linalg.fill ins(%zero : f32) outs(%h : tensor<64xf32>) -> tensor<64xf32>
      scf.yield %f : tensor<64xf32>
    } else {
      scf.yield %h : tensor<64xf32>
    }
    %h1 = linalg.add ins(%z, %z : tensor<64xf32>, tensor<64xf32>) outs(%z : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %h1 into %p[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// Keys are appended to the whole slot, then read up to a dynamic length.
// CHECK-LABEL: @append
func.func @append(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %p[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %one = arith.constant 1.0 : f32
    %new = tensor.extract_slice %h[%s] [%slot] [1] : tensor<64xf32> to tensor<?xf32>
    %keys = linalg.fill ins(%one : f32) outs(%new : tensor<?xf32>) -> tensor<?xf32>
    %h0 = tensor.insert_slice %keys into %h[%s] [%slot] [1] : tensor<?xf32> into tensor<64xf32>
    %h1 = linalg.add ins(%h0, %h0 : tensor<64xf32>, tensor<64xf32>) outs(%h0 : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %h1 into %p[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// A result computed into tensor.empty and then inserted: the empty tensor becomes the slice.
// CHECK-LABEL: @computed_then_inserted
// PLAIN-LABEL: @computed_then_inserted
// PLAIN: memref.copy
func.func @computed_then_inserted(%xb: memref<?x64xf32>, %b: memref<?x64xf32>, %slot: index) {
  %c0 = arith.constant 0 : index
  %x = bufferization.to_tensor %xb restrict : memref<?x64xf32> to tensor<?x64xf32>
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %y = linalg.add ins(%x, %x : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = tensor.insert_slice %y into %pool[%slot, 0] [%n, 64] [1, 1] : tensor<?x64xf32> into tensor<?x64xf32>
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// A layer that adds its result to its rows: one buffer through all layers; CSE may merge the fills of two matmuls.
// CHECK-LABEL: func.func private @layer
// SHARED-LABEL: func.func private @layer
// SHARED: memref.copy
// CHECK-LABEL: @residual
func.func private @layer(%x: tensor<?x8xf32>, %u: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%n) : tensor<?x8xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %u : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %e1 = tensor.empty(%n) : tensor<?x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %q = linalg.matmul ins(%x, %v : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = linalg.mul ins(%p, %q : tensor<?x8xf32>, tensor<?x8xf32>) outs(%p : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.add ins(%x, %m : tensor<?x8xf32>, tensor<?x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
func.func @residual(%xb: memref<?x8xf32>, %ub: memref<8x8xf32>, %vb: memref<8x8xf32>) {
  %x = bufferization.to_tensor %xb restrict writable : memref<?x8xf32> to tensor<?x8xf32>
  %u = bufferization.to_tensor %ub restrict : memref<8x8xf32> to tensor<8x8xf32>
  %v = bufferization.to_tensor %vb restrict : memref<8x8xf32> to tensor<8x8xf32>
  %a = call @layer(%x, %u, %v) : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %b = call @layer(%a, %v, %u) : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %s = linalg.mul ins(%b, %b : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = linalg.add ins(%b, %s : tensor<?x8xf32>, tensor<?x8xf32>) outs(%b : tensor<?x8xf32>) -> tensor<?x8xf32>
  bufferization.materialize_in_destination %t in restrict writable %xb : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
  return
}
