// Every labelled constraint of append_visible is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @append_visible_c1(%key: tensor<3x8xf32>, %value: tensor<2x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xf32>, %m: tensor<2x9xf32>, %s: tensor<3xi32>) {
  // expected-error@below {{C1: shapes of key and value differ}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %value, %mask, %n : tensor<3x8xf32>, tensor<2x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %s : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c2(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xf32>, %v: tensor<1x9x8xbf16>, %m: tensor<2x9xf32>, %s: tensor<3xi32>) {
  // expected-error@below {{C2: keys and values have the same type [1, C, P], with the P of key}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %v, %m, %s : tensor<1x9x8xf32>, tensor<1x9x8xbf16>, tensor<2x9xf32>, tensor<3xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xbf16>, tensor<2x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c2_heads(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %s: tensor<3xi32>) {
  // expected-error@below {{C2: keys and values have the same type [1, C, P], with the P of key}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %s : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c2_size(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x7xf32>, %m: tensor<2x9xf32>, %s: tensor<3xi32>) {
  // expected-error@below {{C2: keys and values have the same type [1, C, P], with the P of key}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %s : tensor<1x9x7xf32>, tensor<1x9x7xf32>, tensor<2x9xf32>, tensor<3xi32>) -> tensor<1x9x7xf32>, tensor<1x9x7xf32>, tensor<2x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c3(%key: tensor<3x8xf32>, %mask: tensor<4x2xf32>, %n: index, %k: tensor<1x9x8xf32>, %m: tensor<2x9xf32>, %s: tensor<3xi32>) {
  // expected-error@below {{C3: mask is [T, M] with the T of key, stored_mask [M, C] with the C of keys}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<4x2xf32>, index) outs(%k, %k, %m, %s : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c3_heads(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xf32>, %m: tensor<1x9xf32>, %s: tensor<3xi32>) {
  // expected-error@below {{C3: mask is [T, M] with the T of key, stored_mask [M, C] with the C of keys}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %s : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9xf32>, tensor<3xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<1x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c3_capacity(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xf32>, %m: tensor<2x8xf32>, %s: tensor<3xi32>) {
  // expected-error@below {{C3: mask is [T, M] with the T of key, stored_mask [M, C] with the C of keys}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %s : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x8xf32>, tensor<3xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x8xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c4(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xf32>, %m: tensor<2x9xf32>, %s: tensor<4xi32>) {
  // expected-error@below {{C4: seen is [T] with the T of key}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %s : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<4xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<4xi32>
  return
}
