// Equal numbers and addresses are one, and what nothing needs is gone. Neighbours of one condition join, and a condition that is known
// leaves its launches or nothing.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems_plan.entry(cse,canonicalize))' | FileCheck %s

cheems_tile.kernel @scale(%x: memref<?xf32>, %y: memref<?xf32>) warps(1) {
  cheems_tile.return
}

// CHECK-LABEL: cheems_plan.entry @step
cheems_plan.entry @step general {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %true = arith.constant true
  %false = arith.constant false
  // CHECK-COUNT-1: cheems_plan.size tokens
  // CHECK-NOT: cheems_plan.size
  %tokens = cheems_plan.size tokens
  %again = cheems_plan.size tokens
  %rows = cheems_plan.size rows
  %x = cheems_plan.weights 0
  %z = cheems_plan.weights 64
  %bytes = arith.muli %tokens, %four : index
  %same = arith.muli %again, %four : index
  // Two areas of one size are two.
  // CHECK: %[[BYTES:.*]] = arith.muli
  // CHECK: %[[A:area.*]] = cheems_plan.area %[[BYTES]]
  // CHECK: %[[B:area.*]] = cheems_plan.area %[[BYTES]]
  // CHECK-NOT: cheems_plan.area
  %a = cheems_plan.area %bytes
  %b = cheems_plan.area %same
  %unused = cheems_plan.area %bytes
  %few = arith.cmpi ult, %tokens, %four : index
  // CHECK: cheems_plan.when %[[FEW:.*]] {
  // CHECK-NEXT: launch @scale {{.*}} (%weights, %tokens, %[[A]], %tokens)
  // CHECK-NEXT: launch @scale {{.*}} (%[[A]], %tokens, %[[B]], %tokens)
  // CHECK-NEXT: }
  cheems_plan.when %few {
    cheems_plan.launch @scale grid(%one, %one, %one) (%x, %tokens, %a, %tokens) : !cheems_plan.address, index, !cheems_plan.address, index
  }
  %fewer = arith.cmpi ult, %again, %four : index
  cheems_plan.when %fewer {
    cheems_plan.launch @scale grid(%one, %one, %one) (%a, %tokens, %b, %again) : !cheems_plan.address, index, !cheems_plan.address, index
  }
  // A part stands between.
  // CHECK-NEXT: cheems_plan.part "next"
  cheems_plan.part "next"
  // CHECK-NEXT: cheems_plan.when %[[FEW]] {
  // CHECK-NEXT: launch @scale
  // CHECK-NEXT: }
  cheems_plan.when %few {
    cheems_plan.launch @scale grid(%one, %one, %one) (%b, %tokens, %a, %tokens) : !cheems_plan.address, index, !cheems_plan.address, index
  }
  // CHECK-NEXT: cheems_plan.launch @scale {{.*}} (%[[B]], %tokens, %[[B]], %tokens)
  cheems_plan.when %true {
    cheems_plan.launch @scale grid(%one, %one, %one) (%b, %tokens, %b, %tokens) : !cheems_plan.address, index, !cheems_plan.address, index
  }
  // CHECK-NEXT: }
  cheems_plan.when %false {
    cheems_plan.launch @scale grid(%one, %one, %one) (%a, %tokens, %b, %tokens) : !cheems_plan.address, index, !cheems_plan.address, index
  }
}
