// RUN: cheems-opt %s --split-input-file --verify-diagnostics --cheems-lower-tiles --mlir-print-op-on-diagnostic=false

#rows = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @values() warps(1) {
  // expected-error @+1 {{in the kernel values is a tile of several values; load it, or compute it from indices}}
  %t = arith.constant dense<"0x000000000000803F000000400000404000008040000000000000803F000000400000404000008040000000000000803F000000400000404000008040000000000000803F000000400000404000008040000000000000803F000000400000404000008040000000000000803F0000004000004040000080400000000000000000"> : tensor<1x32xf32, #rows>
  cheems_tile.return
}

// -----

cheems_tile.kernel @memory(%x: memref<?xf32>, %zero: f32) warps(1) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{in the kernel memory has no code for GPUs; kernels have cheems_tile, arith, some of math, scf loops and branches}}
  memref.store %zero, %x[%c0] : memref<?xf32>
  cheems_tile.return
}

// -----

#rows = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @function(%x: memref<32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<1x32xf32, #rows>
  // expected-error @+1 {{in the kernel function has no code for GPUs}}
  %e = math.tanh %zero : tensor<1x32xf32, #rows>
  cheems_tile.return
}

// -----

// Functions are approximations in f32.
#rows = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @precise(%x: memref<32xf32>) warps(1) {
  %one = arith.constant dense<1.0> : tensor<1x32xf64, #rows>
  // expected-error @+1 {{in the kernel precise has no code for GPUs}}
  %e = math.exp %one : tensor<1x32xf64, #rows>
  cheems_tile.return
}

// -----

cheems_tile.kernel @unplanned() warps(1) {
  // expected-error @+1 {{in the kernel unplanned has no offset; run cheems-tile-plan-shared before}}
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x8x8xf32>
  cheems_tile.return
}

// -----

#wide = #cheems_tile.blocked<rows = 1, columns = 64, width = 1>
cheems_tile.kernel @exchange() warps(2) {
  %zero = arith.constant dense<0.0> : tensor<1x64xf32, #wide>
  // expected-error @+1 {{in the kernel exchange has no scratch; run cheems-tile-plan-shared before}}
  %s = cheems_tile.reduce add %zero axis 1 : tensor<1x64xf32, #wide> -> tensor<1xf32, #cheems_tile.slice<axis = 1, of = #wide>>
  cheems_tile.return
}

// -----

cheems_tile.kernel @some() warps(1) {
  cheems_tile.return
}
// expected-error @+1 {{has the name of the module of compiled kernels}}
func.func private @kernels()

// -----

#c = #cheems_tile.fragment<role = c, warps_m = 4, warps_n = 1>
!stage = !cheems_tile.buffer<1x64x64xbf16, swizzled>
module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  cheems_tile.kernel @later() warps(4) {
    %c0 = arith.constant 0 : index
    %x = cheems_tile.alloc at 0 : !stage
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #c>
    // expected-error @+1 {{in the kernel later is for sm_90a, and the module's cheems.target is for sm_80}}
    %d = cheems_tile.warpgroup_mma %x[%c0], %x[%c0], %zero : !stage, !stage, tensor<64x64xf32, #c>
    cheems_tile.return
  }
}

// -----

#rows = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @hasty(%x: memref<1x32xf32>) warps(1) overlaps {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{in the kernel hasty comes before the kernel has waited for those before it; run cheems-tile-overlap-launches before, or put a wait_for_launches in front}}
  %t = cheems_tile.load %x[%c0, %c0] dims [0, 1] : memref<1x32xf32> -> tensor<1x32xf32, #rows>
  cheems_tile.wait_for_launches
  cheems_tile.store %t, %x[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #rows>, memref<1x32xf32>
  cheems_tile.return
}

// -----

cheems_tile.kernel @barriers(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %xs = cheems_tile.alloc at 0 : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  // expected-error @+1 {{in the kernel barriers has no place for its barriers; run cheems-tile-plan-shared before}}
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

cheems_tile.kernel @in_a_branch(%number: i32) warps(1) overlaps {
  %zero = arith.constant 0 : i32
  %isZero = arith.cmpi eq, %number, %zero : i32
  scf.if %isZero {
    cheems_tile.wait_for_launches
  }
  // expected-error @+1 {{in the kernel in_a_branch comes before the kernel has waited for those before it}}
  cheems_tile.return
}

// -----

// The steps come out of a loop, which the filler would have to repeat.
cheems_tile.kernel @counted(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = cheems_tile.alloc at 0 : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  // expected-error @+1 {{in the kernel counted is not for the warp that fills rings, which needs it}}
  %steps = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %n) -> index {
    %next = arith.addi %sum, %i : index
    scf.yield %next : index
  }
  cheems_tile.ring %steps stages 2 at 16384 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

// Nor does it have what a branch gives.
cheems_tile.kernel @chosen(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index, %has: i32) warps(4) fillers(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %taken = arith.cmpi ne, %has, %none : i32
  %xs = cheems_tile.alloc at 0 : !cheems_tile.buffer<2x64x64xbf16, swizzled>
  // expected-error @+1 {{in the kernel chosen is not for the warp that fills rings, which needs it}}
  %steps = scf.if %taken -> index {
    scf.yield %n : index
  } else {
    scf.yield %c1 : index
  }
  cheems_tile.ring %steps stages 2 at 16384 fill {
  ^bb0(%step: index, %stage: index):
    cheems_tile.bulk_copy %x[%c0, %c0] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
    cheems_tile.ring_yield
  } use {
  ^bb0(%step: index, %stage: index):
    cheems_tile.ring_yield
  }
  cheems_tile.return
}

// -----

module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>} {
  cheems_tile.kernel @old(%x: !cheems_tile.tensor_map<64x64xbf16>, %n: index) warps(4) fillers(1) {
    %xs = cheems_tile.alloc at 0 : !cheems_tile.buffer<2x64x64xbf16, swizzled>
    // expected-error @+1 {{in the kernel old is for sm_90a, and the module's cheems.target is for sm_80}}
    cheems_tile.ring %n stages 2 at 16384 fill {
    ^bb0(%step: index, %stage: index):
      cheems_tile.bulk_copy %x[%n, %n] to %xs[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
      cheems_tile.ring_yield
    } use {
    ^bb0(%step: index, %stage: index):
      cheems_tile.ring_yield
    }
    cheems_tile.return
  }
}
