// From a step's matmul to PTX, and that on the software GPU: as a pass developer would type it, for decoding and for prompts, on both
// GPUs, with both units and both copies. Inputs and sums are whole numbers that bf16 and f32 have, so row t and column n are 3 + (t + 1) (64 n + 28).
// REQUIRES: cheems-translate, cheems-ptx-run
// DEFINE: %{x} = --buffer x:bf16[2x8]=1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2 --arg s32:2 --arg s32:8
// DEFINE: %{w} = --buffer w:bf16[4x8]=iota --arg s32:4 --arg s32:8
// DEFINE: %{mapped} = %{x} %{w} --tensor-map x[64x64]:128 --tensor-map w[16x64]:128 --buffer y:f32[2x4]=3 --arg s32:2
// DEFINE: %{inputs} = %{x} %{w} --buffer y:f32[2x4]=3 --arg s32:2
// RUN: cheems-opt %s --cheems-cuda | cheems-translate --to-ptx | cheems-ptx-run - --kernel matmul_few_rows --grid 1 --block 128 --shared 16384 %{inputs} --print y | FileCheck %s
// RUN: cheems-opt %s --cheems-cuda=copy=threads | cheems-translate --to-ptx | cheems-ptx-run - --kernel matmul --grid 1 --block 128 --shared 40960 %{inputs} --print y | FileCheck %s
// RUN: cheems-opt %s --cheems-cuda | cheems-translate --to-ptx | cheems-ptx-run - --kernel matmul --grid 1 --block 160 --shared 41024 %{mapped} --print y | FileCheck %s
// RUN: cheems-opt %s --cheems-cuda | cheems-translate --to-ptx | cheems-ptx-run - --kernel matmul --grid 1 --block 160 --shared 41024 %{mapped} --print y --mode late --seed 3 | FileCheck %s
// RUN: cheems-opt %s --cheems-cuda=unit=mma | cheems-translate --to-ptx | cheems-ptx-run - --kernel matmul --grid 1 --block 64 --shared 18432 %{inputs} --print y | FileCheck %s

// DEFINE: %{on_80} = cheems-opt %s --cheems-cuda=arch=sm_80 | cheems-translate --to-ptx --cuda-arch sm_80 | cheems-ptx-run - --arch 80 --mode late
// RUN: %{on_80} --kernel matmul_few_rows --grid 1 --block 128 --shared 16384 %{inputs} --print y | FileCheck %s
// RUN: %{on_80} --kernel matmul --grid 1 --block 64 --shared 18432 %{inputs} --print y | FileCheck %s

// CHECK: y: f32[2x4]
// CHECK-NEXT: {{^}} 31 95 159 223{{$}}
// CHECK-NEXT: {{^}} 59 187 315 443{{$}}
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
func.func @decode(%x: tensor<?x8xbf16>, %w: tensor<4x8xbf16>, %residual: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {cheems.most_rows = 64 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x8xbf16>
  %empty = tensor.empty(%rows) : tensor<?x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %sums = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x8xbf16>, tensor<4x8xbf16>) outs(%start : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<?x4xf32>) outs(%residual : tensor<?x4xf32>) {
  ^bb0(%s: f32, %r: f32):
    %sum = arith.addf %r, %s : f32
    linalg.yield %sum : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @prompt(%x: tensor<?x8xbf16>, %w: tensor<4x8xbf16>, %residual: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x8xbf16>
  %empty = tensor.empty(%rows) : tensor<?x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %sums = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x8xbf16>, tensor<4x8xbf16>) outs(%start : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<?x4xf32>) outs(%residual : tensor<?x4xf32>) {
  ^bb0(%s: f32, %r: f32):
    %sum = arith.addf %r, %s : f32
    linalg.yield %sum : f32
  } -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
