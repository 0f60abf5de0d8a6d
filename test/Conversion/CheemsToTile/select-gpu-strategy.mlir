// RUN: cheems-opt %s --cheems-set-gpu=arch=sm_80 --cheems-form-groups --cheems-select-gpu-strategy | FileCheck %s
// RUN: cheems-opt %s --cheems-set-gpu=arch=sm_90a --cheems-form-groups --cheems-select-gpu-strategy | FileCheck %s --check-prefix=HOPPER
// RUN: not cheems-opt %s --cheems-select-gpu-strategy 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: has no #cheems_tile.target as cheems.target
// RUN: not cheems-opt %s --cheems-set-gpu=arch=sm_80 --cheems-form-groups --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=UNSAID
// RUN: not cheems-opt %s --cheems-set-gpu=arch=sm_80 --cheems-to-tile 2>&1 | FileCheck %s --check-prefix=NO-GROUP
// NO-GROUP: error: 'linalg.fill' op is in no group whose kernels take it: cheems-form-groups comes first
// UNSAID: error: 'linalg.matmul' op has no strategy: cheems-select-gpu-strategy comes first

#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>

// Rows of 512 numbers and 4,096 outputs: large tiles, and on Hopper's own unit wider ones for very many rows.
// CHECK-LABEL: @many
// CHECK: linalg.matmul {{.*}}{cheems_tile.strategy = #cheems_tile.matmul_strategy<many = <rows = 128, columns = 128, depth = 64, stages = 3, warps_m = 2, warps_n = 2>>}
// HOPPER-LABEL: @many
// HOPPER: linalg.matmul {{.*}}{cheems_tile.strategy = #cheems_tile.matmul_strategy<many = <rows = 128, columns = 128, depth = 64, stages = 3, warps_m = 8, warps_n = 1, unit = wgmma, copy = bulk>, wide = <rows = 128, columns = 256, depth = 64, stages = 4, warps_m = 8, warps_n = 1, unit = wgmma, copy = bulk>, wide_from = 4224>}
func.func @many(%x: tensor<?x512xbf16>, %w: tensor<2048x512xbf16>, %y: tensor<?x2048xf32>) -> tensor<?x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %1 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x512xbf16>, tensor<2048x512xbf16>) outs(%0 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  return %1 : tensor<?x2048xf32>
}

// Few rows, one row, and one that blocks make themselves.
// CHECK-LABEL: @few
// CHECK: linalg.matmul {{.*}}{cheems_tile.strategy = #cheems_tile.matmul_strategy<few = <rows = 64, columns = 16, depth = 128, ahead = 1, warps = 4>, one = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, making = <rows = 8, columns = 16, depth = 128, ahead = 4, warps = 4>, row = <rows = 1, threads = 128, width = 4, columns = 512>, merge = <most = 32, ahead = 4, warps = 4>>}
func.func @few(%x: tensor<?x512xbf16>, %w: tensor<2048x512xbf16>, %y: tensor<?x2048xf32>) -> tensor<?x2048xf32> attributes {cheems.most_rows = 64 : i64} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %1 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x512xbf16>, tensor<2048x512xbf16>) outs(%0 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  return %1 : tensor<?x2048xf32>
}

// If two matmuls share a launch, the first one has the strategy of both.
// HOPPER-LABEL: @group
// HOPPER: matmul_strategy<many = <{{[^>]*}}>, wide = <{{[^>]*}}>, wide_from = 2816>
// HOPPER-NOT: matmul_strategy
// HOPPER-LABEL: @said
func.func @group(%x: tensor<?x512xbf16>, %w: tensor<2048x512xbf16>, %v: tensor<1024x512xbf16>, %y: tensor<?x2048xf32>, %z: tensor<?x1024xf32>) -> (tensor<?x2048xf32>, tensor<?x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%z : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %2 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x512xbf16>, tensor<2048x512xbf16>) outs(%0 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %3 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %v : tensor<?x512xbf16>, tensor<1024x512xbf16>) outs(%1 : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  return %2, %3 : tensor<?x2048xf32>, tensor<?x1024xf32>
}

// What an op says stays.
// CHECK-LABEL: @said
// CHECK: matmul_strategy<many = <rows = 64, columns = 32, depth = 16, stages = 2, warps_m = 2, warps_n = 1>>
func.func @said(%x: tensor<?x512xf32>, %w: tensor<2048x512xf32>, %y: tensor<?x2048xf32>) -> tensor<?x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%y : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  %1 = linalg.matmul indexing_maps = [#x, #w, #y] {cheems_tile.strategy = #cheems_tile.matmul_strategy<many = <rows = 64, columns = 32, depth = 16, stages = 2, warps_m = 2, warps_n = 1>>} ins(%x, %w : tensor<?x512xf32>, tensor<2048x512xf32>) outs(%0 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  return %1 : tensor<?x2048xf32>
}

// Rows of 4,096 numbers are one block's.
// CHECK-LABEL: @norm
// CHECK: cheems.rms_norm epsilon {{[^ ]*}} {cheems_tile.strategy = #cheems_tile.row_tile<rows = 1, threads = 128, width = 4, columns = 4096>}
// doc: cheems-set-gpu{arch=sm_80},cheems-form-groups,cheems-select-gpu-strategy
func.func @norm(%x: tensor<?x4096xf32>, %w: tensor<4096xf32>, %y: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %0 = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<?x4096xf32>, tensor<4096xf32>) outs(%y : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  return %0 : tensor<?x4096xf32>
}
// doc-end
