// RUN: cheems-opt %s --split-input-file --cheems-gpu-kernels --canonicalize --cse | FileCheck %s

// 1,536 outputs are six tiles of 256: from 44 x 128 rows on they are two tiles per multiprocessor of an H100. A step has one of both launches.
// CHECK-LABEL: func.func @many
// CHECK: %[[FROM:.*]] = arith.constant 5632 : index
// CHECK: %[[ROWS:.*]] = tensor.dim %arg0
// CHECK: %[[FEWER:.*]] = arith.cmpi ult, %[[ROWS]], %[[FROM]]
// CHECK: %[[MORE:.*]] = arith.cmpi uge, %[[ROWS]], %[[FROM]]
// CHECK: launch @matmul when %[[FEWER]] grid[%c12,
// CHECK: launch @matmul_wide when %[[MORE]] grid[%c6,
// CHECK: kernel @matmul({{.*}}tensor_map<128x64xbf16>, %{{.*}}: !cheems_tile.tensor_map<128x64xbf16>
// CHECK: kernel @matmul_wide({{.*}}tensor_map<128x64xbf16>, %{{.*}}: !cheems_tile.tensor_map<256x64xbf16>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>} {
  func.func @many(%x: tensor<?x768xbf16>, %w: tensor<1536x768xbf16>, %e: tensor<?x1536xf32>) -> tensor<?x1536xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1536xf32>) -> tensor<?x1536xf32>
    %y = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x768xbf16>, tensor<1536x768xbf16>) outs(%f : tensor<?x1536xf32>) -> tensor<?x1536xf32>
    return %y : tensor<?x1536xf32>
  }
}

// -----

// For so few outputs no usual step has enough tiles. 4,096 have wide tiles anyway.
// CHECK-LABEL: func.func @few_outputs
// CHECK-NOT: matmul_wide
// CHECK-LABEL: func.func @most_outputs
// CHECK-NOT: matmul_wide
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>} {
  func.func @few_outputs(%x: tensor<?x256xbf16>, %w: tensor<512x256xbf16>, %e: tensor<?x512xf32>) -> tensor<?x512xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
    %y = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x256xbf16>, tensor<512x256xbf16>) outs(%f : tensor<?x512xf32>) -> tensor<?x512xf32>
    return %y : tensor<?x512xf32>
  }
  func.func @most_outputs(%x: tensor<?x256xbf16>, %w: tensor<4096x256xbf16>, %e: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    %y = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x256xbf16>, tensor<4096x256xbf16>) outs(%f : tensor<?x4096xf32>) -> tensor<?x4096xf32>
    return %y : tensor<?x4096xf32>
  }
}

// -----

// Registers have no room for 256 outputs and two tiles that are added to them: one that is read, and the one that is written to.
// CHECK-LABEL: func.func @two_tiles
// CHECK-NOT: matmul_wide
#all = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>} {
  func.func @two_tiles(%x: tensor<?x768xbf16>, %w: tensor<1536x768xbf16>, %e: tensor<?x1536xf32>, %r: tensor<?x1536xf32>, %o: tensor<?x1536xf32>) -> tensor<?x1536xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1536xf32>) -> tensor<?x1536xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x768xbf16>, tensor<1536x768xbf16>) outs(%f : tensor<?x1536xf32>) -> tensor<?x1536xf32>
    %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %r : tensor<?x1536xf32>, tensor<?x1536xf32>) outs(%o : tensor<?x1536xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %1 = arith.addf %a, %b : f32
      %2 = arith.addf %1, %c : f32
      linalg.yield %2 : f32
    } -> tensor<?x1536xf32>
    return %y : tensor<?x1536xf32>
  }
}
