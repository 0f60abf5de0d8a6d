// The instruction that a quantized matmul of 8 or 4 bits is made of, a variant of the code at a time. Without vpdpbusd bytes
// become words before they are multiplied: vpmaddubsw would saturate, which nibbles do not reach.
// RUN: cheems-opt %s --cheems-fast="lanes=8 registers=16" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx2,+fma | FileCheck %s --check-prefix=AVX2 --implicit-check-not=zmm
// RUN: cheems-opt %s --cheems-fast="lanes=8 registers=16 products=dot-i8" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx2,+fma,+avxvnni | FileCheck %s --check-prefix=NARROW --implicit-check-not=zmm --implicit-check-not=vpmadd
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+fma | FileCheck %s --check-prefix=AVX512 --implicit-check-not=vpdpbusd
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=dot-i8" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512vnni,+fma | FileCheck %s --check-prefix=DOT --implicit-check-not=vpmadd
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=amx" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512vnni,+avx512bf16,+fma,+amx-tile,+amx-bf16,+amx-int8 | FileCheck %s --check-prefix=TILES --implicit-check-not=vpmadd

// AVX2-LABEL: bytes_parallel{{[0-9]*}}:
// AVX2-NOT: vpmaddubsw
// AVX2: vpmaddwd {{.*}}%ymm
// AVX512-LABEL: bytes_parallel{{[0-9]*}}:
// AVX512-NOT: vpmaddubsw
// AVX512: vpmaddwd {{.*}}%zmm
// The encoding of AVX-VNNI, not that of AVX-512.
// NARROW-LABEL: bytes_parallel{{[0-9]*}}:
// NARROW: {vex} vpdpbusd {{.*}}%ymm
// DOT-LABEL: bytes_parallel{{[0-9]*}}:
// DOT: vpdpbusd {{.*}}%zmm
// TILES-LABEL: bytes_parallel{{[0-9]*}}:
// TILES: tdpbsud %tmm
// TILES: vpdpbusd {{.*}}%zmm
func.func @bytes(%buffer_x: memref<?x64xf32>, %buffer_w: memref<8x16x16x4xi8>, %buffer_s: memref<8x1x16xf32>, %buffer_y: memref<?x128xf32>) {
  %x = bufferization.to_tensor %buffer_x restrict : memref<?x64xf32> to tensor<?x64xf32>
  %w = bufferization.to_tensor %buffer_w restrict : memref<8x16x16x4xi8> to tensor<8x16x16x4xi8>
  %s = bufferization.to_tensor %buffer_s restrict : memref<8x1x16xf32> to tensor<8x1x16xf32>
  %y = bufferization.to_tensor %buffer_y restrict writable : memref<?x128xf32> to tensor<?x128xf32>
  %r = cheems_cpu.linear ins(%x : tensor<?x64xf32>) weights(%w : tensor<8x16x16x4xi8>) bits 8 scales(%s : tensor<8x1x16xf32>)
         outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_y : (tensor<?x128xf32>, memref<?x128xf32>) -> ()
  return
}

// AVX2-LABEL: nibbles_parallel{{[0-9]*}}:
// AVX2: vpmaddubsw {{.*}}%ymm
// AVX512-LABEL: nibbles_parallel{{[0-9]*}}:
// AVX512: vpmaddubsw {{.*}}%zmm
// NARROW-LABEL: nibbles_parallel{{[0-9]*}}:
// NARROW: {vex} vpdpbusd {{.*}}%ymm
// DOT-LABEL: nibbles_parallel{{[0-9]*}}:
// DOT: vpdpbusd {{.*}}%zmm
// TILES-LABEL: nibbles_parallel{{[0-9]*}}:
// TILES: tdpbssd %tmm
// TILES: vpdpbusd {{.*}}%zmm
func.func @nibbles(%buffer_x: memref<?x64xf32>, %buffer_w: memref<8x8x16x4xi8>, %buffer_s: memref<8x2x16xbf16>, %buffer_y: memref<?x128xf32>) {
  %x = bufferization.to_tensor %buffer_x restrict : memref<?x64xf32> to tensor<?x64xf32>
  %w = bufferization.to_tensor %buffer_w restrict : memref<8x8x16x4xi8> to tensor<8x8x16x4xi8>
  %s = bufferization.to_tensor %buffer_s restrict : memref<8x2x16xbf16> to tensor<8x2x16xbf16>
  %y = bufferization.to_tensor %buffer_y restrict writable : memref<?x128xf32> to tensor<?x128xf32>
  %r = cheems_cpu.linear ins(%x : tensor<?x64xf32>) weights(%w : tensor<8x8x16x4xi8>) bits 4 scales(%s : tensor<8x2x16xbf16>)
         outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_y : (tensor<?x128xf32>, memref<?x128xf32>) -> ()
  return
}
