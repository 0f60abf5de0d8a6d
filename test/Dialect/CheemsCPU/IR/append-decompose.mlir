// append_visible as loops: a row is looked at once, stored where some head may see it, and counted.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s
// It is the only lowering: the fast pipeline has no kernel for it either.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose{kernels=true}))' | FileCheck %s
// The state of a slot is updated in place: no buffer but the rows' counts, and none is copied.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose),cheems-fast{from=tiled to=planned},cheems-check-kernels)' | FileCheck %s --check-prefix=BUFFER --implicit-check-not=memref.alloc --implicit-check-not=memref.copy

// CHECK-LABEL: @append
// CHECK-NOT: cheems.
// CHECK: %[[BOUND:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[SHOWN:.*]] = scf.for {{.*}} -> (i1)
// CHECK: arith.cmpf oge, %{{.*}}, %[[BOUND]] : f32
// CHECK: scf.if %[[SHOWN]] -> (tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<2x?xf32>, index)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK: arith.index_cast %{{.*}} : index to i32
// CHECK-NOT: arith.select

// BUFFER-LABEL: @append
// BUFFER-SAME: attributes {cheems_cpu.workspace = array<i64: 0, 0, 256>}
// BUFFER: scf.forall
// BUFFER: scf.if
// BUFFER: memref.store {{.*}} : memref<1x?x8xbf16
func.func @append(%keyb: memref<?x8xf32>, %maskb: memref<?x2xf32>, %kb: memref<?x?x8xbf16>, %vb: memref<?x?x8xbf16>, %mb: memref<?x2x?xf32>, %sb: memref<?xi32>, %slots: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %key = bufferization.to_tensor %keyb restrict : memref<?x8xf32> to tensor<?x8xf32>
  %mask = bufferization.to_tensor %maskb restrict : memref<?x2xf32> to tensor<?x2xf32>
  %keys = bufferization.to_tensor %kb restrict writable : memref<?x?x8xbf16> to tensor<?x?x8xbf16>
  %values = bufferization.to_tensor %vb restrict writable : memref<?x?x8xbf16> to tensor<?x?x8xbf16>
  %masks = bufferization.to_tensor %mb restrict writable : memref<?x2x?xf32> to tensor<?x2x?xf32>
  %seen = bufferization.to_tensor %sb restrict writable : memref<?xi32> to tensor<?xi32>
  %table = bufferization.to_tensor %slots restrict : memref<?xindex> to tensor<?xindex>
  %r:4 = scf.forall (%s) in (%n) shared_outs(%ks = %keys, %vs = %values, %ms = %masks, %last = %seen) -> (tensor<?x?x8xbf16>, tensor<?x?x8xbf16>, tensor<?x2x?xf32>, tensor<?xi32>) {
    %slot = tensor.extract %table[%s] : tensor<?xindex>
    %capacity = tensor.dim %ks, %c1 : tensor<?x?x8xbf16>
    %k = tensor.extract_slice %ks[%slot, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<?x?x8xbf16> to tensor<1x?x8xbf16>
    %v = tensor.extract_slice %vs[%slot, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<?x?x8xbf16> to tensor<1x?x8xbf16>
    %m = tensor.extract_slice %ms[%slot, 0, 0] [1, 2, %capacity] [1, 1, 1] : tensor<?x2x?xf32> to tensor<2x?xf32>
    %rows = tensor.dim %key, %c0 : tensor<?x8xf32>
    %e = tensor.empty() : tensor<64xi32>
    %counts = tensor.extract_slice %e[0] [%rows] [1] : tensor<64xi32> to tensor<?xi32>
    %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %slot : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x2xf32>, index) outs(%k, %v, %m, %counts : tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<2x?xf32>, tensor<?xi32>) -> tensor<1x?x8xbf16>, tensor<1x?x8xbf16>, tensor<2x?xf32>, tensor<?xi32>
    %end = arith.subi %rows, %c1 : index
    %count = tensor.extract %u#3[%end] : tensor<?xi32>
    %place = tensor.extract_slice %last[%slot] [1] [1] : tensor<?xi32> to tensor<1xi32>
    %final = tensor.insert %count into %place[%c0] : tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u#0 into %ks[%slot, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<1x?x8xbf16> into tensor<?x?x8xbf16>
      tensor.parallel_insert_slice %u#1 into %vs[%slot, 0, 0] [1, %capacity, 8] [1, 1, 1] : tensor<1x?x8xbf16> into tensor<?x?x8xbf16>
      tensor.parallel_insert_slice %u#2 into %ms[%slot, 0, 0] [1, 2, %capacity] [1, 1, 1] : tensor<2x?xf32> into tensor<?x2x?xf32>
      tensor.parallel_insert_slice %final into %last[%slot] [1] [1] : tensor<1xi32> into tensor<?xi32>
    }
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %kb : (tensor<?x?x8xbf16>, memref<?x?x8xbf16>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %vb : (tensor<?x?x8xbf16>, memref<?x?x8xbf16>) -> ()
  bufferization.materialize_in_destination %r#2 in restrict writable %mb : (tensor<?x2x?xf32>, memref<?x2x?xf32>) -> ()
  bufferization.materialize_in_destination %r#3 in restrict writable %sb : (tensor<?xi32>, memref<?xi32>) -> ()
  return
}
