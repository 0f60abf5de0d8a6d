// What breaks a constraint in a way that the files beside this one do not: each branch of the verifiers of masks and attention. @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_mask_attention_c0(%0: memref<3x4x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<2x9xf32>, %4: index, %5: tensor<3x4x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : memref<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%5 : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_heads_static(%0: tensor<3x?x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<2x9xf32>, %4: index, %5: tensor<3x?x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : tensor<3x?x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%5 : tensor<3x?x8xf32>) -> tensor<3x?x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_size_static(%0: tensor<3x4x?xf32>, %1: tensor<2x9x?xf32>, %2: tensor<2x9x?xf32>, %3: tensor<2x9xf32>, %4: index, %5: tensor<3x4x?xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : tensor<3x4x?xf32>, tensor<2x9x?xf32>, tensor<2x9x?xf32>, tensor<2x9xf32>, index) outs(%5 : tensor<3x4x?xf32>) -> tensor<3x4x?xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_key_size_static(%0: tensor<3x4x8xf32>, %1: tensor<2x9x?xf32>, %2: tensor<2x9x?xf32>, %3: tensor<2x9xf32>, %4: index, %5: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<2x9x?xf32>, tensor<2x9x?xf32>, tensor<2x9xf32>, index) outs(%5 : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_masks_static(%0: tensor<3x4x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<?x9xf32>, %4: index, %5: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<?x9xf32>, index) outs(%5 : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_no_masks(%0: tensor<3x4x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<0x9xf32>, %4: index, %5: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 2 key heads and 0 mask heads}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<0x9xf32>, index) outs(%5 : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c0(%0: memref<3x4x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<2x9xf32>, %4: index, %5: index, %6: tensor<3x4xf32>, %7: tensor<3x4xf32>, %8: tensor<3x4x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%0, %1, %2, %3, %4, %5 : memref<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%6, %7, %8 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_heads_static(%0: tensor<3x?x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<2x9xf32>, %4: index, %5: index, %6: tensor<3x?xf32>, %7: tensor<3x?xf32>, %8: tensor<3x?x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%0, %1, %2, %3, %4, %5 : tensor<3x?x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index, index) outs(%6, %7, %8 : tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?x8xf32>) -> tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?x8xf32>
  return
}

// -----

func.func @online_attention_c3_size_static(%0: tensor<3x4x?xf32>, %1: tensor<2x9x?xf32>, %2: tensor<2x9x?xf32>, %3: tensor<2x9xf32>, %4: index, %5: index, %6: tensor<3x4xf32>, %7: tensor<3x4xf32>, %8: tensor<3x4x?xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%0, %1, %2, %3, %4, %5 : tensor<3x4x?xf32>, tensor<2x9x?xf32>, tensor<2x9x?xf32>, tensor<2x9xf32>, index, index) outs(%6, %7, %8 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x?xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x?xf32>
  return
}

// -----

func.func @online_attention_c3_key_size_static(%0: tensor<3x4x8xf32>, %1: tensor<2x9x?xf32>, %2: tensor<2x9x?xf32>, %3: tensor<2x9xf32>, %4: index, %5: index, %6: tensor<3x4xf32>, %7: tensor<3x4xf32>, %8: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%0, %1, %2, %3, %4, %5 : tensor<3x4x8xf32>, tensor<2x9x?xf32>, tensor<2x9x?xf32>, tensor<2x9xf32>, index, index) outs(%6, %7, %8 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_masks_static(%0: tensor<3x4x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<?x9xf32>, %4: index, %5: index, %6: tensor<3x4xf32>, %7: tensor<3x4xf32>, %8: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: numbers of heads and head size are static}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%0, %1, %2, %3, %4, %5 : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<?x9xf32>, index, index) outs(%6, %7, %8 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @online_attention_c3_no_masks(%0: tensor<3x4x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<0x9xf32>, %4: index, %5: index, %6: tensor<3x4xf32>, %7: tensor<3x4xf32>, %8: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 2 key heads and 0 mask heads}}
  %r:3 = cheems_cpu.online_attention bias scale 0.5 ins(%0, %1, %2, %3, %4, %5 : tensor<3x4x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<0x9xf32>, index, index) outs(%6, %7, %8 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>) -> tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_no_heads(%0: tensor<3x0x8xf32>, %1: tensor<2x9x8xf32>, %2: tensor<2x9x8xf32>, %3: tensor<2x9xf32>, %4: index, %5: tensor<3x0x8xf32>) {
  // expected-error@below {{C3: 0 query heads cannot be divided among 2 key heads and 2 mask heads}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : tensor<3x0x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, index) outs(%5 : tensor<3x0x8xf32>) -> tensor<3x0x8xf32>
  return
}

// -----

func.func @dynamic_mask_attention_c3_no_keys(%0: tensor<3x4x8xf32>, %1: tensor<0x9x8xf32>, %2: tensor<0x9x8xf32>, %3: tensor<2x9xf32>, %4: index, %5: tensor<3x4x8xf32>) {
  // expected-error@below {{C3: 4 query heads cannot be divided among 0 key heads and 2 mask heads}}
  %r = cheems_cpu.dynamic_mask_attention bias scale 0.5 ins(%0, %1, %2, %3, %4 : tensor<3x4x8xf32>, tensor<0x9x8xf32>, tensor<0x9x8xf32>, tensor<2x9xf32>, index) outs(%5 : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @merge_attention_c0(%0: memref<2x4xf32>, %1: tensor<2x4xf32>, %2: tensor<2x4x8xf32>, %3: tensor<2x4xf32>, %4: tensor<2x4xf32>, %5: tensor<2x4x8xf32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:3 = cheems_cpu.merge_attention ins(%0, %1, %2 : memref<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) outs(%3, %4, %5 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x8xf32>
  return
}

// -----

func.func @append_visible_c0(%0: memref<3x8xf32>, %1: tensor<3x8xf32>, %2: tensor<3x2xf32>, %3: index, %4: tensor<1x9x8xf32>, %5: tensor<1x9x8xf32>, %6: tensor<2x9xf32>, %7: tensor<3xi32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:4 = cheems_cpu.append_visible hide_below 0.5 ins(%0, %1, %2, %3 : memref<3x8xf32>, tensor<3x8xf32>, tensor<3x2xf32>, index) outs(%4, %5, %6, %7 : tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>) -> tensor<1x9x8xf32>, tensor<1x9x8xf32>, tensor<2x9xf32>, tensor<3xi32>
  return
}

// -----

func.func @keep_threshold_c0(%0: memref<2x9xf32>, %1: tensor<2x9xi32>, %2: index, %3: tensor<5x2xf32>, %4: tensor<5x2xi32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:2 = cheems_cpu.keep_threshold keep 4 ins(%0, %1, %2 : memref<2x9xf32>, tensor<2x9xi32>, index) outs(%3, %4 : tensor<5x2xf32>, tensor<5x2xi32>) -> tensor<5x2xf32>, tensor<5x2xi32>
  return
}

// -----

func.func @keep_update_c0(%0: memref<2xf32>, %1: tensor<2xi32>, %2: index, %3: index, %4: tensor<2x9x8xf32>, %5: tensor<2x9x8xf32>, %6: tensor<2x9xf32>, %7: tensor<2x9xi32>) {
  // expected-error@below {{C0: operands with a shape are all tensors or all buffers}}
  %r:4 = cheems_cpu.keep_update keep 4 ins(%0, %1, %2, %3 : memref<2xf32>, tensor<2xi32>, index, index) outs(%4, %5, %6, %7 : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>) -> tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9xf32>, tensor<2x9xi32>
  return
}
