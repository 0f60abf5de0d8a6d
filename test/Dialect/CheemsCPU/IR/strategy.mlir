// Every strategy survives printing and parsing, generic form included.
// RUN: cheems-opt %s | cheems-opt | FileCheck %s
// RUN: cheems-opt %s --mlir-print-op-generic | cheems-opt | FileCheck %s

// CHECK: module attributes {cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 512, chunk = 32>}
module attributes {cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 512, chunk = 32>} {
  // CHECK-LABEL: @product
  // CHECK: cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4, few_rows = true>}
  // CHECK: cheems_cpu.column_epilogue {{.*}}{cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 8>}
  func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %c: tensor<?x32xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
    %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<few_rows = true, panels = 4>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
    %1 = cheems_cpu.column_epilogue rotated 64 {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 8>} angles(%c, %c : tensor<?x32xf32>, tensor<?x32xf32>) outs(%0 : tensor<?x128xf32>) -> tensor<?x128xf32>
    return %1 : tensor<?x128xf32>
  }
  // CHECK-LABEL: @rows
  // CHECK: cheems.rms_norm epsilon {{.*}} {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 32>}
  func.func @rows(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
    %0 = cheems.rms_norm epsilon 0.5 {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 32>} ins(%x, %w : tensor<?x8xf32>, tensor<8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
  // CHECK-LABEL: @sequence
  // CHECK: cheems_cpu.dynamic_mask_attention {{.*}}{cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 64, keys = 384>}
  // CHECK: cheems_cpu.ssd {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 32>}
  func.func @sequence(%q: tensor<?x1x8xf32>, %k: tensor<1x?x8xf32>, %m: tensor<1x?xf32>, %first: index, %dt: tensor<?x1xf32>, %a: tensor<1xf32>, %b: tensor<?x1x6xf32>, %h: tensor<1x6x8xf32>) -> (tensor<?x1x8xf32>, tensor<1x6x8xf32>) {
    %0 = cheems_cpu.dynamic_mask_attention bias scale 0.5 {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 64, keys = 384>} ins(%q, %k, %k, %m, %first : tensor<?x1x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?xf32>, index) outs(%q : tensor<?x1x8xf32>) -> tensor<?x1x8xf32>
    %1:2 = cheems_cpu.ssd {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 32>} ins(%0, %dt, %a, %b, %b : tensor<?x1x8xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x6xf32>, tensor<?x1x6xf32>) outs(%q, %h : tensor<?x1x8xf32>, tensor<1x6x8xf32>) -> tensor<?x1x8xf32>, tensor<1x6x8xf32>
    return %1#0, %1#1 : tensor<?x1x8xf32>, tensor<1x6x8xf32>
  }
  // CHECK-LABEL: @experts
  // CHECK: #cheems_cpu.experts_strategy<order = by_group, rows = 64, fetch = true>
  func.func @experts(%x: tensor<?x8xf32>, %s: tensor<?x1x4xf32>, %e: tensor<?x1x4xi32>, %t: tensor<256x8xf32>) -> tensor<?x8xf32> {
    %0 = cheems.mix_experts softmax silu {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, rows = 64, fetch = true>} ins(%x, %s, %e, %t, %t : tensor<?x8xf32>, tensor<?x1x4xf32>, tensor<?x1x4xi32>, tensor<256x8xf32>, tensor<256x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
    return %0 : tensor<?x8xf32>
  }
}
