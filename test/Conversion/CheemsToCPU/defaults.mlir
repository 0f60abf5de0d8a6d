// A pass alone does what it does in a pipeline where neither is told anything else: one default for each option.
// RUN: cheems-opt %s --cheems-select-strategy | FileCheck %s --check-prefixes=TARGET,SIZES
// RUN: cheems-opt %s --cheems-fast=to=tiled | FileCheck %s --check-prefixes=TARGET,LOOPS
// RUN: echo 'module {}' | cheems-opt --cheems-select-strategy | FileCheck %s --check-prefix=TARGET
// RUN: echo 'module {}' | cheems-opt --cheems-fast=to=tiled | FileCheck %s --check-prefix=TARGET
// TARGET: cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>
// SIZES: cheems_cpu.dynamic_mask_attention {{.*}}#cheems_cpu.attention_strategy<rows = 64, keys = 384>
// LOOPS: arith.constant 384 : index
func.func @rows(%q: tensor<?x2x8xf32>, %k: tensor<1x?x8xf32>, %mask: tensor<1x?xf32>, %first: index, %y: tensor<?x2x8xf32>) -> tensor<?x2x8xf32> {
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %mask, %first : tensor<?x2x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?xf32>, index) outs(%y : tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  return %r : tensor<?x2x8xf32>
}
