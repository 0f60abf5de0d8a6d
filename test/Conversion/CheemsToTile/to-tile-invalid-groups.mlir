// Groups that no kernel could follow are refused: matmuls of one launch have one input, and only matmuls may read a row that they make.
// RUN: cheems-opt %s --split-input-file --cheems-select-gpu-strategy --cheems-to-tile --verify-diagnostics

#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
func.func @two_inputs(%a: tensor<?x256xbf16>, %b: tensor<?x256xbf16>, %v: tensor<128x256xbf16>, %w: tensor<128x256xbf16>, %z: tensor<?x128xf32>) -> (tensor<?x128xf32>,tensor<?x128xf32>) {
 %zero = arith.constant 0.0 : f32
 %P:2 = cheems_tile.group matmuls -> tensor<?x128xf32>, tensor<?x128xf32> {
    %fp = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    // expected-error@below {{is in a group of kind matmuls that no kernel has: let cheems-form-groups form it}}
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%a, %v : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%fp : tensor<?x128xf32>) -> tensor<?x128xf32>
    %fq = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%b, %w : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%fq : tensor<?x128xf32>) -> tensor<?x128xf32>

 cheems_tile.group_yield %p, %q : tensor<?x128xf32>, tensor<?x128xf32>
 }
 return %P#0, %P#1 : tensor<?x128xf32>, tensor<?x128xf32>
}}

// -----

#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  func.func @rows_yielded_twice(%x: tensor<?x256xf32>, %g: tensor<256xf32>, %v: tensor<128x256xbf16>, %n: tensor<?x256xf32>, %r: tensor<?x256xbf16>,
                  %z: tensor<?x128xf32>) -> (tensor<?x256xbf16>, tensor<?x128xf32>) attributes {cheems.most_rows = 64 : i64} {
    %zero = arith.constant 0.0 : f32
    %N:2 = cheems_tile.group norm in_matmuls -> tensor<?x256xbf16>, tensor<?x256xbf16> {
    // expected-error@below {{is in a group of kind norm in_matmuls, and not only matmuls of few rows that can stand there read it}}
    %0 = cheems.rms_norm epsilon 1.0e-06 ins(%x, %g : tensor<?x256xf32>, tensor<256xf32>) outs(%n : tensor<?x256xf32>) -> tensor<?x256xf32>
    %1 = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x256xf32>) outs(%r : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %6 = arith.truncf %in : f32 to bf16
      linalg.yield %6 : bf16
    } -> tensor<?x256xbf16>
    cheems_tile.group_yield %1, %1 : tensor<?x256xbf16>, tensor<?x256xbf16>
    }
    %P = cheems_tile.group matmuls -> tensor<?x128xf32> {
    %2 = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %3 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%N#1, %v : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%2 : tensor<?x128xf32>) -> tensor<?x128xf32>
    cheems_tile.group_yield %3 : tensor<?x128xf32>
    }
    return %N#0, %P : tensor<?x256xbf16>, tensor<?x128xf32>
  }
}

// -----

#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
func.func @matmuls_of_f32(%x: tensor<?x256xf32>, %g: tensor<256xf32>, %v: tensor<128x256xf32>, %n: tensor<?x256xf32>, %r: tensor<?x256xf32>, %z: tensor<?x128xf32>) -> (tensor<?x128xf32>) attributes {cheems.most_rows = 64 : i64} {
 %zero = arith.constant 0.0 : f32
 %N = cheems_tile.group norm in_matmuls -> tensor<?x256xf32> {
    // expected-error@below {{is in a group of kind norm in_matmuls, and not only matmuls of few rows that can stand there read it}}
  %0 = cheems.rms_norm epsilon 1.0e-06 ins(%x, %g : tensor<?x256xf32>, tensor<256xf32>) outs(%n : tensor<?x256xf32>) -> tensor<?x256xf32>

  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x256xf32>) outs(%r : tensor<?x256xf32>) {
    ^bb0(%i: f32, %o: f32):
      %6 = arith.addf %i, %i : f32
      linalg.yield %6 : f32
    } -> tensor<?x256xf32>
  cheems_tile.group_yield %s : tensor<?x256xf32>
 }
 %P = cheems_tile.group matmuls -> tensor<?x128xf32> {
    %fp = linalg.fill ins(%zero : f32) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%N, %v : tensor<?x256xf32>, tensor<128x256xf32>) outs(%fp : tensor<?x128xf32>) -> tensor<?x128xf32>

 cheems_tile.group_yield %p : tensor<?x128xf32>
 }
 return %P : tensor<?x128xf32>
}}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350>} {
  func.func @rounded(%arg0: tensor<?x256xf32>, %arg1: tensor<64x128xi8>, %arg2: tensor<64x4xbf16>, %arg3: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?xf32>) attributes {cheems.most_rows = 64 : i64} {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x256xf32>
    %0 = tensor.empty(%dim) : tensor<?x256xi8>
    %1 = tensor.empty(%dim) : tensor<?xf32>
    %2:2 = cheems_tile.group rounding in_matmuls -> tensor<?x256xi8>, tensor<?xf32> {
    // expected-error@below {{is in a group of kind rounding in_matmuls, and not only matmuls of few rows that can stand there read it}}
      %4:2 = cheems.quantize_entries ins(%arg0 : tensor<?x256xf32>) outs(%0, %1 : tensor<?x256xi8>, tensor<?xf32>) -> tensor<?x256xi8>, tensor<?xf32>
      cheems_tile.group_yield %4#0, %4#1 : tensor<?x256xi8>, tensor<?xf32>
    }
    %3 = cheems_tile.group matmuls -> tensor<?x64xf32> {
      %4 = cheems_tile.quantized_matmul bits 4 ins(%2#0, %2#1 : tensor<?x256xi8>, tensor<?xf32>) weights(%arg1, %arg2 : tensor<64x128xi8>, tensor<64x4xbf16>) outs(%arg3 : tensor<?x64xf32>) -> tensor<?x64xf32>
      cheems_tile.group_yield %4 : tensor<?x64xf32>
    }
    return %3, %2#1 : tensor<?x64xf32>, tensor<?xf32>
  }
}

// -----

// Attention takes what is in its group, and nothing else.
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
func.func @rotation_before_its_group(%q: tensor<?x4x64xf32>, %key: tensor<?x2x64xf32>, %value: tensor<?x2x64xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>,
    %layer: index, %c: tensor<?x32xf32>, %s: tensor<?x32xf32>, %y: tensor<?x4x64xf32>, %keys: tensor<?x3x2x?x64xbf16>, %values: tensor<?x3x2x?x64xbf16>,
    %masks: tensor<?x3x2x?xf32>) -> tensor<?x4x64xf32> attributes {cheems.most_rows = 64 : i64} {
  // expected-error@below {{is in no group whose kernels take it: cheems-form-groups comes first}}
  %turned = cheems.rotary ins(%q, %c, %s : tensor<?x4x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>) outs(%y : tensor<?x4x64xf32>) -> tensor<?x4x64xf32>
  %g:4 = cheems_tile.group attention -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32> {
    %o:4 = cheems.segmented_attention bias scale 0.125 block 64 one_row
        ins(%turned, %key, %value : tensor<?x4x64xf32>, tensor<?x2x64xf32>, tensor<?x2x64xf32>) mask(%mask : tensor<?x2xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%layer)
        outs(%y, %keys, %values, %masks : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>)
        -> tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
    cheems_tile.group_yield %o#0, %o#1, %o#2, %o#3 : tensor<?x4x64xf32>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?x64xbf16>, tensor<?x3x2x?xf32>
  }
  return %g#0 : tensor<?x4x64xf32>
}
}
