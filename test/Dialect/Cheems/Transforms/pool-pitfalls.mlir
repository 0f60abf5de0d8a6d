// Forms of generated IR that cost a copy of a pool or of rows: each is refused.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems-fast{from=tiled to=planned},func.func(convert-linalg-to-loops),cheems-check-kernels)' --split-input-file --verify-diagnostics

// The body reads the pool from outside, not through shared_outs.
func.func @outer_pool(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x64xf32>'}}
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %pool[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %h1 = linalg.add ins(%h, %h : tensor<64xf32>, tensor<64xf32>) outs(%h : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      // expected-error@below {{a step may not copy a buffer of type 'memref<64xf32>'}}
      tensor.parallel_insert_slice %h1 into %p[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x64xf32>'}}
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// The old pool is read after the new one exists.
func.func @old_pool(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x64xf32>'}}
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %p[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %h1 = linalg.add ins(%h, %h : tensor<64xf32>, tensor<64xf32>) outs(%h : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %h1 into %p[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  %old = tensor.extract %pool[%c0, %c0] : tensor<?x64xf32>
  memref.store %old, %b[%c0, %n] : memref<?x64xf32>
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x64xf32>'}}
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// A pool that is not writable.
func.func @read_only_pool(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x64xf32>'}}
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %p[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %h1 = linalg.add ins(%h, %h : tensor<64xf32>, tensor<64xf32>) outs(%h : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %h1 into %p[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x64xf32>'}}
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// arith.select on tensors.
func.func @selected(%segments: memref<?x4xi32>, %b: memref<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pool = bufferization.to_tensor %b restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %segs = bufferization.to_tensor %segments restrict : memref<?x4xi32> to tensor<?x4xi32>
  %r = scf.forall (%s) in (%n) shared_outs(%p = %pool) -> (tensor<?x64xf32>) {
    %a = tensor.extract %segs[%s, %c0] : tensor<?x4xi32>
    %slot = arith.index_cast %a : i32 to index
    %h = tensor.extract_slice %p[%slot, 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
    %fresh = arith.cmpi eq, %slot, %c0 : index
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %z = arith.select %fresh, %f, %h : tensor<64xf32>
    %h1 = linalg.add ins(%z, %z : tensor<64xf32>, tensor<64xf32>) outs(%z : tensor<64xf32>) -> tensor<64xf32>
    scf.forall.in_parallel {
      // expected-error@below {{a step may not copy a buffer of type 'memref<64xf32, strided<[?], offset: ?>>'}}
      tensor.parallel_insert_slice %h1 into %p[%slot, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<?x64xf32>
    }
  }
  bufferization.materialize_in_destination %r in restrict writable %b : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}

// -----

// A layer that returns rows of its own instead of writing into a destination.
func.func private @layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @own_rows(%xb: memref<?x8xf32>, %wb: memref<8x8xf32>, %ob: memref<?x8xf32>) {
  %x = bufferization.to_tensor %xb restrict : memref<?x8xf32> to tensor<?x8xf32>
  %w = bufferization.to_tensor %wb restrict : memref<8x8xf32> to tensor<8x8xf32>
  %a = call @layer(%x, %w) : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %s = linalg.mul ins(%x, %a : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = linalg.add ins(%s, %a : tensor<?x8xf32>, tensor<?x8xf32>) outs(%a : tensor<?x8xf32>) -> tensor<?x8xf32>
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x8xf32>'}}
  bufferization.materialize_in_destination %t in restrict writable %ob : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
  return
}

// -----

// One tensor as input and as destination of a call.
func.func private @layer(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @in_and_out(%xb: memref<?x8xf32>, %wb: memref<8x8xf32>) {
  %x = bufferization.to_tensor %xb restrict writable : memref<?x8xf32> to tensor<?x8xf32>
  %w = bufferization.to_tensor %wb restrict : memref<8x8xf32> to tensor<8x8xf32>
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x8xf32>'}}
  %a = call @layer(%x, %w, %x) : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // expected-error@below {{a step may not copy a buffer of type 'memref<?x8xf32>'}}
  bufferization.materialize_in_destination %a in restrict writable %xb : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
  return
}
