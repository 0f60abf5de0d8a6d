// keep_threshold and keep_update print as they parse.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @threshold
// CHECK: %{{.*}}:2 = cheems_cpu.keep_threshold keep 16 ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x?xf32>, tensor<2x?xi32>, index) outs(%{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<?x2xi32>) -> tensor<?x2xf32>, tensor<?x2xi32>
func.func @threshold(%m: tensor<2x?xf32>, %p: tensor<2x?xi32>, %first: index, %t: tensor<?x2xf32>, %l: tensor<?x2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %r:2 = cheems_cpu.keep_threshold keep 16 ins(%m, %p, %first : tensor<2x?xf32>, tensor<2x?xi32>, index) outs(%t, %l : tensor<?x2xf32>, tensor<?x2xi32>) -> tensor<?x2xf32>, tensor<?x2xi32>
  return %r#0, %r#1 : tensor<?x2xf32>, tensor<?x2xi32>
}

// CHECK-LABEL: @update
// CHECK: %{{.*}}:4 = cheems_cpu.keep_update keep 4 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xi32>, index, index) outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, tensor<1x9xi32>) -> tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, tensor<1x9xi32>
func.func @update(%t: tensor<1xf32>, %l: tensor<1xi32>, %first: index, %rows: index, %k: tensor<1x9x8xbf16>, %v: tensor<1x9x8xbf16>, %m: tensor<1x9xf32>, %p: tensor<1x9xi32>) -> tensor<1x9x8xbf16> {
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %first, %rows : tensor<1xf32>, tensor<1xi32>, index, index) outs(%k, %v, %m, %p : tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, tensor<1x9xi32>) -> tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, tensor<1x9xi32>
  return %r#0 : tensor<1x9x8xbf16>
}

// CHECK-LABEL: @place
// CHECK: %[[T:.*]]:3 = cheems_cpu.keep_threshold keep 4 ins({{.*}}) outs(%{{.*}}, %{{.*}} : tensor<1x1xf32>, tensor<1x1xi32>) moves_to(%{{.*}} : tensor<1x1xi32>) -> tensor<1x1xf32>, tensor<1x1xi32>, tensor<1x1xi32>
// CHECK: cheems_cpu.keep_update keep 4 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xf32>, tensor<1xi32>, index, index) moves_to(%{{.*}} : tensor<1xi32>) outs(
func.func @place(%t: tensor<1x1xf32>, %l: tensor<1x1xi32>, %w: tensor<1x1xi32>, %t1: tensor<1xf32>, %l1: tensor<1xi32>, %w1: tensor<1xi32>, %first: index, %rows: index, %k: tensor<1x9x8xbf16>, %m: tensor<1x9xf32>, %p: tensor<1x9xi32>) -> (tensor<1x1xi32>, tensor<1x9x8xbf16>) {
  %f:3 = cheems_cpu.keep_threshold keep 4 ins(%m, %p, %first : tensor<1x9xf32>, tensor<1x9xi32>, index) outs(%t, %l : tensor<1x1xf32>, tensor<1x1xi32>) moves_to(%w : tensor<1x1xi32>) -> tensor<1x1xf32>, tensor<1x1xi32>, tensor<1x1xi32>
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t1, %l1, %first, %rows : tensor<1xf32>, tensor<1xi32>, index, index) moves_to(%w1 : tensor<1xi32>) outs(%k, %k, %m, %p : tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, tensor<1x9xi32>) -> tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, tensor<1x9xi32>
  return %f#2, %r#0 : tensor<1x1xi32>, tensor<1x9x8xbf16>
}

// CHECK-LABEL: @buffers
// CHECK: cheems_cpu.keep_threshold keep 2 ins({{.*}}) outs(%{{.*}}, %{{.*}} : memref<6x1xf32>, memref<6x1xi32>){{$}}
// CHECK: cheems_cpu.keep_update keep 2 ins({{.*}}) outs({{.*}} : memref<1x?x8xf32>, memref<1x?x8xf32>, memref<1x?xf32>, memref<1x?xi32>){{$}}
func.func @buffers(%o: memref<6x1xf32>, %last: memref<6x1xi32>, %first: index, %t1: memref<1xf32>, %l1: memref<1xi32>, %k: memref<1x?x8xf32>, %v: memref<1x?x8xf32>, %m: memref<1x?xf32>, %p: memref<1x?xi32>) {
  cheems_cpu.keep_threshold keep 2 ins(%m, %p, %first : memref<1x?xf32>, memref<1x?xi32>, index) outs(%o, %last : memref<6x1xf32>, memref<6x1xi32>)
  cheems_cpu.keep_update keep 2 ins(%t1, %l1, %first, %first : memref<1xf32>, memref<1xi32>, index, index) outs(%k, %v, %m, %p : memref<1x?x8xf32>, memref<1x?x8xf32>, memref<1x?xf32>, memref<1x?xi32>)
  return
}
