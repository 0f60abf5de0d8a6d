// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c1(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<1x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C1: there are 2 stages or more, not 1}}
  %s = cheems_tile.ring %n stages 1 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<1x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c2_arguments(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C2: fill has a step and a stage, and bulk_copy ops and arithmetic on numbers alone}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index, %more: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c2_nothing(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C2: fill has a step and a stage, and bulk_copy ops and arithmetic on numbers alone}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c2_others(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C2: fill has a step and a stage, and bulk_copy ops and arithmetic on numbers alone}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.barrier
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c2_tiles(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C2: fill has a step and a stage, and bulk_copy ops and arithmetic on numbers alone}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    %t = arith.addf %zero, %zero : tensor<64x32xf32, #c>
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c3_arguments(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C3: use has a step, a stage and what is carried, and hands on the same types}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>, %more: index):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c3_results(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C3: use has a step, a stage and what is carried, and hands on the same types}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c4(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C4: its buffers have 3 stages, not 4}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c5(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  scf.for %i = %c0 to %n step %n {
  // expected-error@below {{C5: around a ring there are branches alone, not scf.for}}
  %s = cheems_tile.ring %n stages 3 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c6(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C6: its barriers are at 0 or a multiple of 8 above, not 4}}
  %s = cheems_tile.ring %n stages 3 at 4 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
cheems_tile.kernel @ring_c6_below(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error@below {{C6: its barriers are at 0 or a multiple of 8 above, not -8}}
  %s = cheems_tile.ring %n stages 3 at -8 carries(%zero : tensor<64x32xf32, #c>) fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index, %p: tensor<64x32xf32, #c>):
    cheems_tile.ring_yield %p : tensor<64x32xf32, #c>
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @bulk_copy_c1(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16, swizzled>
  // expected-error@below {{C1: it is directly in fill of a ring}}
  cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%c0] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
  cheems_tile.return
}

// -----

cheems_tile.kernel @bulk_copy_c2_rows(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x32x64xbf16, swizzled>
  cheems_tile.ring %n stages 3 fill {
  ^bb0(%step: index, %stage: index):
    // expected-error@below {{C2: a stage is a box of the map, not }}
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x32x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @bulk_copy_c2_columns(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x32xbf16, swizzled>
  cheems_tile.ring %n stages 3 fill {
  ^bb0(%step: index, %stage: index):
    // expected-error@below {{C2: a stage is a box of the map, not }}
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x32xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @bulk_copy_c2_type(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xf16, swizzled>
  cheems_tile.ring %n stages 3 fill {
  ^bb0(%step: index, %stage: index):
    // expected-error@below {{C2: a stage is a box of the map, not }}
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @bulk_copy_c3(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<3x64x64xbf16>
  cheems_tile.ring %n stages 3 fill {
  ^bb0(%step: index, %stage: index):
    // expected-error@below {{C3: the buffer is swizzled, or of f32 and not}}
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @fill_ring_c1_arguments(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  // expected-error@below {{C1: fill has a step and a stage, and bulk_copy ops and arithmetic on numbers alone}}
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index, %more: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// -----

cheems_tile.kernel @fill_ring_c1_nothing(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  // expected-error@below {{C1: fill has a step and a stage, and bulk_copy ops and arithmetic on numbers alone}}
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// -----

cheems_tile.kernel @fill_ring_c1_others(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  // expected-error@below {{C1: fill has a step and a stage, and bulk_copy ops and arithmetic on numbers alone}}
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    cheems_tile.barrier
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// -----

cheems_tile.kernel @fill_ring_c2(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  // expected-error@below {{C2: stages of its buffers are a multiple of 3, not 4}}
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<3>
  cheems_tile.return
}

// -----

cheems_tile.kernel @fill_ring_c3(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  scf.for %i = %c0 to %n step %n {
  // expected-error@below {{C3: around a ring there are branches alone, not scf.for}}
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @fill_ring_c4(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  // expected-error@below {{C4: its barriers are at 0 or a multiple of 8 above, not 4}}
  %ring = cheems_tile.fill_ring %n at 4 {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// -----

cheems_tile.kernel @fill_ring_c4_below(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<4x64x64xbf16, swizzled>
  // expected-error@below {{C4: its barriers are at 0 or a multiple of 8 above, not -8}}
  %ring = cheems_tile.fill_ring %n at -8 {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<4x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// -----

func.func @wait_for_stage_c1(%ring: !cheems_tile.ring<2>, %n: index) {
  // expected-error@below {{C1: fill_ring gives the ring}}
  cheems_tile.wait_for_stage %ring[%n] : !cheems_tile.ring<2>
  return
}

// -----

func.func @free_stage_c1(%ring: !cheems_tile.ring<2>, %n: index) {
  // expected-error@below {{C1: fill_ring gives the ring}}
  cheems_tile.free_stage %ring[%n] : !cheems_tile.ring<2>
  return
}

// -----

cheems_tile.kernel @bulk_copy_c2_parts(%x: !cheems_tile.tensor_map<2x64xf32>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x3x64xf32>
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    // expected-error@below {{C2: a stage is a box of the map, not }}
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<2x64xf32>, !cheems_tile.buffer<2x3x64xf32>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// -----

cheems_tile.kernel @bulk_copy_c2_swizzled_parts(%x: !cheems_tile.tensor_map<32x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    // expected-error@below {{C2: a stage is a box of the map, not }}
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<32x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}

// -----

cheems_tile.kernel @bulk_copy_c3_of_f32(%x: !cheems_tile.tensor_map<1x64xf32>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x1x64xf32, swizzled>
  %ring = cheems_tile.fill_ring %n {
  ^bb0(%step: index, %stage: index):
    // expected-error@below {{C3: the buffer is swizzled, or of f32 and not}}
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<1x64xf32>, !cheems_tile.buffer<2x1x64xf32, swizzled>
    cheems_tile.ring_yield
  } : !cheems_tile.ring<2>
  cheems_tile.return
}
