// Of a static count of no rows there is no last one, whose count would be read.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-tile-keys{keys=64}))' | FileCheck %s

// CHECK-LABEL: @no_rows
// CHECK-NOT: tensor.extract %
// CHECK: cheems.online_attention
// CHECK-NOT: tensor.extract %
// CHECK: return
func.func @no_rows(%q: tensor<0x2x8xf32>, %k: tensor<1x?x8xf32>, %mask: tensor<2x?xf32>, %first: index, %s: tensor<0xi32>, %y: tensor<0x2x8xf32>) -> tensor<0x2x8xf32> {
  %r = cheems.dynamic_mask_attention threshold scale 0.5 hide_below 1.0 ins(%q, %k, %k, %mask, %first : tensor<0x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<2x?xf32>, index) seen(%s : tensor<0xi32>) outs(%y : tensor<0x2x8xf32>) -> tensor<0x2x8xf32>
  return %r : tensor<0x2x8xf32>
}
