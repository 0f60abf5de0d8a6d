// Sizes follow from the module's target, or from options where it says none.
// RUN: cheems-opt %s --cheems-select-strategy="lanes=16 registers=32 products=amx" --split-input-file | FileCheck %s
// RUN: cheems-opt %s --cheems-select-strategy="lanes=8 registers=16" --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: not cheems-opt %s --cheems-select-strategy="lanes=12" --split-input-file 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: no target to select sizes for: registers have 8 or 16 lanes, not 12
// Those that split take the sizes off, and leave nothing of them.
// RUN: cheems-opt %s --cheems-fast=to=tiled --split-input-file | FileCheck %s --check-prefix=TAKEN --implicit-check-not=cheems.panels --implicit-check-not=cheems.rows --implicit-check-not=cheems.keys --implicit-check-not=cheems.chunk
// TAKEN: module attributes {cheems.chunk = 48 : i64, cheems.prefill = 512 : i64, cheems.stage = #cheems.stage<tiled>, cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>}
// TAKEN: module attributes {cheems.prefill

// CHECK: module attributes {cheems.chunk = 48 : i64, cheems.prefill = 512 : i64, cheems.target = #cheems_cpu.target<lanes = 16, registers = 32, products = amx>}
// NARROW: module attributes {{.*}}cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>}
// CHECK-LABEL: @layer
// CHECK: cheems.rms_norm {{.*}}{cheems.rows = 32 : i64}
// CHECK: cheems_cpu.linear {cheems.panels = 8 : i64}
// NARROW-LABEL: @layer
// NARROW: cheems_cpu.linear {cheems.panels = 4 : i64}
// doc: cheems-select-strategy{lanes=16 registers=32 products=amx}
func.func @layer(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>, %m: tensor<48x512x16x2xbf16>, %o: tensor<?x1024xf32>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %n = cheems.rms_norm epsilon 1.0e-6 ins(%x, %w : tensor<?x1024xf32>, tensor<1024xf32>) outs(%o : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %r = cheems_cpu.linear ins(%n : tensor<?x1024xf32>) weights(%m : tensor<48x512x16x2xbf16>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %r : tensor<?x768xf32>
}
// doc-end

// Rows of a decode step stay whole; experts are mixed in loops of their kernel's own. Weights of f32 are not multiplied on tiles.
// CHECK-LABEL: @decode
// CHECK: cheems.rms_norm
// CHECK-NOT: cheems.rows
// CHECK: cheems_cpu.linear {cheems.panels = 4 : i64}
// CHECK: cheems.mix_experts softmax silu ins
func.func @decode(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>, %m: tensor<48x1024x16x1xf32>, %o: tensor<?x1024xf32>, %y: tensor<?x768xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %down: tensor<256x768xf32>, %z: tensor<?x768xf32>) -> tensor<?x768xf32> attributes {cheems.decode} {
  %n = cheems.rms_norm epsilon 1.0e-6 ins(%x, %w : tensor<?x1024xf32>, tensor<1024xf32>) outs(%o : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %r = cheems_cpu.linear ins(%n : tensor<?x1024xf32>) weights(%m : tensor<48x1024x16x1xf32>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
  %2 = cheems.mix_experts softmax silu ins(%r, %s, %e, %down, %down : tensor<?x768xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<256x768xf32>, tensor<256x768xf32>) outs(%z : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %2 : tensor<?x768xf32>
}

// Too few panels for eight an iteration.
// CHECK-LABEL: @narrow
// CHECK: cheems_cpu.linear {cheems.panels = 4 : i64}
func.func @narrow(%x: tensor<?x1024xf32>, %m: tensor<47x512x16x2xbf16>, %y: tensor<?x752xf32>) -> tensor<?x752xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x1024xf32>) weights(%m : tensor<47x512x16x2xbf16>) outs(%y : tensor<?x752xf32>) -> tensor<?x752xf32>
  return %r : tensor<?x752xf32>
}

// What finishes a product says how many panels: whole heads, here of 128 columns.
// CHECK-LABEL: @finished
// CHECK: cheems_cpu.linear ins
// CHECK: cheems_cpu.finish {{.*}}{cheems.panels = 8 : i64}
func.func @finished(%x: tensor<?x512xf32>, %m: tensor<16x256x16x2xbf16>, %c: tensor<?x64xf32>, %s: tensor<?x64xf32>, %y: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x512xf32>) weights(%m : tensor<16x256x16x2xbf16>) outs(%y : tensor<?x256xf32>) -> tensor<?x256xf32>
  %f = cheems_cpu.finish turned 256 angles(%c, %s : tensor<?x64xf32>, tensor<?x64xf32>) outs(%r : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %f : tensor<?x256xf32>
}

// What an op says already stays.
// CHECK-LABEL: @sequence
// CHECK: cheems.ssd {cheems.chunk = 48 : i64}
func.func @sequence(%x: tensor<?x1x8xf32>, %dt: tensor<?x1xf32>, %a: tensor<1xf32>, %b: tensor<?x1x6xf32>, %y: tensor<?x1x8xf32>, %h: tensor<1x6x8xf32>) -> (tensor<?x1x8xf32>, tensor<1x6x8xf32>) {
  %r:2 = cheems.ssd {cheems.chunk = 48 : i64} ins(%x, %dt, %a, %b, %b : tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
                    outs(%y, %h : tensor<?x1x8xf32>, tensor<1x6x8xf32>) -> tensor<?x1x8xf32>, tensor<1x6x8xf32>
  return %r#0, %r#1 : tensor<?x1x8xf32>, tensor<1x6x8xf32>
}

// -----

// The module's own target goes before options.
// CHECK: module attributes {cheems.prefill = 512 : i64, cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>}
module attributes {cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>} {
  // CHECK: cheems_cpu.linear {cheems.panels = 4 : i64}
  func.func @product(%x: tensor<?x1024xf32>, %m: tensor<48x512x16x2xbf16>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
    %r = cheems_cpu.linear ins(%x : tensor<?x1024xf32>) weights(%m : tensor<48x512x16x2xbf16>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
    return %r : tensor<?x768xf32>
  }
}
