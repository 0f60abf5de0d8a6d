// Every labelled constraint of gather_rows, positions and segmented_ssd is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @gather_rows_c1_rows(%table: tensor<9x8xf32>, %ids: tensor<3xi32>, %y: tensor<4x8xf32>) {
  // expected-error@below {{C1: shapes of y and [T, D] differ}}
  %r = cheems.gather_rows ins(%table, %ids : tensor<9x8xf32>, tensor<3xi32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_rows_c1_columns(%table: tensor<9x8xf32>, %ids: tensor<3xi32>, %y: tensor<3x9xf32>) {
  // expected-error@below {{C1: shapes of y and [T, D] differ}}
  %r = cheems.gather_rows ins(%table, %ids : tensor<9x8xf32>, tensor<3xi32>) outs(%y : tensor<3x9xf32>) -> tensor<3x9xf32>
  return
}

// -----

func.func @positions_c1(%segments: tensor<?x8xi32>, %p: tensor<3xi32>, %l: tensor<4xi32>) {
  // expected-error@below {{C1: shapes of position and length differ}}
  %r:2 = cheems.positions ins(%segments : tensor<?x8xi32>) outs(%p, %l : tensor<3xi32>, tensor<4xi32>) -> tensor<3xi32>, tensor<4xi32>
  return
}

// -----

func.func @positions_c2(%segments: tensor<?x5xi32>, %p: tensor<3xi32>, %l: tensor<3xi32>) {
  // expected-error@below {{C2: segments are [S, 8], not of type 'tensor<?x5xi32>'}}
  %r:2 = cheems.positions ins(%segments : tensor<?x5xi32>) outs(%p, %l : tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>, tensor<3xi32>
  return
}

// -----

func.func @positions_c2_dynamic(%segments: tensor<2x?xi32>, %p: tensor<3xi32>, %l: tensor<3xi32>) {
  // expected-error@below {{C2: segments are [S, 8], not of type 'tensor<2x?xi32>'}}
  %r:2 = cheems.positions ins(%segments : tensor<2x?xi32>) outs(%p, %l : tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>, tensor<3xi32>
  return
}

// -----

func.func @segmented_ssd_c1(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x7xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C1: shapes of x and y differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x7xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x7xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c2_step_rows(%x: tensor<3x4x8xf32>, %dt: tensor<2x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<3x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C2: shapes of step and [T, H] differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<3x4x8xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<3x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c2_step_heads(%x: tensor<?x4x8xf32>, %dt: tensor<?x3xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C2: shapes of step and [T, H] differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x3xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c2_a(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<1xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C2: shapes of a and [H] differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<1xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c2_skip(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %d: tensor<2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C2: shapes of skip and [H] differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) skip(%d : tensor<2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c3(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x5xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C3: shapes of b and c differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x5xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c3_rows(%x: tensor<3x4x8xf32>, %dt: tensor<3x4xf32>, %a: tensor<4xf32>, %b: tensor<4x2x6xf32>, %c: tensor<4x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<3x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C3: shapes of b and [T, G, N] differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4x2x6xf32>, tensor<4x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<3x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c4_heads(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x2x6x8xf32>) {
  // expected-error@below {{C4: shapes of a slot's state and [H, N, P] differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x2x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x2x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c4_transposed(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x8x6xf32>) {
  // expected-error@below {{C4: shapes of a slot's state and [H, N, P] differ}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x8x6xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x8x6xf32>
  return
}

// -----

func.func @segmented_ssd_c5_heads_static(%x: tensor<?x?x8xf32>, %dt: tensor<?x?xf32>, %a: tensor<?xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x?x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x?x8xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x?x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x?x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_size_static(%x: tensor<?x4x?xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x?xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x?xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x?xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x?xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_groups_static(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x?x6xf32>, %c: tensor<?x?x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x?x6xf32>, tensor<?x?x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_states_static(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x?xf32>, %c: tensor<?x2x?xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x?xf32>, tensor<?x2x?xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_pool_static(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x?x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x?x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_divides(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x3x6xf32>, %c: tensor<?x3x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C5: 4 heads cannot be divided among 3 groups}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x3x6xf32>, tensor<?x3x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_no_head(%x: tensor<?x0x8xf32>, %dt: tensor<?x0xf32>, %a: tensor<0xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x0x8xf32>, %pool: tensor<?x7x0x6x8xf32>) {
  // expected-error@below {{C5: 0 heads cannot be divided among 2 groups}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x0x8xf32>, tensor<?x0xf32>, tensor<0xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x0x8xf32>, tensor<?x7x0x6x8xf32>) -> tensor<?x0x8xf32>, tensor<?x7x0x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_no_group(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x0x6xf32>, %c: tensor<?x0x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C5: 4 heads cannot be divided among 0 groups}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x0x6xf32>, tensor<?x0x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c6(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x4xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C6: segments are [S, 8], not of type 'tensor<?x4xi32>'}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x4xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c7(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %pool: tensor<?x7x4x6x8xf32>) {
  // expected-error@below {{C7: allow_bf16 and allow_pairs are not given together}}
  %r:2 = cheems.segmented_ssd allow_bf16 allow_pairs ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<?x7x4x6x8xf32>
  return
}

// -----

func.func @segmented_ssd_c5_zero(%x: tensor<?x2x0xf32>, %dt: tensor<?x2xf32>, %a: tensor<2xf32>, %b: tensor<?x1x4xf32>, %seg: tensor<?x8xi32>, %layer: index, %y: tensor<?x2x0xf32>, %h: tensor<?x3x2x4x0xf32>) {
  // expected-error@below {{C5: N and P are not zero}}
  %r:2 = cheems.segmented_ssd ins(%x, %dt, %a, %b, %b : tensor<?x2x0xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x4xf32>, tensor<?x1x4xf32>) segments(%seg : tensor<?x8xi32>) layer(%layer) outs(%y, %h : tensor<?x2x0xf32>, tensor<?x3x2x4x0xf32>) -> tensor<?x2x0xf32>, tensor<?x3x2x4x0xf32>
  return
}
