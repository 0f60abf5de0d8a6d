// Every constraint of the expert ops, by label.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @retrieve_experts_c1(%g: tensor<3x2x1x8xf32>, %s: tensor<3x1x4xf32>, %e: tensor<3x1x5xi32>) {
  // expected-error@below {{C1: shapes of score and expert differ}}
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<3x2x1x8xf32>) outs(%s, %e : tensor<3x1x4xf32>, tensor<3x1x5xi32>) -> tensor<3x1x4xf32>, tensor<3x1x5xi32>
  return
}

// -----

func.func @retrieve_experts_c1_rows(%g: tensor<2x2x1x8xf32>, %s: tensor<3x1x4xf32>, %e: tensor<3x1x4xi32>) {
  // expected-error@below {{C1: T and H of score and scores differ}}
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<2x2x1x8xf32>) outs(%s, %e : tensor<3x1x4xf32>, tensor<3x1x4xi32>) -> tensor<3x1x4xf32>, tensor<3x1x4xi32>
  return
}

// -----

func.func @retrieve_experts_c2(%g: tensor<3x3x1x8xf32>, %s: tensor<3x1x4xf32>, %e: tensor<3x1x4xi32>) {
  // expected-error@below {{C2: scores is [T, 2, H, K] with static H, K and k}}
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<3x3x1x8xf32>) outs(%s, %e : tensor<3x1x4xf32>, tensor<3x1x4xi32>) -> tensor<3x1x4xf32>, tensor<3x1x4xi32>
  return
}

// -----

func.func @retrieve_experts_c2_static(%g: tensor<3x2x1x?xf32>, %s: tensor<3x1x4xf32>, %e: tensor<3x1x4xi32>) {
  // expected-error@below {{C2: scores is [T, 2, H, K] with static H, K and k}}
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<3x2x1x?xf32>) outs(%s, %e : tensor<3x1x4xf32>, tensor<3x1x4xi32>) -> tensor<3x1x4xf32>, tensor<3x1x4xi32>
  return
}

// -----

func.func @retrieve_experts_c3(%g: tensor<3x2x1x2xf32>, %s: tensor<3x1x5xf32>, %e: tensor<3x1x5xi32>) {
  // expected-error@below {{C3: retrieves between 1 and K * K < 2^31 experts, got 5 of 2 keys a half}}
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<3x2x1x2xf32>) outs(%s, %e : tensor<3x1x5xf32>, tensor<3x1x5xi32>) -> tensor<3x1x5xf32>, tensor<3x1x5xi32>
  return
}

// -----

func.func @retrieve_experts_c3_none(%g: tensor<3x2x1x2xf32>, %s: tensor<3x1x0xf32>, %e: tensor<3x1x0xi32>) {
  // expected-error@below {{C3: retrieves between 1 and K * K < 2^31 experts, got 0}}
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<3x2x1x2xf32>) outs(%s, %e : tensor<3x1x0xf32>, tensor<3x1x0xi32>) -> tensor<3x1x0xf32>, tensor<3x1x0xi32>
  return
}

// -----

func.func @retrieve_experts_c3_ids(%g: tensor<3x2x1x46341xf32>, %s: tensor<3x1x4xf32>, %e: tensor<3x1x4xi32>) {
  // expected-error@below {{C3: retrieves between 1 and K * K < 2^31 experts, got 4 of 46341 keys a half}}
  %0, %1 = cheems.retrieve_experts ins(%g : tensor<3x2x1x46341xf32>) outs(%s, %e : tensor<3x1x4xf32>, tensor<3x1x4xi32>) -> tensor<3x1x4xf32>, tensor<3x1x4xi32>
  return
}

// -----

func.func @mix_experts_c1(%x: tensor<3x8xf32>, %s: tensor<3x1x2xf32>, %e: tensor<3x1x2xi32>, %d: tensor<4x8xf32>, %y: tensor<2x8xf32>) {
  // expected-error@below {{C1: shapes of x and y differ}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @mix_experts_c2(%x: tensor<3x8xf32>, %s: tensor<3x1x2xf32>, %e: tensor<3x2x1xi32>, %d: tensor<4x8xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C2: shapes of score and expert differ}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x2x1xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c2_rows(%x: tensor<3x8xf32>, %s: tensor<4x1x2xf32>, %e: tensor<4x1x2xi32>, %d: tensor<4x8xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C2: score has one row per row of x}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<3x8xf32>, tensor<4x1x2xf32>, tensor<4x1x2xi32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c3(%x: tensor<3x8xf32>, %s: tensor<3x1x2xf32>, %e: tensor<3x1x2xi32>, %d: tensor<4x8xf32>, %u: tensor<4x8xbf16>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C3: down and up have the same type [E, D], with the D of x}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %u : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xf32>, tensor<4x8xbf16>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c3_size(%x: tensor<3x8xf32>, %s: tensor<3x1x2xf32>, %e: tensor<3x1x2xi32>, %d: tensor<4x9xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C3: down and up have the same type [E, D], with the D of x}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x9xf32>, tensor<4x9xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_experts_c4(%x: tensor<3x8xf32>, %s: tensor<3x1x2xf32>, %e: tensor<3x1x2xi32>, %d: tensor<?x8xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C4: D, E, H and k are static}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<?x8xf32>, tensor<?x8xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_c5_missing(%x: tensor<3x8xf32>, %s: tensor<3x1x2xf32>, %e: tensor<3x1x2xi32>, %d: tensor<4x8xi8>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C5: tables of i8 have down_scales and up_scales [E], and others have none}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xi8>, tensor<4x8xi8>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @mix_c5_size(%x: tensor<3x8xf32>, %s: tensor<3x1x2xf32>, %e: tensor<3x1x2xi32>, %d: tensor<4x8xi8>, %c: tensor<5xf32>, %y: tensor<3x8xf32>) {
  // expected-error@below {{C5: tables of i8 have down_scales and up_scales [E], and others have none}}
  %0 = cheems.mix_experts softmax silu ins(%x, %s, %e, %d, %d : tensor<3x8xf32>, tensor<3x1x2xf32>, tensor<3x1x2xi32>, tensor<4x8xi8>, tensor<4x8xi8>) scales(%c, %c : tensor<5xf32>, tensor<5xf32>) outs(%y : tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}
