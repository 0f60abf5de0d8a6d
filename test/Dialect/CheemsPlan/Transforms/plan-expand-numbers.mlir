// Comparisons are of two kinds, and a choice is a sum.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems_plan.entry(cheems-plan-expand-numbers))' | FileCheck %s

cheems_tile.kernel @take(%n: index) warps(1) {
  cheems_tile.return
}

// CHECK-LABEL: cheems_plan.entry @comparisons
// CHECK-NOT: arith.cmpi {{(ne|uge|ugt|ule)}}
// CHECK: %[[EQ:.*]] = arith.cmpi eq, %tokens, %rows
// CHECK: %[[T0:.*]] = arith.constant true
// CHECK: arith.xori %[[EQ]], %[[T0]]
// CHECK: arith.cmpi ult, %tokens, %rows
// CHECK: %[[LESS:.*]] = arith.cmpi ult, %tokens, %rows
// CHECK: %[[T1:.*]] = arith.constant true
// CHECK: arith.xori %[[LESS]], %[[T1]]
// CHECK: arith.cmpi ult, %rows, %tokens
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %rows, %tokens
// CHECK: %[[T2:.*]] = arith.constant true
// CHECK: arith.xori %[[MORE]], %[[T2]]
cheems_plan.entry @comparisons decode(1) {
  %one = arith.constant 1 : index
  %a = cheems_plan.size tokens
  %b = cheems_plan.size rows
  %0 = arith.cmpi ne, %a, %b : index
  %1 = arith.cmpi ult, %a, %b : index
  %2 = arith.cmpi uge, %a, %b : index
  %3 = arith.cmpi ugt, %a, %b : index
  %4 = arith.cmpi ule, %a, %b : index
  cheems_plan.when %0 {
    cheems_plan.launch @take grid(%one, %one, %one) (%a) : index
  }
}

// A difference that became a sum with a negative number.
// CHECK-LABEL: cheems_plan.entry @difference
// CHECK-NOT: constant -2
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: arith.subi %tokens, %[[TWO]]
cheems_plan.entry @difference top_logits(1) {
  %less = arith.constant -2 : index
  %a = cheems_plan.size tokens
  %0 = arith.addi %a, %less : index
  cheems_plan.launch @take grid(%a, %a, %a) (%0) : index
}

// CHECK-LABEL: cheems_plan.entry @choice
// CHECK: %[[FEW:.*]] = arith.cmpi ult, %tokens, %[[FOUR:.*]] : index
// CHECK: %[[YES:.*]] = arith.index_castui %[[FEW]] : i1 to index
// CHECK: %[[A:.*]] = arith.muli %[[YES]], %tokens
// CHECK: %[[NOT:.*]] = arith.xori %[[FEW]], %{{.*}} : i1
// CHECK: %[[NO:.*]] = arith.index_castui %[[NOT]] : i1 to index
// CHECK: %[[B:.*]] = arith.muli %[[NO]], %[[FOUR]]
// CHECK: %[[N:.*]] = arith.addi %[[A]], %[[B]]
// CHECK: launch @nothing grid(%[[N]],

// doc: cheems_plan.entry(cheems-plan-expand-numbers)
cheems_tile.kernel @nothing() warps(1) {
  cheems_tile.return
}
cheems_plan.entry @choice general {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %tokens = cheems_plan.size tokens
  %few = arith.cmpi ult, %tokens, %four : index
  %blocks = arith.select %few, %tokens, %four : index
  cheems_plan.launch @nothing grid(%blocks, %one, %one) ()
}
// doc-end
