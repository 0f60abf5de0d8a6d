// A plan as JSON: one number for each op, and each launch with its condition and its part (docs/abi.md, "The image for cuda").
// RUN: split-file %s %t
// RUN: cheems-translate --to-plan %t/step.mlir | FileCheck %s
// RUN: not cheems-translate --to-plan %t/signed.mlir 2>&1 | FileCheck %s --check-prefix=SIGNED
// RUN: not cheems-translate --to-plan %t/choice.mlir 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: cheems-opt %t/choice.mlir --pass-pipeline='builtin.module(cheems_plan.entry(cheems-plan-expand-numbers))' | cheems-translate --to-plan | FileCheck %s --check-prefix=CHOSEN
// RUN: not cheems-translate --to-plan %t/negative.mlir 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not cheems-translate --to-plan %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not cheems-translate --to-plan %t/compiled.mlir 2>&1 | FileCheck %s --check-prefix=COMPILED

// RUN: cheems-translate --to-plan %t/step.mlir | python3 -c "import json, sys; plan = json.load(sys.stdin)['entries']['general']; print(*plan['numbers'], sep='\n'); print(plan['areas'], plan['parts']); print(*[launch for launch in plan['launches']], sep='\n')" | FileCheck %s --check-prefix=VALUES
// CHECK: "entries": {
// CHECK-NEXT: "general": {
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
