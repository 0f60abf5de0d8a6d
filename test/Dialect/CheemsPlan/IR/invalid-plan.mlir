// Every labelled constraint of docs/ops.md is checked: @op_cN breaks CN of op.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{C1: a general entry has no count}}
cheems_plan.entry @entry_c1_general general(3) {
}

// -----

// expected-error@below {{C1: an entry for decode has a count of at least 1}}
cheems_plan.entry @entry_c1_none decode {
}

// -----

// expected-error@below {{C1: an entry for top_logits has a count of at least 1}}
cheems_plan.entry @entry_c1_zero top_logits(0) {
}

// -----

cheems_plan.entry @part_c1 general {
  // expected-error@below {{C1: needs a name}}
  cheems_plan.part ""
}

// -----

cheems_plan.entry @when_c1 general {
  %true = arith.constant true
  // expected-error@below {{C1: has launches alone, not 'cheems_plan.size'}}
  cheems_plan.when %true {
    %tokens = cheems_plan.size tokens
  }
}

// -----

cheems_plan.entry @launch_c1_missing general {
  %one = arith.constant 1 : index
  // expected-error@below {{C1: there is no kernel @nowhere}}
  cheems_plan.launch @nowhere grid(%one, %one, %one) ()
}

// -----

cheems_tile.kernel @scale(%x: memref<?xf32>) warps(1) {
  cheems_tile.return
}
cheems_plan.entry @launch_c1_count general {
  %one = arith.constant 1 : index
  %x = cheems_plan.weights 0
  // expected-error@below {{C1: the kernel @scale has 2 parameters, and is given 1}}
  cheems_plan.launch @scale grid(%one, %one, %one) (%x) : !cheems_plan.address
}

// -----

cheems_tile.kernel @scale(%x: memref<?xf32>) warps(1) {
  cheems_tile.return
}
cheems_plan.entry @launch_c2_pointer general {
  %one = arith.constant 1 : index
  // expected-error@below {{C2: argument 0 is 'index', and the kernel takes 'memref<?xf32>'}}
  cheems_plan.launch @scale grid(%one, %one, %one) (%one, %one) : index, index
}

// -----

cheems_tile.kernel @scale(%x: memref<?xf32>) warps(1) {
  cheems_tile.return
}
cheems_plan.entry @launch_c2_extent general {
  %one = arith.constant 1 : index
  %k = arith.constant 1 : i32
  %x = cheems_plan.weights 0
  // expected-error@below {{C2: argument 1 is 'i32', and the kernel takes 'memref<?xf32>'}}
  cheems_plan.launch @scale grid(%one, %one, %one) (%x, %k) : !cheems_plan.address, i32
}

// -----

cheems_tile.kernel @boxes(%x: !cheems_tile.tensor_map<8x64xbf16>) warps(1) {
  cheems_tile.return
}
cheems_plan.entry @launch_c2_map general {
  %one = arith.constant 1 : index
  %x = cheems_plan.weights 0
  %map = cheems_plan.tensor_map %x[%one, %one] : !cheems_tile.tensor_map<8x64xf16>
  // expected-error@below {{C2: argument 0 is '!cheems_tile.tensor_map<8x64xf16>', and the kernel takes '!cheems_tile.tensor_map<8x64xbf16>'}}
  cheems_plan.launch @boxes grid(%one, %one, %one) (%map) : !cheems_tile.tensor_map<8x64xf16>
}

// -----

cheems_plan.entry @weights_c1 general {
  // expected-error@below {{C1: the offset is not negative, but this is -64}}
  %x = cheems_plan.weights -64
}

// -----

cheems_plan.entry @pool_c1 general {
  // expected-error@below {{C1: the index is not negative, but this is -1}}
  %x = cheems_plan.pool -1
}

// -----

// expected-error@below {{region should have no arguments}}
cheems_plan.entry @entry_with_argument general {
^bb0(%n: index):
  %x = cheems_plan.area %n
}

// -----

cheems_tile.kernel @nothing() warps(1) {
  cheems_tile.return
}
cheems_plan.entry @when_with_argument general {
  %true = arith.constant true
  // expected-error@below {{region should have no arguments}}
  cheems_plan.when %true {
  ^bb0(%n: index):
    cheems_plan.launch @nothing grid(%n, %n, %n) ()
  }
}

// -----

func.func @elsewhere() {
  // expected-error@below {{expects parent op 'cheems_plan.entry'}}
  cheems_plan.part "outside"
  return
}
