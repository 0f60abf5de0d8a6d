// Passes on plans of launches. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_DIALECT_CHEEMSPLAN_TRANSFORMS_PASSES_TD
#define CHEEMS_DIALECT_CHEEMSPLAN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanShareAreasPass : Pass<"cheems-plan-share-areas", "::cheems::plan::EntryOp"> {
  let summary = "Areas that are never in use at the same time share their memory";
  let description = [{
    Before: entries in which equal numbers are one value (`cse`).
    After: fewer areas. Each launch that had an area which is gone has another one of the same number of bytes.
    Requires: nothing.
    Guarantees: an area is in use from the first launch that has it to the last one. A launch's areas are all in use until it ends. In the order
    of their first launches, each area takes the memory of the first area that has as many bytes and that nobody uses any more. One without
    launches is gone.
  }];
}

def PlanExpandNumbersPass : Pass<"cheems-plan-expand-numbers", "::cheems::plan::EntryOp"> {
  let summary = "Numbers become those that the runtime computes";
  let description = [{
    Before: entries with any comparisons of numbers without a sign, and with `arith.select` of numbers.
    After: comparisons are `eq` and `ult`, or the opposite of one: `arith.xori` with true. A choice is the sum of two products, so both numbers
    are computed. A negative constant that is added is a positive one that is subtracted.
    Requires: no number is negative in any step, whichever is chosen.
    Guarantees: values stay. `canonicalize` would turn it back, so it comes before.
  }];
}

#endif
