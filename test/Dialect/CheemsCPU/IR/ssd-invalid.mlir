// Every labelled constraint of ssd and ssd_chunk is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @ssd_c1(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x7xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C1: shapes of x and y differ}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x7xf32>, tensor<4x6x8xf32>) -> tensor<?x4x7xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c2_step(%x: tensor<?x4x8xf32>, %dt: tensor<?x3xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C2: shapes of step and [T, H] differ}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x3xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c2_a(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<1xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C2: shapes of a and [H] differ}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<1xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c2_skip(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %d: tensor<2xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C2: shapes of skip and [H] differ}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) skip(%d : tensor<2xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c3(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x5xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C3: shapes of b and c differ}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x5xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c3_rows(%x: tensor<3x4x8xf32>, %dt: tensor<3x4xf32>, %a: tensor<4xf32>, %b: tensor<4x2x6xf32>, %c: tensor<4x2x6xf32>, %y: tensor<3x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C3: shapes of b and [T, G, N] differ}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<3x4x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4x2x6xf32>, tensor<4x2x6xf32>) outs(%y, %h : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c4(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x8x6xf32>) {
  // expected-error@below {{C4: shapes of state and [H, N, P] differ}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x8x6xf32>) -> tensor<?x4x8xf32>, tensor<4x8x6xf32>
  return
}

// -----

func.func @ssd_c5_static(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x?xf32>, %c: tensor<?x2x?xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x?xf32>, tensor<?x2x?xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c5_divides(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x3x6xf32>, %c: tensor<?x3x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: 4 heads cannot be divided among 3 groups}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x3x6xf32>, tensor<?x3x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_c5_no_head(%x: tensor<?x0x8xf32>, %dt: tensor<?x0xf32>, %a: tensor<0xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x0x8xf32>, %h: tensor<0x6x8xf32>) {
  // expected-error@below {{C5: 0 heads cannot be divided among 2 groups}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x0x8xf32>, tensor<?x0xf32>, tensor<0xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x0x8xf32>, tensor<0x6x8xf32>) -> tensor<?x0x8xf32>, tensor<0x6x8xf32>
  return
}

// -----

func.func @ssd_c5_no_group(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x0x6xf32>, %c: tensor<?x0x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C5: 4 heads cannot be divided among 0 groups}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x0x6xf32>, tensor<?x0x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c1(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x3x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C1: shapes of x and y differ}}
  %r:2 = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x3x8xf32>, tensor<4x6x8xf32>) -> tensor<?x3x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c2(%x: tensor<3x4x8xf32>, %dt: tensor<2x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<3x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C2: shapes of step and [T, H] differ}}
  %r:2 = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<3x4x8xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<3x4x8xf32>, tensor<4x6x8xf32>) -> tensor<3x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c3(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x1x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x6x8xf32>) {
  // expected-error@below {{C3: shapes of b and c differ}}
  %r:2 = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x1x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x6x8xf32>) -> tensor<?x4x8xf32>, tensor<4x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c4(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x8xf32>, %h: tensor<2x6x8xf32>) {
  // expected-error@below {{C4: shapes of state and [H, N, P] differ}}
  %r:2 = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<2x6x8xf32>) -> tensor<?x4x8xf32>, tensor<2x6x8xf32>
  return
}

// -----

func.func @ssd_chunk_c5(%x: tensor<?x4x?xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %c: tensor<?x2x6xf32>, %y: tensor<?x4x?xf32>, %h: tensor<4x6x?xf32>) {
  // expected-error@below {{C5: H, G, N and P are static}}
  %r:2 = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<?x4x?xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x?xf32>, tensor<4x6x?xf32>) -> tensor<?x4x?xf32>, tensor<4x6x?xf32>
  return
}

// -----

func.func @ssd_c5_no_state(%x: tensor<?x4x8xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x0xf32>, %y: tensor<?x4x8xf32>, %h: tensor<4x0x8xf32>) {
  // expected-error@below {{C5: N and P are not zero}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %b : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x0xf32>, tensor<?x2x0xf32>) outs(%y, %h : tensor<?x4x8xf32>, tensor<4x0x8xf32>) -> tensor<?x4x8xf32>, tensor<4x0x8xf32>
  return
}

// -----

func.func @ssd_c5_no_width(%x: tensor<?x4x0xf32>, %dt: tensor<?x4xf32>, %a: tensor<4xf32>, %b: tensor<?x2x6xf32>, %y: tensor<?x4x0xf32>, %h: tensor<4x6x0xf32>) {
  // expected-error@below {{C5: N and P are not zero}}
  %r:2 = cheems_cpu.ssd ins(%x, %dt, %a, %b, %b : tensor<?x4x0xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?x2x6xf32>, tensor<?x2x6xf32>) outs(%y, %h : tensor<?x4x0xf32>, tensor<4x6x0xf32>) -> tensor<?x4x0xf32>, tensor<4x6x0xf32>
  return
}
