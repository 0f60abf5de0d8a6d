// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-name-loops))' | FileCheck %s

// A loop is named for the ops of the dialect inside; of a matmul the whole weight's shape tells which it is.
// CHECK-LABEL: func.func @product
// CHECK: cheems_cpu.linear
// CHECK: {cheems_cpu.name = "linear 32x8"}
// doc: func.func(cheems-name-loops)
func.func @product(%x: tensor<?x8xf32>, %w: tensor<2x8x16x1xf32>, %y: tensor<?x32xf32>, %n: index) -> tensor<?x32xf32> {
  %r = scf.forall (%i) = (0) to (32) step (16) shared_outs(%o = %y) -> (tensor<?x32xf32>) {
    %p = affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%i)
    %panel = tensor.extract_slice %w[%p, 0, 0, 0] [1, 8, 16, 1] [1, 1, 1, 1] : tensor<2x8x16x1xf32> to tensor<1x8x16x1xf32>
    %out = tensor.extract_slice %o[0, %i] [%n, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
    %z = cheems_cpu.linear ins(%x : tensor<?x8xf32>) weights(%panel : tensor<1x8x16x1xf32>)
      outs(%out : tensor<?x16xf32>) -> tensor<?x16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %z into %o[0, %i] [%n, 16] [1, 1] : tensor<?x16xf32> into tensor<?x32xf32>
    }
  }
  return %r : tensor<?x32xf32>
}
// doc-end

// Each op once, in order; structured ops beside them do not count.
// CHECK-LABEL: func.func @several
// CHECK: {cheems_cpu.name = "rms_norm"}
func.func @several(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4x8xf32>) {
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
    %c = linalg.copy ins(%row : tensor<1x8xf32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
    %a = cheems.rms_norm epsilon 0.5 ins(%c, %w : tensor<1x8xf32>, tensor<8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
    %b = cheems.rms_norm epsilon 0.5 ins(%a, %w : tensor<1x8xf32>, tensor<8xf32>) outs(%row : tensor<1x8xf32>) -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// Without any, for the structured ops.
#same = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @upstream
// CHECK: {cheems_cpu.name = "exp+elementwise"}
func.func @upstream(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4x8xf32>) {
    %in = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %e = tensor.empty() : tensor<1x8xf32>
    %c = linalg.exp ins(%in : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
    %d = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%c : tensor<1x8xf32>) outs(%row : tensor<1x8xf32>) {
    ^bb0(%v: f32, %_: f32):
      %s = arith.addf %v, %v : f32
      linalg.yield %s : f32
    } -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %d into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// Where the ops say what they came from, so does the loop: each part once, without the place that the part before is in, and without
// what only holds another part.
// CHECK-LABEL: func.func @parts
// CHECK: {cheems_cpu.name = "rms_norm (ssd.c_proj, b_proj, pre_norm)"}
func.func @parts(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4x8xf32>) {
    %row = tensor.extract_slice %o[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %e = tensor.empty() : tensor<1x8xf32>
    %a = cheems.rms_norm epsilon 0.5 ins(%row, %w : tensor<1x8xf32>, tensor<8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32> loc(fused["ssd.c_proj", "ssd", "ssd.b_proj"])
    %b = cheems.rms_norm epsilon 0.5 ins(%a, %w : tensor<1x8xf32>, tensor<8xf32>) outs(%row : tensor<1x8xf32>) -> tensor<1x8xf32> loc(fused["pre_norm", "ssd.c_proj"])
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @nothing
// CHECK-NOT: cheems_cpu.name
func.func @nothing(%x: memref<?xindex>, %n: index) {
  scf.forall (%i) in (%n) {
    memref.store %i, %x[%i] : memref<?xindex>
  }
  return
}
