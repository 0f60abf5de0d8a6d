// From functions that launch kernels to plans of launches. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_TILETOPLAN_PASSES_TD
#define CHEEMS_CONVERSION_TILETOPLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckPlanEntriesPass : Pass<"cheems-check-plan-entries", "::mlir::ModuleOp"> {
  let summary = "Refuse entries that would have no plan";
  let description = [{
    Before and after: the same IR. There is an error at an entry (`cheems.entry`) that is private. The inliner would drop it without a word,
    because nothing calls it.
    Requires: nothing.
    Guarantees: all entries of a module that passes are public.
  }];
}

def TileToPlanPass : Pass<"cheems-tile-to-plan", "::mlir::ModuleOp"> {
  let summary = "Entries become plans of launches";
  let description = [{
    Before: entries (`cheems.entry`) that launch kernels on memory of the GPU, with all calls inlined.
    After: each is a `cheems_plan.entry`. A memref is an address, and a number for each of its dynamic extents. What was allocated is an area of
    so many bytes. A launch hands over what its kernel has as parameters. One with a condition stands in a `cheems_plan.when` of its own.
    Requires: arguments of entries are fields of a step (`cheems.field`). The first extent of a field may be dynamic. Then it is the size of the
    step that belongs to the field. Another dynamic extent is the capacity, or the ring of a pool that `cheems.state` says has one, and pools alone have it.
    Guarantees: launches stay in order. An op that no plan has is an error with the reason. Kernels and other functions stay.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::cheems::plan::CheemsPlanDialect"];
}

#endif
