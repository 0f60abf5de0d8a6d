// RUN: cheems-opt %s --cheems-check-kernels --split-input-file --verify-diagnostics | FileCheck %s

// What a step may do passes unchanged.
// CHECK-LABEL: @good
// CHECK: cheems.mark
// CHECK: cheems_cpu.worker
// doc: cheems-check-kernels
func.func private @cheems_parallel_for()
func.func private @layer(%x: f32) -> f32 {
  %r = math.sqrt %x : f32
  return %r : f32
}
func.func @good(%n: index, %workspace: memref<?xi8>, %x: f32, %v: vector<8xf64>) -> f32 {
  cheems.mark "layer 0"
  scf.forall (%i) in (%n) {
    %w = cheems_cpu.worker : index
    %scratch = memref.view %workspace[%w][] : memref<?xi8> to memref<8xf64>
    %f = math.fma %v, %v, %v : vector<8xf64>
    vector.store %f, %scratch[%w] : memref<8xf64>, vector<8xf64>
  }
  func.call @cheems_parallel_for() : () -> ()
  %r = func.call @layer(%x) : (f32) -> f32
  return %r : f32
}
// doc-end

// -----

func.func @allocates(%n: index) {
  // expected-error@below {{a step may not allocate: this buffer has no offset in the workspace}}
  %a = memref.alloc(%n) : memref<?xf32>
  // expected-error@below {{a step may not allocate}}
  %b = memref.alloca() : memref<4xf32>
  // expected-error@below {{a step may not allocate}}
  memref.dealloc %a : memref<?xf32>
  return
}

// -----

func.func @copies(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-error@below {{a step may not copy a buffer of type 'memref<4xf32>'}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @library(%x: f32, %y: f64, %h: f16, %v: vector<4xf32>) {
  // expected-error@below {{needs a function of the math library}}
  %a = math.sin %x : f32
  // expected-error@below {{needs a function of the math library}}
  %b = math.powf %y, %y : f64
  // expected-error@below {{needs a function of the math library}}
  %c = math.round %v : vector<4xf32>
  // expected-error@below {{needs a function of the math library}}
  %d = math.sqrt %h : f16
  // expected-error@below {{needs a function of the math library}}
  %e = arith.remf %x, %x : f32
  return
}

// -----

func.func private @malloc(i64)
func.func @calls(%n: i64, %f: (i64) -> ()) {
  // expected-error@below {{calls @malloc, which this module does not define}}
  func.call @malloc(%n) : (i64) -> ()
  // expected-error@below {{calls a function that is not known when compiling}}
  func.call_indirect %f(%n) : (i64) -> ()
  return
}

// -----

// What a stage should have lowered: one error for all, and it says which.
func.func @on_tensors() -> (tensor<2xf32>, tensor<2xf32>) {
  // expected-error@below {{'cheems.parameter' op was not lowered: cheems-to-buffers comes before cheems-to-loops}}
  %w = cheems.parameter ["w"] : tensor<2xf32>
  %v = cheems.parameter ["v"] : tensor<2xf32>
  return %w, %v : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func @without_kernel(%d: memref<4x2xf32>, %a: memref<2xf32>) {
  // expected-error@below {{'cheems.dynamic_mask' op was not lowered: cheems-to-tiled, which decomposes it, comes before cheems-to-buffers}}
  cheems.dynamic_mask ins(%d, %a : memref<4x2xf32>, memref<2xf32>) outs(%d : memref<4x2xf32>)
  return
}

// -----

func.func @with_kernel(%x: memref<4x2xf32>, %w: memref<2xf32>) {
  // expected-error@below {{'cheems.rms_norm' op was not lowered: cheems-lower-microkernels, in cheems-to-kernels, has not run}}
  cheems.rms_norm epsilon 1.0e-6 ins(%x, %w : memref<4x2xf32>, memref<2xf32>) outs(%x : memref<4x2xf32>)
  return
}

// -----

func.func @no_loops(%d: memref<4x2xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error@below {{'linalg.fill' op was not lowered: cheems-lower-linalg, with which cheems-to-loops begins, has not run}}
  linalg.fill ins(%zero : f32) outs(%d : memref<4x2xf32>)
  return
}
