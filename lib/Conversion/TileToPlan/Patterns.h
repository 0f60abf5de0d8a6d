// The parts of cheems-tile-to-plan.
#ifndef CHEEMS_LIB_CONVERSION_TILETOPLAN_PATTERNS_H
#define CHEEMS_LIB_CONVERSION_TILETOPLAN_PATTERNS_H

#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace cheems {

/// A memref becomes an address and a number for each dynamic extent.
struct PlanTypeConverter : TypeConverter {
  PlanTypeConverter();
};

/// All extents of a memref that became `converted`.
SmallVector<Value> extentsOf(OpBuilder &b, Location loc, MemRefType type,
                             ValueRange converted);
/// What a memref of `type` becomes. Its static extents say themselves what
/// they are.
SmallVector<Value> packed(MemRefType type, Value address,
                          ArrayRef<Value> extents);

/// The field of a step that an argument of an entry is; none if it is none.
std::optional<StepField> fieldOf(func::FuncOp entry, unsigned argument);
/// Whether it is one that plans have.
bool isPlanField(StepField field);

void populateEntryPatterns(const TypeConverter &types,
                           RewritePatternSet &patterns);
void populateMemoryPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns);
void populateLaunchPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns);

} // namespace cheems

#endif
