// Sizes follow from the module's target, or from options where it says none.
// RUN: cheems-opt %s --cheems-select-strategy="lanes=16 registers=32 products=amx" --split-input-file | FileCheck %s
// RUN: cheems-opt %s --cheems-select-strategy="lanes=8 registers=16" --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: not cheems-opt %s --cheems-select-strategy="lanes=12" --split-input-file 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: error: no target to select sizes for: registers have 8 or 16 lanes, or 1 for plain loops, not 12
// Those that split take the sizes off, and leave nothing of them.
// RUN: cheems-opt %s --cheems-fast=to=tiled --split-input-file | FileCheck %s --check-prefix=TAKEN '--implicit-check-not=_strategy<rows' '--implicit-check-not=_strategy<panels' '--implicit-check-not=ssd_strategy'
// TAKEN: module attributes {cheems.stage = #cheems.stage<tiled>, cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>, cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 512, chunk = 48>}
// TAKEN: cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 512>}

// CHECK: module attributes {cheems.target = #cheems_cpu.target<lanes = 16, registers = 32, products = amx>, cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 512, chunk = 48>}
// NARROW: module attributes {{.*}}cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>, cheems_cpu.strategy
// CHECK-LABEL: @layer
// CHECK: cheems.rms_norm {{.*}}{cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 32>}
// CHECK: cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 8>}
// NARROW-LABEL: @layer
// NARROW: cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4>}
// doc: cheems-select-strategy{lanes=16 registers=32 products=amx}
func.func @layer(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>, %m: tensor<48x512x16x2xbf16>, %o: tensor<?x1024xf32>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %n = cheems.rms_norm epsilon 1.0e-6 ins(%x, %w : tensor<?x1024xf32>, tensor<1024xf32>) outs(%o : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %r = cheems_cpu.linear ins(%n : tensor<?x1024xf32>) weights(%m : tensor<48x512x16x2xbf16>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %r : tensor<?x768xf32>
}
// doc-end

// Few rows stay whole; experts are mixed in loops of their kernel's own. Weights of f32 are not multiplied on tiles.
// CHECK-LABEL: @decode
// CHECK: cheems.rms_norm epsilon {{[^ ]*}} ins
// CHECK: cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4, few_rows = true>}
// CHECK: cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = 1>} ins
func.func @decode(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>, %m: tensor<48x1024x16x1xf32>, %o: tensor<?x1024xf32>, %y: tensor<?x768xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %down: tensor<256x768xf32>, %z: tensor<?x768xf32>) -> tensor<?x768xf32> attributes {cheems.most_rows = 64 : i64} {
  %n = cheems.rms_norm epsilon 1.0e-6 ins(%x, %w : tensor<?x1024xf32>, tensor<1024xf32>) outs(%o : tensor<?x1024xf32>) -> tensor<?x1024xf32>
  %r = cheems_cpu.linear ins(%n : tensor<?x1024xf32>) weights(%m : tensor<48x1024x16x1xf32>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
  %2 = cheems.mix_experts softmax silu ins(%r, %s, %e, %down, %down : tensor<?x768xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<256x768xf32>, tensor<256x768xf32>) outs(%z : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %2 : tensor<?x768xf32>
}

// Too few panels for eight per iteration.
// CHECK-LABEL: @narrow
// CHECK: cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4>}
func.func @narrow(%x: tensor<?x1024xf32>, %m: tensor<47x512x16x2xbf16>, %y: tensor<?x752xf32>) -> tensor<?x752xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x1024xf32>) weights(%m : tensor<47x512x16x2xbf16>) outs(%y : tensor<?x752xf32>) -> tensor<?x752xf32>
  return %r : tensor<?x752xf32>
}

// What finishes a matmul says how many panels: whole heads, here of 128 columns.
// CHECK-LABEL: @finished
// CHECK: cheems_cpu.linear ins
// CHECK: cheems_cpu.column_epilogue {{.*}}{cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 8>}
func.func @finished(%x: tensor<?x512xf32>, %m: tensor<16x256x16x2xbf16>, %c: tensor<?x64xf32>, %s: tensor<?x64xf32>, %y: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %r = cheems_cpu.linear ins(%x : tensor<?x512xf32>) weights(%m : tensor<16x256x16x2xbf16>) outs(%y : tensor<?x256xf32>) -> tensor<?x256xf32>
  %f = cheems_cpu.column_epilogue rotated 256 angles(%c, %s : tensor<?x64xf32>, tensor<?x64xf32>) outs(%r : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %f : tensor<?x256xf32>
}

// What an op says already stays.
// CHECK-LABEL: @sequence
// CHECK: cheems_cpu.ssd {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 48>}
func.func @sequence(%x: tensor<?x1x8xf32>, %dt: tensor<?x1xf32>, %a: tensor<1xf32>, %b: tensor<?x1x6xf32>, %y: tensor<?x1x8xf32>, %h: tensor<1x6x8xf32>) -> (tensor<?x1x8xf32>, tensor<1x6x8xf32>) {
  %r:2 = cheems_cpu.ssd {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 48>} ins(%x, %dt, %a, %b, %b : tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>)
                    outs(%y, %h : tensor<?x1x8xf32>, tensor<1x6x8xf32>) -> tensor<?x1x8xf32>, tensor<1x6x8xf32>
  return %r#0, %r#1 : tensor<?x1x8xf32>, tensor<1x6x8xf32>
}

// Tables of 1 MiB are worth prefetching; of 4 MiB threads share the experts of a row, where rows are few.
// CHECK-LABEL: @tables
// CHECK: cheems.mix_experts {{.*}}<order = by_row, rows = 8, fetch = true>
func.func @tables(%x: tensor<?x256xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %t: tensor<1024x256xf32>, %y: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %r = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x256xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<1024x256xf32>, tensor<1024x256xf32>) outs(%y : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}
// CHECK-LABEL: @shared
// CHECK: cheems.mix_experts {{.*}}<order = by_piece, rows = 1, fetch = true>
func.func @shared(%x: tensor<?x256xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %t: tensor<4096x256xf32>, %y: tensor<?x256xf32>) -> tensor<?x256xf32> attributes {cheems.most_rows = 64 : i64} {
  %r = cheems.mix_experts softmax silu ins(%x, %s, %e, %t, %t : tensor<?x256xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<4096x256xf32>, tensor<4096x256xf32>) outs(%y : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}

// So many rows are not few.
// CHECK-LABEL: @more
// CHECK: cheems.rms_norm {{.*}}rows_strategy<rows = 32>
func.func @more(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %o: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {cheems.most_rows = 65 : i64} {
  %n = cheems.rms_norm epsilon 0.5 ins(%x, %w : tensor<?x8xf32>, tensor<8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %n : tensor<?x8xf32>
}

// -----

// The module's own target goes before options.
// CHECK: module attributes {cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>, cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 512>}
module attributes {cheems.target = #cheems_cpu.target<lanes = 8, registers = 16, products = fma>} {
  // CHECK: cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4>}
  func.func @product(%x: tensor<?x1024xf32>, %m: tensor<48x512x16x2xbf16>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
    %r = cheems_cpu.linear ins(%x : tensor<?x1024xf32>) weights(%m : tensor<48x512x16x2xbf16>) outs(%y : tensor<?x768xf32>) -> tensor<?x768xf32>
    return %r : tensor<?x768xf32>
  }
}
