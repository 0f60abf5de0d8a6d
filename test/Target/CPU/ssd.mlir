// The instructions of SSD's matmuls, a variant of the code at a time: with `bf16` tiles where there are some, else f32 multiply-adds.
// RUN: cheems-opt %s --cheems-fast="lanes=8 registers=16" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx2,+fma | FileCheck %s --check-prefix=AVX2 --implicit-check-not=zmm
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+fma | FileCheck %s --check-prefix=AVX512 --implicit-check-not=tdpbf16ps
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=dot-bf16" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,+fma | FileCheck %s --check-prefix=AVX512 --implicit-check-not=vdpbf16ps
// RUN: cheems-opt %s --cheems-fast="lanes=16 registers=32 products=amx" | mlir-translate --mlir-to-llvmir | llc -mattr=+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512bf16,+fma,+amx-tile,+amx-bf16 | FileCheck %s --check-prefix=TILES

// AVX2-LABEL: ssd_f32:
// AVX2: vfmadd231ps {{.*}}%ymm
// AVX512-LABEL: ssd_f32:
// AVX512: vfmadd231ps {{.*}}%zmm
// TILES-LABEL: ssd_f32:
// TILES-NOT: tdpbf16ps
// TILES: vfmadd231ps {{.*}}%zmm
// TILES-NOT: tdpbf16ps
func.func @ssd_f32(%bx: memref<?x2x64xf32>, %bdt: memref<?x2xf32>, %ba: memref<2xf32>, %bb: memref<?x1x128xf32>, %by: memref<?x2x64xf32>, %bh: memref<2x128x64xf32>) {
  %x = bufferization.to_tensor %bx restrict : memref<?x2x64xf32> to tensor<?x2x64xf32>
  %dt = bufferization.to_tensor %bdt restrict : memref<?x2xf32> to tensor<?x2xf32>
  %a = bufferization.to_tensor %ba restrict : memref<2xf32> to tensor<2xf32>
  %b = bufferization.to_tensor %bb restrict : memref<?x1x128xf32> to tensor<?x1x128xf32>
  %y = bufferization.to_tensor %by restrict writable : memref<?x2x64xf32> to tensor<?x2x64xf32>
  %h = bufferization.to_tensor %bh restrict writable : memref<2x128x64xf32> to tensor<2x128x64xf32>
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %b : tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x128xf32>, tensor<?x1x128xf32>)
                    outs(%y, %h : tensor<?x2x64xf32>, tensor<2x128x64xf32>) -> tensor<?x2x64xf32>, tensor<2x128x64xf32>
  bufferization.materialize_in_destination %r#0 in restrict writable %by : (tensor<?x2x64xf32>, memref<?x2x64xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %bh : (tensor<2x128x64xf32>, memref<2x128x64xf32>) -> ()
  return
}

// AVX2-LABEL: ssd_bf16:
// AVX2: vfmadd231ps {{.*}}%ymm
// AVX512-LABEL: ssd_bf16:
// AVX512: vfmadd231ps {{.*}}%zmm
// TILES-LABEL: ssd_bf16:
// TILES: tdpbf16ps %tmm
func.func @ssd_bf16(%bx: memref<?x2x64xf32>, %bdt: memref<?x2xf32>, %ba: memref<2xf32>, %bb: memref<?x1x128xf32>, %by: memref<?x2x64xf32>, %bh: memref<2x128x64xf32>) {
  %x = bufferization.to_tensor %bx restrict : memref<?x2x64xf32> to tensor<?x2x64xf32>
  %dt = bufferization.to_tensor %bdt restrict : memref<?x2xf32> to tensor<?x2xf32>
  %a = bufferization.to_tensor %ba restrict : memref<2xf32> to tensor<2xf32>
  %b = bufferization.to_tensor %bb restrict : memref<?x1x128xf32> to tensor<?x1x128xf32>
  %y = bufferization.to_tensor %by restrict writable : memref<?x2x64xf32> to tensor<?x2x64xf32>
  %h = bufferization.to_tensor %bh restrict writable : memref<2x128x64xf32> to tensor<2x128x64xf32>
  %r:2 = cheems_cpu.ssd allow_bf16 ins(%x, %dt, %a, %b, %b : tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x128xf32>, tensor<?x1x128xf32>)
                    outs(%y, %h : tensor<?x2x64xf32>, tensor<2x128x64xf32>) -> tensor<?x2x64xf32>, tensor<2x128x64xf32>
  bufferization.materialize_in_destination %r#0 in restrict writable %by : (tensor<?x2x64xf32>, memref<?x2x64xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %bh : (tensor<2x128x64xf32>, memref<2x128x64xf32>) -> ()
  return
}
