// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
#all = affine_map<(t, n) -> (t, n)>
// CHECK-LABEL: func.func @normed
// CHECK: cheems_tile.group norm in_matmuls -> tensor<?x256xf32>, tensor<?x256xbf16> {
// CHECK: cheems_tile.group_yield %{{.*}}, %{{.*}} : tensor<?x256xf32>, tensor<?x256xbf16>
// CHECK: cheems_tile.group matmuls -> tensor<?x128xf32> {
// CHECK: cheems_tile.group_yield %{{.*}} : tensor<?x128xf32>
func.func @normed(%x: tensor<?x256xf32>, %v: tensor<256xf32>, %w: tensor<128x256xbf16>, %n: tensor<?x256xf32>, %r: tensor<?x256xbf16>, %z: tensor<?x128xf32>)
    -> (tensor<?x256xf32>, tensor<?x128xf32>) {
  %0:2 = cheems_tile.group norm in_matmuls -> tensor<?x256xf32>, tensor<?x256xbf16> {
    %a = cheems.rms_norm epsilon 1.0e-06 ins(%x, %v : tensor<?x256xf32>, tensor<256xf32>) outs(%n : tensor<?x256xf32>) -> tensor<?x256xf32>
    %b = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x256xf32>) outs(%r : tensor<?x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %t = arith.truncf %in : f32 to bf16
      linalg.yield %t : bf16
    } -> tensor<?x256xbf16>
    cheems_tile.group_yield %a, %b : tensor<?x256xf32>, tensor<?x256xbf16>
  }
  %1 = cheems_tile.group matmuls -> tensor<?x128xf32> {
    %c = linalg.matmul indexing_maps = [#x, #w, #y] ins(%0#1, %w : tensor<?x256xbf16>, tensor<128x256xbf16>) outs(%z : tensor<?x128xf32>) -> tensor<?x128xf32>
    cheems_tile.group_yield %c : tensor<?x128xf32>
  }
  return %0#0, %1 : tensor<?x256xf32>, tensor<?x128xf32>
}

// CHECK-LABEL: func.func @no_result
// CHECK: cheems_tile.group positions attributes {text = "kept"} {
func.func @no_result(%segments: tensor<?x8xi32>, %a: tensor<?xi32>) {
  cheems_tile.group positions attributes {text = "kept"} {
    %0:2 = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%a, %a : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
    cheems_tile.group_yield
  }
  return
}
