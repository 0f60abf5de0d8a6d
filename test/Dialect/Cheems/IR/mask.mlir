// dynamic_mask prints as it parses.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @mask
// CHECK: cheems.dynamic_mask ins(%{{.*}}, %{{.*}} : tensor<?x3xf32>, tensor<3xf32>) outs(%{{.*}} : tensor<?x3xf32>) -> tensor<?x3xf32>
func.func @mask(%d: tensor<?x3xf32>, %a: tensor<3xf32>, %o: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %r = cheems.dynamic_mask ins(%d, %a : tensor<?x3xf32>, tensor<3xf32>) outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// CHECK-LABEL: @buffers
// CHECK: cheems.dynamic_mask ins({{.*}}) outs(%{{.*}} : memref<6x1xf32>){{$}}
func.func @buffers(%d: memref<6x1xf32>, %a: memref<1xf32>, %o: memref<6x1xf32>) {
  cheems.dynamic_mask ins(%d, %a : memref<6x1xf32>, memref<1xf32>) outs(%o : memref<6x1xf32>)
  return
}
