// RUN: cheems-opt %s --cheems-outline-parallel --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// The body is a function over a range of linearised iterations; what it captures travels on the caller's stack, constants do not.
// CHECK: func.func private @cheems_parallel_for(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
// CHECK: func.func private @scale_parallel0(%[[CTX:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %[[WORKER:.*]]: i64)
// CHECK: scf.for
// CHECK: memref.store
// CHECK-LABEL: func.func @scale(
// CHECK: %[[BODY:.*]] = constant @scale_parallel0
// CHECK: %[[FRAME:.*]] = llvm.alloca
// CHECK-NOT: scf.forall
// CHECK: %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK: call @cheems_parallel_for(%[[POINTER]], %[[FRAME]], %{{.*}}, %{{.*}})
// doc: cheems-outline-parallel,canonicalize,cse
func.func @scale(%x: memref<?x8xf32>, %n: index) {
  %two = arith.constant 2.0 : f32
  scf.forall (%i, %j) in (%n, 8) {
    %a = memref.load %x[%i, %j] : memref<?x8xf32>
    %b = arith.mulf %a, %two : f32
    memref.store %b, %x[%i, %j] : memref<?x8xf32>
  }
  return
}
// doc-end

// -----

// The pool is told the loop's name; null without one.
// CHECK: llvm.mlir.global private unnamed_addr constant @two_parallel0_name("linear 32x16\00")
// CHECK-LABEL: func.func @two(
// CHECK-DAG: %[[NAME:.*]] = llvm.mlir.addressof @two_parallel0_name
// CHECK-DAG: %[[NULL:.*]] = llvm.mlir.zero
// CHECK: call @cheems_parallel_for(%{{.*}}, %{{.*}}, %{{.*}}, %[[NAME]])
// CHECK: call @cheems_parallel_for(%{{.*}}, %{{.*}}, %{{.*}}, %[[NULL]])
func.func @two(%x: memref<?xindex>, %n: index) {
  scf.forall (%i) in (%n) {
    memref.store %i, %x[%i] : memref<?xindex>
  } {cheems_cpu.name = "linear 32x16"}
  scf.forall (%i) in (%n) {
    memref.store %n, %x[%i] : memref<?xindex>
  }
  return
}

// -----

// The worker is the body's last argument.
// CHECK: func.func private @who_parallel0(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %[[WORKER:.*]]: i64)
// CHECK: %[[W:.*]] = arith.index_cast %[[WORKER]] : i64 to index
// CHECK: memref.store %[[W]]
// CHECK-NOT: cheems_cpu.worker
func.func @who(%x: memref<?xindex>, %n: index) {
  scf.forall (%i) in (%n) {
    %w = cheems_cpu.worker : index
    memref.store %w, %x[%i] : memref<?xindex>
  }
  return
}

// -----

func.func @nested(%x: memref<?xindex>, %n: index) {
  scf.forall (%i) in (%n) {
    // expected-error@below {{is outlined when it is bufferised and not nested}}
    scf.forall (%j) in (%n) {
      memref.store %i, %x[%j] : memref<?xindex>
    }
  }
  return
}

// -----

// Equal bodies become one function, a comparison hoisted in one of them or not.
// CHECK-LABEL: func.func private @hoisted_parallel0
// CHECK-NOT: func.func private @inside_parallel
// CHECK-LABEL: func.func @inside
// CHECK: @hoisted_parallel0
func.func @hoisted(%m: memref<8xf32>, %n: index) {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %few = arith.cmpi ult, %n, %c4 : index
  scf.forall (%i) in (8) {
    scf.if %few {
      memref.store %zero, %m[%i] : memref<8xf32>
    }
  }
  return
}
func.func @inside(%m: memref<8xf32>, %n: index) {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %few = arith.cmpi ult, %n, %c4 : index
    scf.if %few {
      memref.store %zero, %m[%i] : memref<8xf32>
    }
  }
  return
}

// -----

func.func @no_steps(%m: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error@below {{is outlined when its steps are not 0}}
  scf.forall (%i) = (0) to (8) step (0) {
    memref.store %zero, %m[%i] : memref<8xf32>
  }
  return
}
