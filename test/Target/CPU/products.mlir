// The instruction that a matmul is made of, a variant of the code at a time: registers of its width, weights of its kind.
// RUN: cheems-opt %s --cheems-fast="lanes=8 registers=16" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx2,+fma | FileCheck %s --check-prefix=AVX2 --implicit-check-not=zmm
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+fma | FileCheck %s --check-prefix=AVX512 --implicit-check-not=vdpbf16ps
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=dot-bf16" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,+fma | FileCheck %s --check-prefix=DOT
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=amx" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,+fma,+amx-tile,+amx-bf16 | FileCheck %s --check-prefix=TILES

// AVX2-LABEL: matmul_f32_parallel{{[0-9]*}}:
// AVX2: vfmadd231ps {{.*}}%ymm
// AVX512-LABEL: matmul_f32_parallel{{[0-9]*}}:
// AVX512: vfmadd231ps {{.*}}%zmm
// DOT-LABEL: matmul_f32_parallel{{[0-9]*}}:
// DOT: vfmadd231ps {{.*}}%zmm
// TILES-LABEL: matmul_f32_parallel{{[0-9]*}}:
// TILES: vfmadd231ps {{.*}}%zmm
func.func @matmul_f32(%buffer_x: memref<?x64xf32>, %buffer_y: memref<?x128xf32>, %section: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) {
  %x = bufferization.to_tensor %buffer_x restrict : memref<?x64xf32> to tensor<?x64xf32>
  %y = bufferization.to_tensor %buffer_y restrict writable : memref<?x128xf32> to tensor<?x128xf32>
  %w = cheems.parameter ["f32"] : tensor<128x64xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
         ins(%x, %w : tensor<?x64xf32>, tensor<128x64xf32>) outs(%init : tensor<?x128xf32>) -> tensor<?x128xf32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_y : (tensor<?x128xf32>, memref<?x128xf32>) -> ()
  return
}

// AVX2-LABEL: matmul_bf16_parallel{{[0-9]*}}:
// AVX2: vfmadd231ps {{.*}}%ymm
// AVX512-LABEL: matmul_bf16_parallel{{[0-9]*}}:
// AVX512: vfmadd231ps {{.*}}%zmm
// DOT-LABEL: matmul_bf16_parallel{{[0-9]*}}:
// DOT: vdpbf16ps {{.*}}%zmm
// TILES-LABEL: matmul_bf16_parallel{{[0-9]*}}:
// TILES: tdpbf16ps %tmm
func.func @matmul_bf16(%buffer_x: memref<?x64xf32>, %buffer_y: memref<?x128xf32>, %section: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) {
  %x = bufferization.to_tensor %buffer_x restrict : memref<?x64xf32> to tensor<?x64xf32>
  %y = bufferization.to_tensor %buffer_y restrict writable : memref<?x128xf32> to tensor<?x128xf32>
  %w = cheems.parameter ["bf16"] : tensor<128x64xbf16>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
         ins(%x, %w : tensor<?x64xf32>, tensor<128x64xbf16>) outs(%init : tensor<?x128xf32>) -> tensor<?x128xf32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_y : (tensor<?x128xf32>, memref<?x128xf32>) -> ()
  return
}
