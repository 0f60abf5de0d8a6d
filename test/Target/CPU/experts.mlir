// What experts are made of, a variant of the code at a time: the unit that multiplies keys, an instruction that compresses,
// rows prefetched.
// RUN: cheems-opt %s --cheems-fast="lanes=8 registers=16" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx2,+fma | FileCheck %s --check-prefix=AVX2 --implicit-check-not=zmm
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+fma | FileCheck %s --check-prefix=AVX512 --implicit-check-not=vdpbf16ps
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=dot-bf16" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,+fma | FileCheck %s --check-prefix=DOT
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=amx" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,+fma,+amx-tile,+amx-bf16 | FileCheck %s --check-prefix=TILES

#x = affine_map<(t, a, b, k, n) -> (t, a, b, k)>
#w = affine_map<(t, a, b, k, n) -> (a, b, k, n)>
#y = affine_map<(t, a, b, k, n) -> (t, a, b, n)>

// AVX2-LABEL: keys_parallel{{[0-9]*}}:
// AVX2: vfmadd231ps {{.*}}%ymm
// AVX512-LABEL: keys_parallel{{[0-9]*}}:
// AVX512: vfmadd231ps {{.*}}%zmm
// DOT-LABEL: keys_parallel{{[0-9]*}}:
// DOT: vdpbf16ps {{.*}}%zmm
// TILES-LABEL: keys_parallel{{[0-9]*}}:
// TILES: tdpbf16ps %tmm
func.func @keys(%buffer_x: memref<?x2x1x32xf32>, %buffer_y: memref<?x2x1x128xf32>, %section: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) {
  %x = bufferization.to_tensor %buffer_x restrict : memref<?x2x1x32xf32> to tensor<?x2x1x32xf32>
  %y = bufferization.to_tensor %buffer_y restrict writable : memref<?x2x1x128xf32> to tensor<?x2x1x128xf32>
  %w = cheems.parameter ["keys"] permute [2, 0, 3, 1] : tensor<2x1x32x128xbf16>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2x1x128xf32>) -> tensor<?x2x1x128xf32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%x, %w : tensor<?x2x1x32xf32>, tensor<2x1x32x128xbf16>) outs(%init : tensor<?x2x1x128xf32>) {
  ^bb0(%q: f32, %key: bf16, %sum: f32):
    %wide = arith.extf %key : bf16 to f32
    %product = arith.mulf %q, %wide : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<?x2x1x128xf32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_y : (tensor<?x2x1x128xf32>, memref<?x2x1x128xf32>) -> ()
  return
}

// AVX2-LABEL: best_parallel{{[0-9]*}}:
// AVX2: vmaxpd {{.*}}%ymm
// AVX512-LABEL: best_parallel{{[0-9]*}}:
// AVX512: vpcompressd {{.*}}%zmm
// AVX512: vmaxpd {{.*}}%zmm
// AVX512: vgatherdps {{.*}}%zmm
// AVX512: vpermt2ps
// AVX512: vpcompressd {{.*}}%zmm
func.func @best(%buffer_g: memref<?x2x1x128xf32>, %buffer_s: memref<?x1x32xf32>, %buffer_e: memref<?x1x32xi32>) {
  %g = bufferization.to_tensor %buffer_g restrict : memref<?x2x1x128xf32> to tensor<?x2x1x128xf32>
  %s = bufferization.to_tensor %buffer_s restrict writable : memref<?x1x32xf32> to tensor<?x1x32xf32>
  %e = bufferization.to_tensor %buffer_e restrict writable : memref<?x1x32xi32> to tensor<?x1x32xi32>
  %r, %q = cheems.retrieve_experts ins(%g : tensor<?x2x1x128xf32>)
      outs(%s, %e : tensor<?x1x32xf32>, tensor<?x1x32xi32>) -> tensor<?x1x32xf32>, tensor<?x1x32xi32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_s : (tensor<?x1x32xf32>, memref<?x1x32xf32>) -> ()
  bufferization.materialize_in_destination %q in restrict writable %buffer_e : (tensor<?x1x32xi32>, memref<?x1x32xi32>) -> ()
  return
}

// AVX2-LABEL: mix_parallel{{[0-9]*}}:
// AVX2: prefetcht1
// AVX2: vfmadd{{[0-9]+}}ps {{.*}}%ymm
// AVX512-LABEL: mix_parallel{{[0-9]*}}:
// AVX512: prefetcht1
// AVX512: vfmadd{{[0-9]+}}ps {{.*}}%zmm
func.func @mix(%buffer_x: memref<?x768xf32>, %buffer_s: memref<?x1x32xf32>, %buffer_e: memref<?x1x32xi32>, %buffer_y: memref<?x768xf32>, %section: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) {
  %x = bufferization.to_tensor %buffer_x restrict : memref<?x768xf32> to tensor<?x768xf32>
  %s = bufferization.to_tensor %buffer_s restrict : memref<?x1x32xf32> to tensor<?x1x32xf32>
  %e = bufferization.to_tensor %buffer_e restrict : memref<?x1x32xi32> to tensor<?x1x32xi32>
  %y = bufferization.to_tensor %buffer_y restrict writable : memref<?x768xf32> to tensor<?x768xf32>
  %down = cheems.parameter ["down"] : tensor<16384x768xbf16>
  %up = cheems.parameter ["up"] : tensor<16384x768xbf16>
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %down, %up : tensor<?x768xf32>, tensor<?x1x32xf32>, tensor<?x1x32xi32>, tensor<16384x768xbf16>, tensor<16384x768xbf16>)
      outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_y : (tensor<?x768xf32>, memref<?x768xf32>) -> ()
  return
}

// Quantized values become numbers of 32 bits, then f32.
// AVX2-LABEL: codes_parallel{{[0-9]*}}:
// AVX2: prefetcht1
// AVX2: vpmovsxbd {{.*}}%ymm
// AVX2: vcvtdq2ps {{.*}}%ymm
// AVX2: vfmadd{{[0-9]+}}ps {{.*}}%ymm
// AVX512-LABEL: codes_parallel{{[0-9]*}}:
// AVX512: prefetcht1
// AVX512: vpmovsxbd {{.*}}%zmm
// AVX512: vcvtdq2ps {{.*}}%zmm
// AVX512: vfmadd{{[0-9]+}}ps {{.*}}%zmm
func.func @codes(%buffer_x: memref<?x768xf32>, %buffer_s: memref<?x1x32xf32>, %buffer_e: memref<?x1x32xi32>, %buffer_y: memref<?x768xf32>, %section: memref<?xi8> {cheems.field = #cheems.step_field<parameters>}) {
  %x = bufferization.to_tensor %buffer_x restrict : memref<?x768xf32> to tensor<?x768xf32>
  %s = bufferization.to_tensor %buffer_s restrict : memref<?x1x32xf32> to tensor<?x1x32xf32>
  %e = bufferization.to_tensor %buffer_e restrict : memref<?x1x32xi32> to tensor<?x1x32xi32>
  %y = bufferization.to_tensor %buffer_y restrict writable : memref<?x768xf32> to tensor<?x768xf32>
  %down = cheems.parameter ["down"] quantized <bits = 8, group = 0, part = matrix> : tensor<16384x768xbf16>
  %up = cheems.parameter ["up"] quantized <bits = 8, group = 0, part = matrix> : tensor<16384x768xbf16>
  %r = cheems.mix_experts softmax silu
      ins(%x, %s, %e, %down, %up : tensor<?x768xf32>, tensor<?x1x32xf32>, tensor<?x1x32xi32>, tensor<16384x768xbf16>, tensor<16384x768xbf16>)
      outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
  bufferization.materialize_in_destination %r in restrict writable %buffer_y : (tensor<?x768xf32>, memref<?x768xf32>) -> ()
  return
}
