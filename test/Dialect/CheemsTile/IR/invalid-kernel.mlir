// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{C1: warps are 1, 2, 4, 8, 16 or 32, not 3}}
cheems_tile.kernel @kernel_c1_three() warps(3) {
  cheems_tile.return
}

// -----

// expected-error@below {{C1: warps are 1, 2, 4, 8, 16 or 32, not 64}}
cheems_tile.kernel @kernel_c1_many() warps(64) {
  cheems_tile.return
}

// -----

// expected-error@below {{C1: warps are 1, 2, 4, 8, 16 or 32, not 0}}
cheems_tile.kernel @kernel_c1_none() warps(0) {
  cheems_tile.return
}

// -----

// expected-error@below {{C2: an argument is index, i32, f32, a tensor map, or a memref of f32, f16, bf16, i32 or i8 in row-major order, not 'memref<4xf64>'}}
cheems_tile.kernel @kernel_c2_element(%x: memref<4xf64>) warps(4) {
  cheems_tile.return
}

// -----

// expected-error@below {{C2: an argument is index, i32, f32, a tensor map, or a memref of f32, f16, bf16, i32 or i8 in row-major order, not 'memref<4x4xf32, strided<[8, 1]>>'}}
cheems_tile.kernel @kernel_c2_layout(%x: memref<4x4xf32, strided<[8, 1]>>) warps(4) {
  cheems_tile.return
}

// -----

// expected-error@below {{C2: an argument is index, i32, f32, a tensor map, or a memref of f32, f16, bf16, i32 or i8 in row-major order, not 'memref<4xf32, 3>'}}
cheems_tile.kernel @kernel_c2_space(%x: memref<4xf32, 3>) warps(4) {
  cheems_tile.return
}

// -----

// expected-error@below {{C2: an argument is index, i32, f32, a tensor map, or a memref of f32, f16, bf16, i32 or i8 in row-major order, not 'tensor<4xf32>'}}
cheems_tile.kernel @kernel_c2_tensor(%x: tensor<4xf32>) warps(4) {
  cheems_tile.return
}

// -----

// expected-error@below {{C2: an argument is index, i32, f32, a tensor map, or a memref of f32, f16, bf16, i32 or i8 in row-major order, not 'i64'}}
cheems_tile.kernel @kernel_c2_number(%x: i64) warps(4) {
  cheems_tile.return
}

// -----

// expected-error@below {{C2: a kernel has no results}}
cheems_tile.kernel @kernel_c2_results() -> index warps(4) {
  cheems_tile.return
}

// -----

// expected-error@below {{C3: the body is one block}}
cheems_tile.kernel @kernel_c3() warps(4) {
  cf.br ^next
^next:
  cheems_tile.return
}

// -----

// expected-error@below {{C4: shared memory is 0 bytes or more, not -16}}
"cheems_tile.kernel"() ({
  "cheems_tile.return"() : () -> ()
}) {sym_name = "kernel_c4", function_type = () -> (), warps = 4 : i64, shared = -16 : i64} : () -> ()

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
// Ops of other dialects, and in loops, have tiles, too.
cheems_tile.kernel @indices_c0(%n: index) warps(8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error@below {{C0: the layout #cheems_tile.blocked<rows = 4, columns = 32, width = 2> spans 4 warps, and the kernel has 8}}
    %t = cheems_tile.indices axis 0 : tensor<4x64xi32, #wide>
  }
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>
#row = #cheems_tile.slice<axis = 0, of = #wide>
cheems_tile.kernel @constant_c0() warps(2) {
  // expected-error@below {{C0: the layout #cheems_tile.blocked<rows = 4, columns = 32, width = 2> spans 4 warps, and the kernel has 2}}
  %t = arith.constant dense<0.0> : tensor<4x64xf32, #wide>
  cheems_tile.return
}

// -----

func.func @launch_c1_unknown(%n: index) {
  // expected-error@below {{C1: there is no kernel @k}}
  cheems_tile.launch @k grid[%n, %n, %n]
  return
}

// -----

func.func private @k()
func.func @launch_c1_function(%n: index) {
  // expected-error@below {{C1: there is no kernel @k}}
  cheems_tile.launch @k grid[%n, %n, %n]
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c1_count(%n: index) {
  // expected-error@below {{C1: the kernel @k has 2 arguments, and ins and outs are 1}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%n : index)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_element(%x: tensor<4x8xf16>, %n: index) {
  // expected-error@below {{C2: 'tensor<4x8xf16>' can't be the kernel's 'memref<?x8xf32>'}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x, %n : tensor<4x8xf16>, index)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_rank(%x: tensor<4x8x1xf32>, %n: index) {
  // expected-error@below {{C2: 'tensor<4x8x1xf32>' can't be the kernel's 'memref<?x8xf32>'}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x, %n : tensor<4x8x1xf32>, index)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_layout(%x: memref<4x8xf32, strided<[16, 1]>>, %n: index) {
  // expected-error@below {{C2: 'memref<4x8xf32, strided<[16, 1]>>' can't be the kernel's 'memref<?x8xf32>'}}
  cheems_tile.launch @k grid[%n, %n, %n] outs(%x : memref<4x8xf32, strided<[16, 1]>>)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_extent(%x: tensor<4x9xf32>, %n: index) {
  // expected-error@below {{C2: 'tensor<4x9xf32>' can't be the kernel's 'memref<?x8xf32>'}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x, %n : tensor<4x9xf32>, index)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_unranked(%x: tensor<*xf32>, %n: index) {
  // expected-error@below {{C2: 'tensor<*xf32>' can't be the kernel's 'memref<?x8xf32>'}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x, %n : tensor<*xf32>, index)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_number(%x: f32, %n: index) {
  // expected-error@below {{C2: 'f32' can't be the kernel's 'memref<?x8xf32>'}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x, %n : f32, index)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_index(%x: tensor<4x8xf32>, %n: index, %k: i32) {
  // expected-error@below {{C2: 'i32' can't be the kernel's 'index'}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x, %k : tensor<4x8xf32>, i32)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c3_both(%x: tensor<4x8xf32>, %y: memref<4x8xf32>, %n: index) {
  // expected-error@below {{C3: operands with a shape are all tensors, or all memrefs and then there is no result}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x : tensor<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_c4(%x: memref<4x8xf32>, %n: index) {
  // expected-error@below {{C4: a grid has three extents, not 2}}
  cheems_tile.launch @k grid[%n, %n] ins(%x, %n : memref<4x8xf32>, index)
  return
}

// -----

cheems_tile.kernel @k(%x: memref<?x8xf32>, %n: index) warps(4) {
  cheems_tile.return
}
func.func @launch_out_is_a_number(%x: memref<4x8xf32>, %n: index) {
  // expected-error@below {{expected that operand #4 is a tensor or a memref}}
  cheems_tile.launch @k grid[%n, %n, %n] ins(%x : memref<4x8xf32>) outs(%n : index)
  return
}

// -----

func.func @block_id() {
  // expected-error@below {{expects parent op 'cheems_tile.kernel'}}
  %b = cheems_tile.block_id x
  return
}

// -----

cheems_tile.kernel @alloc_in_a_loop(%n: index) warps(4) {
  %true = arith.constant true
  scf.if %true {
    // expected-error@below {{expects parent op 'cheems_tile.kernel'}}
    %b = cheems_tile.alloc : !cheems_tile.buffer<1x4x64xf32>
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @alloc_c1_swizzled() warps(4) {
  // expected-error@below {{C1: the offset of this buffer is 0 or a multiple of 1024 above, not 512}}
  %b = cheems_tile.alloc at 512 : !cheems_tile.buffer<1x4x64xf32, swizzled>
  cheems_tile.return
}

// -----

cheems_tile.kernel @alloc_c1_flat() warps(4) {
  // expected-error@below {{C1: the offset of this buffer is 0 or a multiple of 16 above, not 8}}
  %b = cheems_tile.alloc at 8 : !cheems_tile.buffer<1x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @alloc_c1_negative() warps(4) {
  // expected-error@below {{C1: the offset of this buffer is 0 or a multiple of 16 above, not -16}}
  %b = cheems_tile.alloc at -16 : !cheems_tile.buffer<1x4x64xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @wait_for_launches_c1_alone() warps(4) {
  // expected-error@below {{C1: its kernel overlaps no other}}
  cheems_tile.wait_for_launches
  cheems_tile.return
}

// -----

// expected-error@below {{C5: a kernel with rings, and no other, has fillers: 1 beside up to 16 warps, or 4 beside 8}}
cheems_tile.kernel @kernel_c5_no_ring(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  cheems_tile.return
}

// -----

func.func @wait_for_launches_c1_function() {
  // expected-error@below {{C1: its kernel overlaps no other}}
  cheems_tile.wait_for_launches
  return
}

// -----

// expected-error@below {{C5: a kernel with rings, and no other, has fillers: 1 beside up to 16 warps, or 4 beside 8}}
cheems_tile.kernel @kernel_c5_no_filler(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) {
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  cheems_tile.ring %n stages 2 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

// expected-error@below {{C5: a kernel with rings, and no other, has fillers: 1 beside up to 16 warps, or 4 beside 8}}
cheems_tile.kernel @kernel_c5_warps(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(32) fillers(1) {
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  cheems_tile.ring %n stages 2 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

cheems_tile.kernel @mapped(%x: !cheems_tile.tensor_map<64x64xbf16>) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_map_rank(%x: memref<4x4x64xbf16>, %n: index) {
  // expected-error@below {{C2: 'memref<4x4x64xbf16>' can't be the kernel's '!cheems_tile.tensor_map<64x64xbf16>'}}
  cheems_tile.launch @mapped grid[%n, %n, %n] ins(%x : memref<4x4x64xbf16>)
  return
}

// -----

cheems_tile.kernel @mapped(%x: !cheems_tile.tensor_map<64x64xbf16>) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_map_element(%x: memref<64x64xf16>, %n: index) {
  // expected-error@below {{C2: 'memref<64x64xf16>' can't be the kernel's '!cheems_tile.tensor_map<64x64xbf16>'}}
  cheems_tile.launch @mapped grid[%n, %n, %n] ins(%x : memref<64x64xf16>)
  return
}

// -----

cheems_tile.kernel @mapped(%x: !cheems_tile.tensor_map<64x64xbf16>) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_map_rows(%x: memref<64x68xbf16>, %n: index) {
  // expected-error@below {{C2: 'memref<64x68xbf16>' can't be the kernel's '!cheems_tile.tensor_map<64x64xbf16>'}}
  cheems_tile.launch @mapped grid[%n, %n, %n] ins(%x : memref<64x68xbf16>)
  return
}

// -----

cheems_tile.kernel @mapped(%x: !cheems_tile.tensor_map<64x64xbf16>) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_map_unranked(%x: f32, %n: index) {
  // expected-error@below {{C2: 'f32' can't be the kernel's '!cheems_tile.tensor_map<64x64xbf16>'}}
  cheems_tile.launch @mapped grid[%n, %n, %n] ins(%x : f32)
  return
}

// -----

cheems_tile.kernel @mapped(%x: !cheems_tile.tensor_map<64x64xbf16>) warps(4) {
  cheems_tile.return
}
func.func @launch_c2_map_out(%x: memref<64x64xbf16>, %n: index) {
  // expected-error@below {{C2: 'memref<64x64xbf16>' can't be the kernel's '!cheems_tile.tensor_map<64x64xbf16>'}}
  cheems_tile.launch @mapped grid[%n, %n, %n] outs(%x : memref<64x64xbf16>)
  return
}

// -----

// expected-error@below {{C5: a kernel with rings, and no other, has fillers: 1 beside up to 16 warps, or 4 beside 8}}
cheems_tile.kernel @kernel_c5_two(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(8) fillers(2) {
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  cheems_tile.ring %n stages 2 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

// expected-error@below {{C5: a kernel with rings, and no other, has fillers: 1 beside up to 16 warps, or 4 beside 8}}
cheems_tile.kernel @kernel_c5_four(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(4) {
  %xs = cheems_tile.alloc : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  cheems_tile.ring %n stages 2 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}
