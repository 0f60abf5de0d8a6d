// RUN: cheems-opt %s --split-input-file --cheems-group-attention | FileCheck %s

// If there are few sequences with one row each, matmuls that alone read what attention rounds may merge its splits.
// CHECK-LABEL: func.func @decode_after
// CHECK: %[[ROUNDED:.*]] = cheems_tile.group attention in_matmuls -> tensor<?x384xbf16> {
// CHECK: cheems.segmented_attention
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic
// CHECK: %[[Y:.*]] = cheems_tile.group matmuls -> tensor<?x256xf32> {
// CHECK: linalg.matmul {{.*}} ins(%[[ROUNDED]],
// CHECK: return %[[Y]]
// doc: cheems-group-attention
#all = affine_map<(t, n) -> (t, n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#s = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @decode_after(%q: tensor<?x6x64xf32>, %key: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %y: tensor<?x6x64xf32>, %segments: tensor<?x8xi32>,
                           %layer: index, %keys: tensor<?x1x2x?x64xbf16>, %values: tensor<?x1x2x?x64xbf16>, %masks: tensor<?x1x2x?xf32>,
                           %e: tensor<?x256xf32>, %a: tensor<256x384xbf16>) -> tensor<?x256xf32> attributes {cheems.most_rows = 64 : i64} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %q, %c0 : tensor<?x6x64xf32>
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64 one_row
        ins(%q, %key, %key : tensor<?x6x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x6x64xf32>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?xf32>)
        -> tensor<?x6x64xf32>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?x64xbf16>, tensor<?x1x2x?xf32>
    %c = tensor.collapse_shape %o#0 [[0], [1, 2]] : tensor<?x6x64xf32> into tensor<?x384xf32>
    %r = tensor.empty(%rows) : tensor<?x384xbf16>
    %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<?x384xf32>) outs(%r : tensor<?x384xbf16>) {
    ^bb0(%n: f32, %old: bf16):
      %1 = arith.truncf %n : f32 to bf16
      linalg.yield %1 : bf16
    } -> tensor<?x384xbf16>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #s] ins(%rounded, %a : tensor<?x384xbf16>, tensor<256x384xbf16>) outs(%f : tensor<?x256xf32>) -> tensor<?x256xf32>
    return %p : tensor<?x256xf32>
  }
}
// doc-end

// -----

// A prompt's keys are rotated by the kernel that stores entries. Its queries are rotated before.
// CHECK-LABEL: func.func @prompt
// CHECK: %[[QUERY:.*]] = cheems.rotary ins(%arg0,
// CHECK-NOT: cheems.rotary
// CHECK: %[[ALL:.*]]:4 = cheems_tile.group attention -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32> {
// CHECK: %[[KEY:.*]] = cheems.rotary ins(%arg1,
// CHECK: cheems.segmented_attention {{.*}} ins(%[[QUERY]], %[[KEY]],
// CHECK: return %[[ALL]]#0
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @prompt(%query: tensor<?x4x64xf32>, %k: tensor<?x2x64xf32>, %cosine: tensor<?x32xf32>, %sine: tensor<?x32xf32>, %value: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>,
                    %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x64xf32>, %keys: tensor<?x3x2x?x64xbf16>,
                    %values: tensor<?x3x2x?x64xbf16>, %masks: tensor<?x3x2x?xf32>)
      -> (tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>) {
    %q = cheems.rotary ins(%query, %cosine, %sine : tensor<?x4x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>) outs(%y : tensor<?x4x64xf32>) -> tensor<?x4x64xf32>
    %key = cheems.rotary ins(%k, %cosine, %sine : tensor<?x2x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>) outs(%value : tensor<?x2x64xf32>) -> tensor<?x2x64xf32>
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64
        ins(%q, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>)
        -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
    return %o#0, %o#1, %o#2, %o#3 : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
  }
}
