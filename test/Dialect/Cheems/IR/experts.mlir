// Expert ops print as they parse, on tensors and on buffers.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK-LABEL: @retrieve
// CHECK: cheems.retrieve_experts ins(%{{.*}} : tensor<?x2x4x128xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<?x4x8xi32>) -> tensor<?x4x8xf32>, tensor<?x4x8xi32>
func.func @retrieve(%g: tensor<?x2x4x128xf32>, %s: tensor<?x4x8xf32>, %e: tensor<?x4x8xi32>) -> (tensor<?x4x8xf32>, tensor<?x4x8xi32>) {
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<?x2x4x128xf32>)
      outs(%s, %e : tensor<?x4x8xf32>, tensor<?x4x8xi32>) -> tensor<?x4x8xf32>, tensor<?x4x8xi32>
  return %0, %1 : tensor<?x4x8xf32>, tensor<?x4x8xi32>
}

// CHECK-LABEL: @retrieve_ascending
// CHECK: cheems.retrieve_experts ascending ins(%{{.*}} : tensor<?x2x4x128xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x4x8xf32>, tensor<?x4x8xi32>) -> tensor<?x4x8xf32>, tensor<?x4x8xi32>
func.func @retrieve_ascending(%g: tensor<?x2x4x128xf32>, %s: tensor<?x4x8xf32>, %e: tensor<?x4x8xi32>) -> (tensor<?x4x8xf32>, tensor<?x4x8xi32>) {
  %0, %1 = cheems.retrieve_experts ascending ins(%g : tensor<?x2x4x128xf32>)
      outs(%s, %e : tensor<?x4x8xf32>, tensor<?x4x8xi32>) -> tensor<?x4x8xf32>, tensor<?x4x8xi32>
  return %0, %1 : tensor<?x4x8xf32>, tensor<?x4x8xi32>
}

// CHECK-LABEL: @retrieve_buffers
// CHECK: cheems.retrieve_experts ins(%{{.*}} : memref<3x2x1x2xf32>) outs(%{{.*}}, %{{.*}} : memref<3x1x4xf32>, memref<3x1x4xi32>)
func.func @retrieve_buffers(%g: memref<3x2x1x2xf32>, %s: memref<3x1x4xf32>, %e: memref<3x1x4xi32>) {
  cheems.retrieve_experts ins(%g : memref<3x2x1x2xf32>) outs(%s, %e : memref<3x1x4xf32>, memref<3x1x4xi32>)
  return
}

// CHECK-LABEL: @mix
// CHECK: cheems.mix_experts softmax silu ins(%{{.*}} : tensor<?x64xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<256x64xbf16>, tensor<256x64xbf16>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
// CHECK: cheems.mix_experts inner gelu
func.func @mix(%x: tensor<?x64xf32>, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>, %down: tensor<256x64xbf16>, %up: tensor<256x64xbf16>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %down, %up : tensor<?x64xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<256x64xbf16>, tensor<256x64xbf16>)
      outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = cheems.mix_experts inner gelu
      ins(%x, %s, %e, %down, %up : tensor<?x64xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<256x64xbf16>, tensor<256x64xbf16>)
      outs(%0 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// CHECK-LABEL: @mix_codes
// CHECK: cheems.mix_experts softmax silu ins({{.*}}tensor<256x64xi8>, tensor<256x64xi8>) scales(%{{.*}}, %{{.*}} : tensor<256xf32>, tensor<256xf32>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
func.func @mix_codes(%x: tensor<?x64xf32>, %s: tensor<?x2x4xf32>, %e: tensor<?x2x4xi32>, %down: tensor<256x64xi8>, %up: tensor<256x64xi8>, %c: tensor<256xf32>, %g: tensor<256xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %down, %up : tensor<?x64xf32>, tensor<?x2x4xf32>, tensor<?x2x4xi32>, tensor<256x64xi8>, tensor<256x64xi8>)
      scales(%c, %g : tensor<256xf32>, tensor<256xf32>)
      outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: @mix_buffers
// CHECK: cheems.mix_experts inner relu ins(%{{.*}}) outs(%{{.*}} : memref<3x5xf32>)
func.func @mix_buffers(%x: memref<3x5xf32>, %s: memref<3x1x2xf32>, %e: memref<3x1x2xi32>, %down: memref<4x5xf32>, %up: memref<4x5xf32>, %y: memref<3x5xf32>) {
  cheems.mix_experts inner relu ins(%x, %s, %e, %down, %up : memref<3x5xf32>, memref<3x1x2xf32>, memref<3x1x2xi32>, memref<4x5xf32>, memref<4x5xf32>)
      outs(%y : memref<3x5xf32>)
  return
}

// Rows of both tables side by side, scales too.
// CHECK-LABEL: @mix_codes_buffers
// CHECK: cheems.mix_experts inner relu ins(%{{.*}}) scales(%{{.*}}, %{{.*}} : memref<4xf32, strided<[2]>>, memref<4xf32, strided<[2], offset: 1>>) outs(%{{.*}} : memref<3x5xf32>)
func.func @mix_codes_buffers(%x: memref<3x5xf32>, %s: memref<3x1x2xf32>, %e: memref<3x1x2xi32>, %down: memref<4x5xi8, strided<[10, 1]>>, %up: memref<4x5xi8, strided<[10, 1], offset: 5>>, %c: memref<4xf32, strided<[2]>>, %g: memref<4xf32, strided<[2], offset: 1>>, %y: memref<3x5xf32>) {
  cheems.mix_experts inner relu ins(%x, %s, %e, %down, %up : memref<3x5xf32>, memref<3x1x2xf32>, memref<3x1x2xi32>, memref<4x5xi8, strided<[10, 1]>>, memref<4x5xi8, strided<[10, 1], offset: 5>>)
      scales(%c, %g : memref<4xf32, strided<[2]>>, memref<4xf32, strided<[2], offset: 1>>) outs(%y : memref<3x5xf32>)
  return
}
