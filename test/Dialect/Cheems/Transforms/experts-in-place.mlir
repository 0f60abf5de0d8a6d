// A layer's experts from its normalised rows to the residual: rows in parallel, scratch alone is allocated, nothing is copied.
// RUN: cheems-opt %s --cheems-fast=to=planned | FileCheck %s

#row = affine_map<(m, n, k) -> (m, k)>
#weight = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func.func @layer
// CHECK-SAME: (%[[X:[a-z0-9_]+]]: memref<?x96xf32>, %[[IN:[a-z0-9_]+]]: memref<?x96xf32>
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: %[[Y:.*]] = memref.view {{.*}} : memref<?xi8> to memref<?x96xf32>
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: %[[SCORE:.*]] = memref.view {{.*}} : memref<?xi8> to memref<?x1x4xf32>
// CHECK: %[[EXPERT:.*]] = memref.view {{.*}} : memref<?xi8> to memref<?x1x4xi32>
// CHECK-NEXT: scf.forall (%[[T:.*]]) in
// CHECK: memref.subview %[[SCORE]][%[[T]], 0, 0] [1, 1, 4]
// CHECK: memref.subview %[[EXPERT]][%[[T]], 0, 0] [1, 1, 4]
// CHECK: cheems_cpu.worker
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: llvm.call_intrinsic "llvm.experimental.vector.compress"
// CHECK: arith.cmpf ogt, {{.*}} : vector<8xf64>
// CHECK: vector.gather
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: scf.forall (%{{.*}}) in
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: memref.load %[[EXPERT]]
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: vector.load %[[IN]]
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: vector.load %[[Y]]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK: } {cheems_cpu.name = "mix_experts"}
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: scf.forall (%[[V:.*]]) = (0)
// CHECK: %[[BLOCK:.*]] = memref.subview %[[X]][%[[V]], 0]
// CHECK: linalg.generic {{.*}} outs(%[[BLOCK]] :
// CHECK-NOT: {{memref.alloc|copy}}
// CHECK: return
func.func @layer(%bx: memref<?x96xf32>, %bin: memref<?x96xf32>, %weights: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %x = bufferization.to_tensor %bx restrict writable : memref<?x96xf32> to tensor<?x96xf32>
  %in = bufferization.to_tensor %bin restrict : memref<?x96xf32> to tensor<?x96xf32>
  %rows = tensor.dim %x, %c0 : tensor<?x96xf32>

  %wd = cheems.parameter ["down_proj"] : tensor<96x96xf32>
  %e0 = tensor.empty(%rows) : tensor<?x96xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%in, %wd : tensor<?x96xf32>, tensor<96x96xf32>) outs(%f0 : tensor<?x96xf32>) -> tensor<?x96xf32>

  %wr = cheems.parameter ["router_gate"] : tensor<64x96xf32>
  %e1 = tensor.empty(%rows) : tensor<?x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %both = linalg.matmul indexing_maps = [#row, #weight, #result] ins(%x, %wr : tensor<?x96xf32>, tensor<64x96xf32>) outs(%f1 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %scores = tensor.expand_shape %both [[0], [1, 2, 3]] output_shape [%rows, 2, 1, 32] : tensor<?x64xf32> into tensor<?x2x1x32xf32>

  %e2 = tensor.empty(%rows) : tensor<?x1x4xf32>
  %e3 = tensor.empty(%rows) : tensor<?x1x4xi32>
  %score, %expert = cheems.retrieve_experts ins(%scores : tensor<?x2x1x32xf32>)
      outs(%e2, %e3 : tensor<?x1x4xf32>, tensor<?x1x4xi32>) -> tensor<?x1x4xf32>, tensor<?x1x4xi32>
  %down = cheems.parameter ["down_embed"] : tensor<1024x96xf32>
  %up = cheems.parameter ["up_embed"] : tensor<1024x96xf32>
  %mixed = cheems.mix_experts softmax silu
      ins(%in, %score, %expert, %down, %up : tensor<?x96xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<1024x96xf32>, tensor<1024x96xf32>)
      outs(%y : tensor<?x96xf32>) -> tensor<?x96xf32>

  %scale = cheems.parameter ["residual"] : tensor<96xf32>
  %out = linalg.generic {indexing_maps = [#column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scale, %mixed : tensor<96xf32>, tensor<?x96xf32>) outs(%x : tensor<?x96xf32>) {
  ^bb0(%s: f32, %m: f32, %old: f32):
    %scaled = arith.mulf %s, %old : f32
    %sum = arith.addf %scaled, %m : f32
    linalg.yield %sum : f32
  } -> tensor<?x96xf32>
  bufferization.materialize_in_destination %out in restrict writable %bx : (tensor<?x96xf32>, memref<?x96xf32>) -> ()
  return
}
