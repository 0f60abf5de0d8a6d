// Passes say what they did, and why they left something: --remarks-filter.
// RUN: cheems-opt %s --cheems-fuse-epilogues --remarks-filter='cheems.*' -o /dev/null 2>&1 | FileCheck %s
// RUN: cheems-opt %s --cheems-fuse-epilogues -o /dev/null 2>&1 | count 0

#row = affine_map<(t, n) -> (t, n)>

// CHECK: [Passed] epilogue | Category:cheems-fuse-epilogues | Function=relu
// CHECK-SAME: products=1
func.func @relu(%x: tensor<4x8xf32>, %w: tensor<1x8x16x1xf32>, %y: tensor<4x16xf32>, %z: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = cheems_cpu.linear ins(%x : tensor<4x8xf32>) weights(%w : tensor<1x8x16x1xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x16xf32>) outs(%z : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// CHECK: [Missed] epilogue | Category:cheems-fuse-epilogues | Function=overlap
// CHECK-SAME: its destination is an operand
func.func @overlap(%x: tensor<4x16xf32>, %w: tensor<1x16x16x1xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %p = cheems_cpu.linear ins(%x : tensor<4x16xf32>) weights(%w : tensor<1x16x16x1xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<4x16xf32>) outs(%x : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
