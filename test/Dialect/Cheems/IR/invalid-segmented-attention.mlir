// Every labelled constraint of segmented_attention is checked: @op_cN breaks CN.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @segmented_attention_c1(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x7xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C1: shapes of query and y differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x7xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x7xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c1_value(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x1x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C1: shapes of key and value differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x1x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c1_key_rows(%q: tensor<5x4x8xf32>, %k: tensor<4x2x8xf32>, %v: tensor<4x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<5x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C1: shapes of key and [T, G, P] differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<5x4x8xf32>, tensor<4x2x8xf32>, tensor<4x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<5x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<5x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c1_key_size(%q: tensor<?x4x8xf32>, %k: tensor<?x2x4xf32>, %v: tensor<?x2x4xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C1: shapes of key and [T, G, P] differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_key_heads_static(%q: tensor<?x4x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: numbers of heads and head size are static}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_state_heads_static(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x?x?x8xf32>, %values: tensor<?x3x?x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: numbers of heads and head size are static}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x?x?x8xf32>, tensor<?x3x?x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x?x?x8xf32>, tensor<?x3x?x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_mask_heads_static(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x?xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x?x?xf32>) {
  // expected-error@below {{C2: numbers of heads and head size are static}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x?xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x?x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x?x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_query_heads_static(%q: tensor<?x?x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x?x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: numbers of heads and head size are static}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x?x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_size_static(%q: tensor<?x4x?xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x?xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: numbers of heads and head size are static}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x?xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x?xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x?xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_entry_size_static(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x?xf32>, %values: tensor<?x3x2x?x?xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: numbers of heads and head size are static}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x?xf32>, tensor<?x3x2x?x?xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x?xf32>, tensor<?x3x2x?x?xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_keys_divide_entries(%q: tensor<?x3x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x3xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x3x8xf32>, %keys: tensor<?x3x3x?x8xf32>, %values: tensor<?x3x3x?x8xf32>, %masks: tensor<?x3x3x?xf32>) {
  // expected-error@below {{C2: of 2 key heads, 3 that store entries, 3 of A and 3 query heads each divide the next}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x3x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x3xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x3x8xf32>, tensor<?x3x3x?x8xf32>, tensor<?x3x3x?x8xf32>, tensor<?x3x3x?xf32>) -> tensor<?x3x8xf32>, tensor<?x3x3x?x8xf32>, tensor<?x3x3x?x8xf32>, tensor<?x3x3x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_entries_divide_masks(%q: tensor<?x6x8xf32>, %k: tensor<?x1x8xf32>, %v: tensor<?x1x8xf32>, %mask: tensor<?x3xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x6x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x3x?xf32>) {
  // expected-error@below {{C2: of 1 key heads, 2 that store entries, 3 of A and 6 query heads each divide the next}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x6x8xf32>, tensor<?x1x8xf32>, tensor<?x1x8xf32>) mask(%mask : tensor<?x3xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x6x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x3x?xf32>) -> tensor<?x6x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x3x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_masks_divide_queries(%q: tensor<?x6x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x4xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x6x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x4x?xf32>) {
  // expected-error@below {{C2: of 2 key heads, 2 that store entries, 4 of A and 6 query heads each divide the next}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x6x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x6x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x4x?xf32>) -> tensor<?x6x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x4x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_no_key_head(%q: tensor<?x4x8xf32>, %k: tensor<?x0x8xf32>, %v: tensor<?x0x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: of 0 key heads, 2 that store entries, 2 of A and 4 query heads each divide the next}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x0x8xf32>, tensor<?x0x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_no_entries_head(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x0x?x8xf32>, %values: tensor<?x3x0x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: of 2 key heads, 0 that store entries, 2 of A and 4 query heads each divide the next}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x0x?x8xf32>, tensor<?x3x0x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x0x?x8xf32>, tensor<?x3x0x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_no_mask_head(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x0xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x0x?xf32>) {
  // expected-error@below {{C2: of 2 key heads, 2 that store entries, 0 of A and 4 query heads each divide the next}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x0xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x0x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x0x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_no_query_head(%q: tensor<?x0x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x0x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C2: of 2 key heads, 2 that store entries, 2 of A and 0 query heads each divide the next}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x0x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x0x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x0x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c3_type(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xbf16>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C3: keys and values have one type [slots, layers, G', C, P] with the P of query}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xbf16>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xbf16>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c3_size(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x4xf32>, %values: tensor<?x3x2x?x4xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C3: keys and values have one type [slots, layers, G', C, P] with the P of query}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?x4xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c3_slots(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<5x3x2x?x8xf32>, %values: tensor<5x3x2x?x8xf32>, %masks: tensor<4x3x2x?xf32>) {
  // expected-error@below {{C3: shapes of masks and [slots, layers, M, C] differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<5x3x2x?x8xf32>, tensor<5x3x2x?x8xf32>, tensor<4x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<5x3x2x?x8xf32>, tensor<5x3x2x?x8xf32>, tensor<4x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c3_layers(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x2x2x?xf32>) {
  // expected-error@below {{C3: shapes of masks and [slots, layers, M, C] differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x2x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x2x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c3_capacity(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x9x8xf32>, %values: tensor<?x3x2x9x8xf32>, %masks: tensor<?x3x2x8xf32>) {
  // expected-error@below {{C3: shapes of masks and [slots, layers, M, C] differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x9x8xf32>, tensor<?x3x2x9x8xf32>, tensor<?x3x2x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x9x8xf32>, tensor<?x3x2x9x8xf32>, tensor<?x3x2x8xf32>
  return
}

// -----

func.func @segmented_attention_c4_both(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: mask or visible is given, and not both}}
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [true, false] block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_neither(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: mask or visible is given, and not both}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_visible_heads(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: visible says for each of 2 heads of A whether it sees rows, and at least one head does}}
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [true] block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_none_visible(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: visible says for each of 2 heads of A whether it sees rows, and at least one head does}}
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [false, false] block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_visible_kind(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: visible is for kind threshold with hide_below above 0 and at most 1}}
  %r:4 = cheems.segmented_attention bias scale 0.5 visible [true, false] block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_visible_all(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: visible is for kind threshold with hide_below above 0 and at most 1}}
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 0.0 visible [true, false] block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_visible_nothing(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: visible is for kind threshold with hide_below above 0 and at most 1}}
  %r:4 = cheems.segmented_attention threshold scale 0.5 hide_below 1.5 visible [true, false] block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_mask_rows(%q: tensor<5x4x8xf32>, %k: tensor<5x2x8xf32>, %v: tensor<5x2x8xf32>, %mask: tensor<4x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<5x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: shapes of mask and [T, M] differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<5x4x8xf32>, tensor<5x2x8xf32>, tensor<5x2x8xf32>) mask(%mask : tensor<4x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<5x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<5x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_mask_heads(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x1xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C4: shapes of mask and [T, M] differ}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x1xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c5_keep_alone(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C5: keep and positions are given together}}
  %r:4 = cheems.segmented_attention bias scale 0.5 keep 16 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c5_positions_alone(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) {
  // expected-error@below {{C5: keep and positions are given together}}
  %r:5 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return
}

// -----

func.func @segmented_attention_c5_keep_nothing(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) {
  // expected-error@below {{C5: keep is at least 1, for kind bias, with entries of each head of A}}
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 0 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return
}

// -----

func.func @segmented_attention_c5_kind(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x2x?xi32>) {
  // expected-error@below {{C5: keep is at least 1, for kind bias, with entries of each head of A}}
  %r:5 = cheems.segmented_attention scale scale 0.5 keep 16 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xi32>
  return
}

// -----

func.func @segmented_attention_c5_shared_entries(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x4xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x4x?xf32>, %positions: tensor<?x3x2x?xi32>) {
  // expected-error@below {{C5: keep is at least 1, for kind bias, with entries of each head of A}}
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 16 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x4xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x4x?xf32>) positions(%positions : tensor<?x3x2x?xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x4x?xf32>, tensor<?x3x2x?xi32>
  return
}

// -----

func.func @segmented_attention_c5_positions_shape(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %positions: tensor<?x3x4x?xi32>) {
  // expected-error@below {{C5: shapes of positions and [slots, layers, G', C] differ}}
  %r:5 = cheems.segmented_attention bias scale 0.5 keep 16 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) positions(%positions : tensor<?x3x4x?xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x4x?xi32>
  return
}

// -----

func.func @segmented_attention_c6_missing(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C6: hide_below is given for kind threshold, and only then}}
  %r:4 = cheems.segmented_attention threshold scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c6_kind(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C6: hide_below is given for kind threshold, and only then}}
  %r:4 = cheems.segmented_attention bias scale 0.5 hide_below 1.0 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c7_kind(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %counts: tensor<?x3x2xi32>) {
  // expected-error@below {{C7: entries are counted for kind threshold with mask}}
  %r:5 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) counts(%counts : tensor<?x3x2xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2xi32>
  return
}

// -----

func.func @segmented_attention_c7_visible(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %counts: tensor<?x3x2xi32>) {
  // expected-error@below {{C7: entries are counted for kind threshold with mask}}
  %r:5 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 visible [true, false] block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) counts(%counts : tensor<?x3x2xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2xi32>
  return
}

// -----

func.func @segmented_attention_c7_shape(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %counts: tensor<?x3x1xi32>) {
  // expected-error@below {{C7: shapes of counts and [slots, layers, G'] differ}}
  %r:5 = cheems.segmented_attention threshold scale 0.5 hide_below 1.0 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) counts(%counts : tensor<?x3x1xi32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x1xi32>
  return
}

// -----

func.func @segmented_attention_c8_missing(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xi8>, %values: tensor<?x3x2x?x8xi8>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given for i8, and only then}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c8_not_codes(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>, %ks: tensor<?x3x2x?xf32>, %vs: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given for i8, and only then}}
  %r:6 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) scales(%ks, %vs : tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c8_keys_alone(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xi8>, %values: tensor<?x3x2x?x8xi8>, %masks: tensor<?x3x2x?xf32>, %ks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given for i8, and only then}}
  %r:5 = "cheems.segmented_attention"(%q, %k, %v, %mask, %segments, %layer, %y, %keys, %values, %masks, %ks) <{block = 8 : i64, kind = #cheems<mask_kind bias>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0>, scale = 5.0e-01 : f64}> : (tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x8xi32>, index, tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) -> (tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>)
  return
}

// -----

func.func @segmented_attention_c8_values_alone(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xi8>, %values: tensor<?x3x2x?x8xi8>, %masks: tensor<?x3x2x?xf32>, %vs: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C8: key_scales and value_scales are given for i8, and only then}}
  %r:5 = "cheems.segmented_attention"(%q, %k, %v, %mask, %segments, %layer, %y, %keys, %values, %masks, %vs) <{block = 8 : i64, kind = #cheems<mask_kind bias>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0>, scale = 5.0e-01 : f64}> : (tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<?x8xi32>, index, tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>) -> (tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>, tensor<?x3x2x?xf32>)
  return
}

// -----

func.func @segmented_attention_c8_key_scales_shape(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xi8>, %values: tensor<?x3x2x?x8xi8>, %masks: tensor<?x3x2x?xf32>, %ks: tensor<?x3x1x?xf32>, %vs: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C8: shapes of scales and [slots, layers, G', C] differ}}
  %r:6 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>) scales(%ks, %vs : tensor<?x3x1x?xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?x8xi8>, tensor<?x3x2x?xf32>, tensor<?x3x1x?xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c8_value_scales_shape(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x9x8xi8>, %values: tensor<?x3x2x9x8xi8>, %masks: tensor<?x3x2x9xf32>, %ks: tensor<?x3x2x9xf32>, %vs: tensor<?x3x2x8xf32>) {
  // expected-error@below {{C8: shapes of scales and [slots, layers, G', C] differ}}
  %r:6 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x9x8xi8>, tensor<?x3x2x9x8xi8>, tensor<?x3x2x9xf32>) scales(%ks, %vs : tensor<?x3x2x9xf32>, tensor<?x3x2x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x9x8xi8>, tensor<?x3x2x9x8xi8>, tensor<?x3x2x9xf32>, tensor<?x3x2x9xf32>, tensor<?x3x2x8xf32>
  return
}

// -----

func.func @segmented_attention_c9(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xbf16>, %values: tensor<?x3x2x?x8xbf16>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C9: allow_bf16 is given only for i8}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 allow_bf16 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xbf16>, tensor<?x3x2x?x8xbf16>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xbf16>, tensor<?x3x2x?x8xbf16>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c10(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x9xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C10: segments are [S, 8], not of type 'tensor<?x9xi32>'}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x9xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c11(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %v: tensor<?x2x8xf32>, %mask: tensor<?x2xf32>, %segments: tensor<?x8xi32>, %layer: index, %y: tensor<?x4x8xf32>, %keys: tensor<?x3x2x?x8xf32>, %values: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C11: a block has at least one row}}
  %r:4 = cheems.segmented_attention bias scale 0.5 block 0 ins(%q, %k, %v : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %keys, %values, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c2_zero(%q: tensor<?x2x0xf32>, %m: tensor<?x2xf32>, %seg: tensor<?x8xi32>, %layer: index, %k: tensor<?x1x2x?x0xf32>, %ms: tensor<?x1x2x?xf32>) {
  // expected-error@below {{C2: the head size is not zero}}
  %r:4 = cheems.segmented_attention scale scale 1.0 block 64 ins(%q, %q, %q : tensor<?x2x0xf32>, tensor<?x2x0xf32>, tensor<?x2x0xf32>) mask(%m : tensor<?x2xf32>) segments(%seg : tensor<?x8xi32>) layer(%layer) outs(%q, %k, %k, %ms : tensor<?x2x0xf32>, tensor<?x1x2x?x0xf32>, tensor<?x1x2x?x0xf32>, tensor<?x1x2x?xf32>) -> tensor<?x2x0xf32>, tensor<?x1x2x?x0xf32>, tensor<?x1x2x?x0xf32>, tensor<?x1x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c4_none_mask(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>, %mask: tensor<?x2xf32>) {
  // expected-error@below {{C4: kind none has neither mask nor visible}}
  %r:3 = cheems.segmented_attention none scale 0.5 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c4_none_visible(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>) {
  // expected-error@below {{C4: kind none has neither mask nor visible}}
  %r:3 = cheems.segmented_attention none scale 0.5 visible [true, true] block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c5_none(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>) {
  // expected-error@below {{C5: keep and positions are given together}}
  %r:3 = cheems.segmented_attention none scale 0.5 keep 4 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c6_none(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>) {
  // expected-error@below {{C6: hide_below is given for kind threshold, and only then}}
  %r:3 = cheems.segmented_attention none scale 0.5 hide_below 1.0 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c12_masks(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C12: masks are given unless the kind is none, and only then}}
  %r:4 = cheems.segmented_attention none scale 0.5 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}

// -----

func.func @segmented_attention_c12_no_masks(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>, %mask: tensor<?x2xf32>) {
  // expected-error@below {{C12: masks are given unless the kind is none, and only then}}
  %r:3 = cheems.segmented_attention bias scale 0.5 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c12_heads(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x4x?x8xf32>) {
  // expected-error@below {{C12: of kind none each of 2 key heads stores entries, and not 4}}
  %r:3 = cheems.segmented_attention none scale 0.5 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x4x?x8xf32>, tensor<?x3x4x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x4x?x8xf32>, tensor<?x3x4x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c2_none(%q: tensor<?x4x8xf32>, %k: tensor<?x3x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x3x?x8xf32>) {
  // expected-error@below {{C2: of 3 key heads, 3 that store entries, 3 of A and 4 query heads each divide the next}}
  %r:3 = cheems.segmented_attention none scale 0.5 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x3x8xf32>, tensor<?x3x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x3x?x8xf32>, tensor<?x3x3x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x3x?x8xf32>, tensor<?x3x3x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c13_zero(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>) {
  // expected-error@below {{C13: window is at least 1, and given only for kind none}}
  %r:3 = cheems.segmented_attention none scale 0.5 window 0 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>
  return
}

// -----

func.func @segmented_attention_c13_kind(%q: tensor<?x4x8xf32>, %k: tensor<?x2x8xf32>, %segments: tensor<?x8xi32>, %layer: index, %keys: tensor<?x3x2x?x8xf32>, %mask: tensor<?x2xf32>, %masks: tensor<?x3x2x?xf32>) {
  // expected-error@below {{C13: window is at least 1, and given only for kind none}}
  %r:4 = cheems.segmented_attention scale scale 0.5 window 4 block 8 ins(%q, %k, %k : tensor<?x4x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>) mask(%mask : tensor<?x2xf32>) segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%q, %keys, %keys, %masks : tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>) -> tensor<?x4x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?x8xf32>, tensor<?x3x2x?xf32>
  return
}
