// Constraints of keys and values that are quantized: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_mask_attention_c8(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xi8>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x9xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given if keys and values are i8, and only then}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %m, %n : tensor<3x2x8xf32>, tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, index) outs(%q : tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c8_bf16(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xbf16>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x9xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given if keys and values are i8, and only then}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %m, %n : tensor<3x2x8xf32>, tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, index) scales(%s, %s : tensor<1x9xf32>, tensor<1x9xf32>) outs(%q : tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c8_shape(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xi8>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x8xf32>) {
  // expected-error@below {{C8: shapes of scales and of entries differ}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%q, %k, %k, %m, %n : tensor<3x2x8xf32>, tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, index) scales(%s, %s : tensor<1x8xf32>, tensor<1x8xf32>) outs(%q : tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c9(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xbf16>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x9xf32>) {
  // expected-error@below {{C9: allow_bf16 is given only for i8}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 allow_bf16 ins(%q, %k, %k, %m, %n : tensor<3x2x8xf32>, tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, index) outs(%q : tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
  return
}

// -----

func.func @online_attention_c8(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xi8>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x9xf32>, %h: tensor<3x2xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given if keys and values are i8, and only then}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %m, %n, %n : tensor<3x2x8xf32>, tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, index, index) outs(%h, %h, %q : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>) -> tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>
  return
}

// -----

func.func @online_attention_c8_bf16(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xbf16>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x9xf32>, %h: tensor<3x2xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given if keys and values are i8, and only then}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %m, %n, %n : tensor<3x2x8xf32>, tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, index, index) scales(%s, %s : tensor<1x9xf32>, tensor<1x9xf32>) outs(%h, %h, %q : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>) -> tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>
  return
}

// -----

func.func @online_attention_c8_shape(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xi8>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x8xf32>, %h: tensor<3x2xf32>) {
  // expected-error@below {{C8: shapes of scales and of entries differ}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%q, %k, %k, %m, %n, %n : tensor<3x2x8xf32>, tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<1x9xf32>, index, index) scales(%s, %s : tensor<1x8xf32>, tensor<1x8xf32>) outs(%h, %h, %q : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>) -> tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>
  return
}

// -----

func.func @online_attention_c9(%q: tensor<3x2x8xf32>, %k: tensor<1x9x8xbf16>, %m: tensor<1x9xf32>, %n: index, %s: tensor<1x9xf32>, %h: tensor<3x2xf32>) {
  // expected-error@below {{C9: allow_bf16 is given only for i8}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 allow_bf16 ins(%q, %k, %k, %m, %n, %n : tensor<3x2x8xf32>, tensor<1x9x8xbf16>, tensor<1x9x8xbf16>, tensor<1x9xf32>, index, index) outs(%h, %h, %q : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>) -> tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2x8xf32>
  return
}

// -----

func.func @keep_update_c5(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xi8>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %s: tensor<2x9xf32>) {
  // expected-error@below {{C5: key_scales and value_scales are given if keys and values are i8, and only then}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) outs(%k, %k, %m, %p : tensor<2x9x8xi8>, tensor<2x9x8xi8>, tensor<2x9xf32>, tensor<2x9xi32>) -> tensor<2x9x8xi8>, tensor<2x9x8xi8>, tensor<2x9xf32>, tensor<2x9xi32>
  return
}

// -----

func.func @keep_update_c5_f32(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xf32>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %s: tensor<2x9xf32>) {
  // expected-error@below {{C5: key_scales and value_scales are given if keys and values are i8, and only then}}
  %r:6 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) outs(%k, %k, %m, %p : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>) scales(%s, %s : tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>, tensor<2x9xf32>, tensor<2x9xf32>
  return
}

// -----

func.func @keep_update_c5_shape(%t: tensor<2xf32>, %l: tensor<2xi32>, %n: index, %k: tensor<2x9x8xi8>, %m: tensor<2x9xf32>, %p: tensor<2x9xi32>, %s: tensor<2x8xf32>) {
  // expected-error@below {{C5: shapes of scales and of entries differ}}
  %r:6 = cheems_cpu.keep_update keep 4 ins(%t, %l, %n, %n : tensor<2xf32>, tensor<2xi32>, index, index) outs(%k, %k, %m, %p : tensor<2x9x8xi8>, tensor<2x9x8xi8>, tensor<2x9xf32>, tensor<2x9xi32>) scales(%s, %s : tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x9x8xi8>, tensor<2x9x8xi8>, tensor<2x9xf32>, tensor<2x9xi32>, tensor<2x8xf32>, tensor<2x8xf32>
  return
}

// -----

func.func @append_visible_c5(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xi8>, %m: tensor<2x9xf32>, %seen: tensor<3xi32>, %s: tensor<1x9xf32>) {
  // expected-error@below {{C5: key_scales and value_scales are given if keys and values are i8, and only then}}
  %u:4 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %seen : tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<2x9xf32>, tensor<3xi32>) -> tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<2x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @append_visible_c5_f32(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xf32>, %m: tensor<2x9xf32>, %seen: tensor<3xi32>, %s: tensor<1x9xf32>) {
  // expected-error@below {{C5: key_scales and value_scales are given if keys and values are i8, and only then}}
  %u:6 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %seen : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>) scales(%s, %s : tensor<1x9xf32>, tensor<1x9xf32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>, tensor<1x9xf32>, tensor<1x9xf32>
  return
}

// -----

func.func @append_visible_c5_shape(%key: tensor<3x8xf32>, %mask: tensor<3x2xf32>, %n: index, %k: tensor<1x9x8xi8>, %m: tensor<2x9xf32>, %seen: tensor<3xi32>, %s: tensor<1x8xf32>) {
  // expected-error@below {{C5: shapes of scales and of entries differ}}
  %u:6 = cheems_cpu.append_visible hide_below 0.5 ins(%key, %key, %mask, %n : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%k, %k, %m, %seen : tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<2x9xf32>, tensor<3xi32>) scales(%s, %s : tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x9x8xi8>, tensor<1x9x8xi8>, tensor<2x9xf32>, tensor<3xi32>, tensor<1x8xf32>, tensor<1x8xf32>
  return
}
