// RUN: cheems-opt %s --split-input-file --cheems-group-matmuls | FileCheck %s

// Two matmuls that one op reads are one group, with that op. What fills their sums with zeros is in it.
// CHECK-LABEL: func.func @gated
// CHECK-NOT: linalg
// CHECK: %[[Y:.*]] = cheems_tile.group matmuls -> tensor<?x128xf32> {
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: linalg.generic
// CHECK: cheems_tile.group_yield
// CHECK: return %[[Y]]
// doc: cheems-group-matmuls
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @gated(%x: tensor<?x256xbf16>, %v: tensor<128x256xbf16>, %w: tensor<128x256xbf16>, %z: tensor<?x128xf32>) -> tensor<?x128xf32> {
    %zero = arith.constant 0.0 : f32
    %0 = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %1 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %v : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %2 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %3 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
        ins(%1, %2 : tensor<?x128xf32>, tensor<?x128xf32>) outs(%z : tensor<?x128xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %4 = arith.mulf %a, %b : f32
      linalg.yield %4 : f32
    } -> tensor<?x128xf32>
    return %3 : tensor<?x128xf32>
  }
}
// doc-end

// -----

// If rows are many, one launch has matmuls with the same tiles. The second one stands with the first one.
// CHECK-LABEL: func.func @one_input
// CHECK: %[[BOTH:.*]]:2 = cheems_tile.group matmuls -> tensor<?x128xf32>, tensor<?x128xf32> {
// CHECK-COUNT-2: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK: cheems_tile.group_yield
// CHECK: linalg.generic
// CHECK: cheems_tile.group matmuls -> tensor<?x2048xf32> {
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @one_input(%x: tensor<?x256xbf16>, %v: tensor<128x256xbf16>, %w: tensor<128x256xbf16>, %u: tensor<2048x256xbf16>, %z: tensor<?x128xf32>, %r: tensor<?x2048xf32>)
      -> (tensor<?x128xf32>, tensor<?x128xf32>, tensor<?x2048xf32>) {
    %zero = arith.constant 0.0 : f32
    %0 = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %1 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %v : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %2 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%r : tensor<?x2048xf32>) {
    ^bb0(%out: f32):
      %5 = arith.addf %out, %out : f32
      linalg.yield %5 : f32
    } -> tensor<?x2048xf32>
    %3 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %6 = linalg.fill ins(%zero : f32) outs(%2 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    %4 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %u : tensor<?x256xbf16>, tensor<2048x256xbf16>) outs(%6 : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    return %1, %3, %4 : tensor<?x128xf32>, tensor<?x128xf32>, tensor<?x2048xf32>
  }
}

// -----

// If rows are few, matmuls may make the row themselves if they alone read it. Others may read the norm.
// CHECK-LABEL: func.func @made
// CHECK: %[[N:.*]]:2 = cheems_tile.group norm in_matmuls -> tensor<?x256xf32>, tensor<?x256xbf16> {
// CHECK: cheems.rms_norm
// CHECK: linalg.generic
// CHECK: %[[P:.*]]:2 = cheems_tile.group matmuls
// CHECK-COUNT-2: linalg.matmul {{.*}} ins(%[[N]]#1,
// CHECK: return %[[N]]#0, %[[P]]#0, %[[P]]#1
// Else they do not.
// CHECK-LABEL: func.func @read
// CHECK-NOT: in_matmuls
// CHECK: cheems.rms_norm
// CHECK: cheems_tile.group matmuls
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @made(%x: tensor<?x256xf32>, %g: tensor<256xf32>, %v: tensor<128x256xbf16>, %w: tensor<64x256xbf16>, %n: tensor<?x256xf32>, %r: tensor<?x256xbf16>,
                  %z: tensor<?x128xf32>, %u: tensor<?x64xf32>) -> (tensor<?x256xf32>, tensor<?x128xf32>, tensor<?x64xf32>) attributes {cheems.most_rows = 64 : i64} {
    %zero = arith.constant 0.0 : f32
    %0 = cheems.rms_norm epsilon 1.0e-06 ins(%x, %g : tensor<?x256xf32>, tensor<256xf32>) outs(%n : tensor<?x256xf32>) -> tensor<?x256xf32>
    %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x256xf32>) outs(%r : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %6 = arith.truncf %in : f32 to bf16
      linalg.yield %6 : bf16
    } -> tensor<?x256xbf16>
    %2 = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %3 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%1, %v : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%2 : tensor<?x128xf32>) -> tensor<?x128xf32>
    %4 = linalg.fill ins(%zero : f32) outs(%u : tensor<?x64xf32>) -> tensor<?x64xf32>
    %5 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%1, %w : tensor<?x256xbf16>, tensor<64x256xbf16>) outs(%4 : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %0, %3, %5 : tensor<?x256xf32>, tensor<?x128xf32>, tensor<?x64xf32>
  }
  func.func @read(%x: tensor<?x256xf32>, %g: tensor<256xf32>, %v: tensor<128x256xbf16>, %n: tensor<?x256xf32>, %r: tensor<?x256xbf16>, %z: tensor<?x128xf32>)
      -> (tensor<?x256xbf16>, tensor<?x128xf32>) attributes {cheems.most_rows = 64 : i64} {
    %zero = arith.constant 0.0 : f32
    %0 = cheems.rms_norm epsilon 1.0e-06 ins(%x, %g : tensor<?x256xf32>, tensor<256xf32>) outs(%n : tensor<?x256xf32>) -> tensor<?x256xf32>
    %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x256xf32>) outs(%r : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %6 = arith.truncf %in : f32 to bf16
      linalg.yield %6 : bf16
    } -> tensor<?x256xbf16>
    %2 = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %3 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%1, %v : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%2 : tensor<?x128xf32>) -> tensor<?x128xf32>
    return %1, %3 : tensor<?x256xbf16>, tensor<?x128xf32>
  }
}
