// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-decompose))' | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: @bytes
// CHECK: cheems_tile.quantized_matmul bits 8 ins(%{{.*}}, %{{.*}} : tensor<?x384xi8>, tensor<?xf32>) weights(%{{.*}}, %{{.*}} : tensor<256x384xi8>, tensor<256x1xf32>) outs(%{{.*}} : tensor<?x256xf32>) -> tensor<?x256xf32>
// Exact sums, and then one multiply-add for each group.
// LOOPS-LABEL: @bytes
// LOOPS: scf.for
// LOOPS: arith.muli
// LOOPS: arith.sitofp
// LOOPS: math.fma
// LOOPS: arith.mulf
func.func @bytes(%x: tensor<?x384xi8>, %s: tensor<?xf32>, %c: tensor<256x384xi8>, %w: tensor<256x1xf32>, %o: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %y = cheems_tile.quantized_matmul bits 8 ins(%x, %s : tensor<?x384xi8>, tensor<?xf32>)
      weights(%c, %w : tensor<256x384xi8>, tensor<256x1xf32>) outs(%o : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

// CHECK-LABEL: @nibbles
// CHECK: cheems_tile.quantized_matmul bits 4 ins(%{{.*}}, %{{.*}} : tensor<?x96xi8>, tensor<?xf32>) weights(%{{.*}}, %{{.*}} : tensor<8x64xi8>, tensor<8x3xbf16>) outs(%{{.*}} : tensor<?x8xf32>) -> tensor<?x8xf32>
// LOOPS-LABEL: @nibbles
// LOOPS: arith.shrsi
func.func @nibbles(%x: tensor<?x96xi8>, %s: tensor<?xf32>, %c: tensor<8x64xi8>, %w: tensor<8x3xbf16>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = cheems_tile.quantized_matmul bits 4 ins(%x, %s : tensor<?x96xi8>, tensor<?xf32>)
      weights(%c, %w : tensor<8x64xi8>, tensor<8x3xbf16>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
