// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs panels of at least 0, not -1}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = -1>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs rows of at least 1, not 0}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 0>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs rows of at least 1, not 0}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 0, keys = 1>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs keys of at least 1, not 0}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 1, keys = 0>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs chunk of at least 1, not 0}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 0>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs rows of at least 1, not 0}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = 0>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs prefill of at least 1, not 0}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 0>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs chunk of at least 0, not -1}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 1, chunk = -1>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{'cheems_cpu.linear' op cheems_cpu.strategy is no strategy: 4 : i64}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = 4 : i64} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{cannot have #cheems_cpu.attention_strategy<rows = 1, keys = 1>, which is for cheems_cpu.dynamic_mask_attention}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.attention_strategy<rows = 1, keys = 1>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{cannot have #cheems_cpu.ssd_strategy<chunk = 1>, which is for cheems_cpu.ssd}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.ssd_strategy<chunk = 1>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{cannot have #cheems_cpu.experts_strategy<order = by_row, rows = 1>, which is for cheems.mix_experts}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_row, rows = 1>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

func.func @product(%x: tensor<?x8xf32>, %w: tensor<8x8x16x1xf32>, %y: tensor<?x128xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{cannot have #cheems_cpu.step_strategy<prefill = 1>, which is for a module}}
  %0 = cheems_cpu.linear {cheems_cpu.strategy = #cheems_cpu.step_strategy<prefill = 1>} ins(%x : tensor<?x8xf32>) weights(%w : tensor<8x8x16x1xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// -----

// expected-error@below {{cannot have #cheems_cpu.matmul_strategy<panels = 4>, which is for cheems_cpu.linear and cheems_cpu.column_epilogue}}
module attributes {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 4>} {}

// -----

// expected-error@below {{cannot have #cheems_cpu.rows_strategy<rows = 4>, which is for ops with loops}}
module attributes {cheems_cpu.strategy = #cheems_cpu.rows_strategy<rows = 4>} {}

// -----

// Heads of 64 columns are four panels.
func.func @heads(%y: tensor<?x128xf32>, %c: tensor<?x32xf32>) -> tensor<?x128xf32> {
  // expected-error@below {{needs panels in multiples of 4, which hold whole heads, not 6}}
  %0 = cheems_cpu.column_epilogue rotated 64 {cheems_cpu.strategy = #cheems_cpu.matmul_strategy<panels = 6>} angles(%c, %c : tensor<?x32xf32>, tensor<?x32xf32>) outs(%y : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}
