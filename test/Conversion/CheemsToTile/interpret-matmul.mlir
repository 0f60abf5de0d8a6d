// Matmuls by rings that are filled compute what the op is, on whole tiles: of one block and of several, with remainders of rows and of k. All numbers are
// whole, so that any order of sums gives the same.
// RUN: python3 %S/Inputs/product.py %t.in.safetensors
// RUN: cheems-opt %s --cheems-gpu-kernels --canonicalize --cse -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: cheems-opt %s --cheems-interpret='entry=main inputs=%t.in.safetensors outputs=%t.op.safetensors' -o /dev/null
// RUN: cheems-opt %t.mlir --cheems-interpret='entry=main inputs=%t.in.safetensors outputs=%t.tile.safetensors' -o /dev/null
// RUN: cmp %t.op.safetensors %t.tile.safetensors
// A group computes what its ops do.
// RUN: cheems-opt %s --cheems-form-groups --cheems-interpret='entry=main inputs=%t.in.safetensors outputs=%t.groups.safetensors' -o /dev/null
// RUN: cmp %t.op.safetensors %t.groups.safetensors

// A filler that ran too early, or a stage that is not the ring's, would be seen.
// RUN: sed -e 's/stages 4/stages 3/' %t.mlir > %t.short.mlir
// RUN: not cheems-opt %t.short.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: C4: its buffers have 3 stages, not 4

// CHECK: cheems_tile.ring
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>} {
  func.func @main(%x: tensor<?x456xbf16> {cheems.name = "x"}, %w: tensor<100x456xbf16> {cheems.name = "w"}, %e: tensor<?x100xf32> {cheems.name = "y"})
      -> (tensor<?x100xf32> {cheems.name = "y"}) {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x100xf32>) -> tensor<?x100xf32>
    %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x456xbf16>, tensor<100x456xbf16>) outs(%f : tensor<?x100xf32>) -> tensor<?x100xf32>
    return %p : tensor<?x100xf32>
  }
}
