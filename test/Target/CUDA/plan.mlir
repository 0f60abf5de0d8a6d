// A plan as JSON: one number for each op, and each launch with its condition and its part (docs/abi.md, "The image for cuda").
// RUN: split-file %s %t
// RUN: cheems-translate --to-plan %t/step.mlir | FileCheck %s
// RUN: not cheems-translate --to-plan %t/signed.mlir 2>&1 | FileCheck %s --check-prefix=SIGNED
// RUN: not cheems-translate --to-plan %t/choice.mlir 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: cheems-opt %t/choice.mlir --pass-pipeline='builtin.module(cheems_plan.entry(cheems-plan-expand-numbers))' | cheems-translate --to-plan | FileCheck %s --check-prefix=CHOSEN
// RUN: not cheems-translate --to-plan %t/negative.mlir 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not cheems-translate --to-plan %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not cheems-translate --to-plan %t/compiled.mlir 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: not cheems-translate --to-plan %t/sum-of-conditions.mlir 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not cheems-translate --to-plan %t/product-of-words.mlir 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not cheems-translate --to-plan %t/bits.mlir 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not cheems-translate --to-plan %t/narrow-cast.mlir 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not cheems-translate --to-plan %t/signed-condition.mlir 2>&1 | FileCheck %s --check-prefix=CONDITION
// RUN: not cheems-translate --to-plan %t/wide-constant.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not cheems-translate --to-plan %t/not-finite.mlir 2>&1 | FileCheck %s --check-prefix=FINITE
// RUN: not cheems-translate --to-plan %t/divisor.mlir 2>&1 | FileCheck %s --check-prefix=DIVISOR
// RUN: not cheems-translate --to-plan %t/after-weights.mlir 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not cheems-translate --to-plan %t/no-such-pool.mlir 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: not cheems-translate --to-plan %t/best-twice.mlir 2>&1 | FileCheck %s --check-prefix=BEST
// RUN: not cheems-translate --to-plan %t/decode-alone.mlir 2>&1 | FileCheck %s --check-prefix=GENERAL
// RUN: not cheems-translate --to-plan %t/general-alone.mlir 2>&1 | FileCheck %s --check-prefix=DECODE
// RUN: cheems-translate --to-plan %t/descending.mlir | FileCheck %s --check-prefix=ASCENDING
// RUN: cheems-translate --to-plan %t/casts.mlir | python3 -c "import json, sys; print(json.load(sys.stdin)['entries']['general']['numbers'])" | FileCheck %s --check-prefix=CASTS

// RUN: cheems-translate --to-plan %t/step.mlir | python3 -c "import json, sys; plan = json.load(sys.stdin)['entries']['general']; print(*plan['numbers'], sep='\n'); print(plan['areas'], plan['parts']); print(*[launch for launch in plan['launches']], sep='\n')" | FileCheck %s --check-prefix=VALUES
// CHECK: "entries": {
// CHECK: "decode": {
// CHECK: "general": {
// CHECK: "kernels": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "boxes",
// CHECK-NEXT: "overlaps": true,
// CHECK-NEXT: "shared": 1024,
// CHECK-NEXT: "threads": 64
// CHECK: "version": 2
// VALUES: {{^}}tokens
// VALUES-NEXT: {{^}}64
// VALUES-NEXT: {{^}}3
// VALUES-NEXT: {{^}}1
// VALUES-NEXT: ['multiply', 0, 1]
// VALUES-NEXT: ['less', 0, 1]
// VALUES-NEXT: ['subtract', 3, 5]
// VALUES-NEXT: [4] ['first', 'second']
// VALUES-NEXT: {'arguments': {{\[\[}}'map', ['area', 0], 0, 1, 'bf16', 8, 64], ['weights', 4096], 1, 2, ['f32', 0.5]], 'grid': [0, 1, 1], 'kernel': 0, 'part': 0}
// VALUES-NEXT: {'arguments': {{\[\[}}'map', ['area', 0], 0, 1, 'bf16', 8, 64], ['pool', 2], 4, 2, ['f32', 0.5]], 'grid': [0, 1, 1], 'kernel': 0, 'part': 1, 'when': 6}
// VALUES-NEXT: {'arguments': {{\[\[}}'map', ['area', 0], 0, 1, 'bf16', 8, 64], ['logits'], 0, 2, ['f32', 0.5]], 'grid': [0, 1, 1], 'kernel': 0, 'part': 1, 'when': 6}
// SIGNED: 'arith.cmpi' has no form in a plan's JSON
// CHOICE: 'arith.select' has no form in a plan's JSON; cheems-plan-expand-numbers gives it to numbers without a sign in {{.*}}choice.mlir:{{[0-9]+}}
// CHOSEN: "numbers": [
// NEGATIVE: 'arith.constant' is negative, and numbers of a plan are not
// TWICE: 'cheems_plan.entry' is the second one of the kind general
// COMPILED: 'cheems_plan.launch' names no kernel of tiles of the module
// Numbers of a plan have no end, and narrow ones wrap around.
// SUM: 'arith.addi' is of i1, and a plan's JSON has it of index alone in {{.*}}sum-of-conditions.mlir:{{[0-9]+}}
// PRODUCT: 'arith.muli' is of i32, and a plan's JSON has it of index alone
// BITS: 'arith.andi' is of index, and a plan's JSON has it of i1 alone
// NARROW: 'arith.index_cast' from index to i8 may change the number, and a plan's JSON has no such cast
// CONDITION: 'arith.index_cast' from i1 to index may change the number, and a plan's JSON has no such cast
// WIDE: 'arith.constant' has more than 64 bits
// FINITE: 'arith.constant' is not finite, and JSON has no form for it
// DIVISOR: 'arith.divui' divides by what is no positive constant
// What the module has bounds what its plan takes.
// AFTER: 'cheems_plan.weights' begins at byte 4096, but the module's weights have 4096 bytes
// POOL: 'cheems_plan.pool' is pool 1, but the module has 1 pools
// BEST: 'cheems_plan.entry' is the second one of the kind top_logits(4)
// GENERAL: 'builtin.module' has no entry of the kind general, and the runtime reads no plan without one, in {{.*}}decode-alone.mlir
// DECODE: 'builtin.module' has no entry of the kind decode
// ASCENDING: "count": 4,
// ASCENDING: "count": 64,
// A cast is the number that it casts.
// CASTS: {{^}}['tokens', 'rows', ['less', 0, 1], ['add', 0, 2], ['add', 3, 0]]

//--- step.mlir
cheems_tile.kernel @boxes(%x: !cheems_tile.tensor_map<8x64xbf16>, %y: memref<?xf32>, %k: i32, %f: f32) warps(2) shared(1024) overlaps {
  cheems_tile.wait_for_launches
  cheems_tile.return
}
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %c64 = arith.constant 64 : index
  %k = arith.constant 3 : i32
  %f = arith.constant 0.5 : f32
  %true = arith.constant true
  %bytes = arith.muli %tokens, %c64 : index
  %less = arith.cmpi ult, %tokens, %c64 : index
  %many = arith.xori %less, %true : i1
  %area = cheems_plan.area %bytes
  %weights = cheems_plan.weights 4096
  %pool = cheems_plan.pool 2
  %logits = cheems_plan.field logits
  %map = cheems_plan.tensor_map %area[%tokens, %c64] : !cheems_tile.tensor_map<8x64xbf16>
  cheems_plan.part "first"
  cheems_plan.launch @boxes grid(%tokens, %c64, %c64) (%map, %weights, %c64, %k, %f) : !cheems_tile.tensor_map<8x64xbf16>, !cheems_plan.address, index, i32, f32
  cheems_plan.part "second"
  cheems_plan.when %many {
    cheems_plan.launch @boxes grid(%tokens, %c64, %c64) (%map, %pool, %bytes, %k, %f) : !cheems_tile.tensor_map<8x64xbf16>, !cheems_plan.address, index, i32, f32
    cheems_plan.launch @boxes grid(%tokens, %c64, %c64) (%map, %logits, %tokens, %k, %f) : !cheems_tile.tensor_map<8x64xbf16>, !cheems_plan.address, index, i32, f32
  }
}
cheems_plan.entry @step_decode decode(64) {
}

//--- signed.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %less = arith.cmpi slt, %tokens, %tokens : index
}

//--- choice.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %rows = cheems_plan.size rows
  %less = arith.cmpi ult, %tokens, %rows : index
  %one = arith.select %less, %tokens, %rows : index
}
cheems_plan.entry @step_decode decode(64) {
}

//--- negative.mlir
cheems_plan.entry @step general {
  %less = arith.constant -1 : index
}

//--- twice.mlir
cheems_plan.entry @step general {
}
cheems_plan.entry @again general {
}

//--- compiled.mlir
gpu.module @kernels {
  llvm.func @compiled() {
    llvm.return
  }
}
cheems_plan.entry @step general {
  %one = arith.constant 1 : index
  cheems_plan.launch @compiled grid(%one, %one, %one) ()
}

//--- sum-of-conditions.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %same = arith.cmpi eq, %tokens, %tokens : index
  %sum = arith.addi %same, %same : i1
}

//--- product-of-words.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %word = arith.index_cast %tokens : index to i32
  %product = arith.muli %word, %word : i32
}

//--- bits.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %rows = cheems_plan.size rows
  %both = arith.andi %tokens, %rows : index
}

//--- narrow-cast.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %byte = arith.index_cast %tokens : index to i8
}

//--- signed-condition.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %same = arith.cmpi eq, %tokens, %tokens : index
  %one = arith.index_cast %same : i1 to index
}

//--- wide-constant.mlir
cheems_plan.entry @step general {
  %wide = arith.constant 18446744073709551616 : i128
}

//--- not-finite.mlir
cheems_plan.entry @step general {
  %nan = arith.constant 0x7FC00000 : f32
}

//--- divisor.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %zero = arith.constant 0 : index
  %part = arith.divui %tokens, %zero : index
}

//--- after-weights.mlir
module attributes {cheems.parameter_bytes = 4096 : i64} {
  cheems_plan.entry @step general {
    %weights = cheems_plan.weights 4096
  }
}

//--- no-such-pool.mlir
module attributes {cheems.state = [#cheems.pool<name = "keys", role = keys, type = f32, shape = [slots, 2, 2, capacity, 64]>]} {
  cheems_plan.entry @step general {
    %keys = cheems_plan.pool 0
    %none = cheems_plan.pool 1
  }
}

//--- best-twice.mlir
cheems_plan.entry @best top_logits(4) {
}
cheems_plan.entry @again top_logits(4) {
}

//--- decode-alone.mlir
cheems_plan.entry @step_decode decode(64) {
}

//--- general-alone.mlir
cheems_plan.entry @step general {
}

//--- descending.mlir
cheems_plan.entry @step general {
}
cheems_plan.entry @step_decode decode(64) {
}
cheems_plan.entry @best_64 top_logits(64) {
}
cheems_plan.entry @best_4 top_logits(4) {
}

//--- casts.mlir
cheems_plan.entry @step general {
  %tokens = cheems_plan.size tokens
  %rows = cheems_plan.size rows
  %less = arith.cmpi ult, %tokens, %rows : index
  %one = arith.index_castui %less : i1 to index
  %sum = arith.addi %tokens, %one : index
  %word = arith.index_cast %sum : index to i32
  %again = arith.index_cast %word : i32 to index
  %twice = arith.addi %again, %tokens : index
}
cheems_plan.entry @step_decode decode(64) {
}
