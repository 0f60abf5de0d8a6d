// Which ops a strategy may stand on, and which sizes it may have.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult atLeast(EmitError emitError, StringRef size, int64_t least,
                             int64_t value) {
  if (value < least) {
    return emitError() << "needs " << size << " of at least " << least
                       << ", not " << value;
  }
  return success();
}

template <typename... OpTy>
static LogicalResult standsOn(Operation *op, Attribute strategy,
                              StringRef names) {
  if (!isa<OpTy...>(op)) {
    return op->emitOpError()
           << "cannot have " << strategy << ", which is for " << names;
  }
  return success();
}

LogicalResult MatmulStrategyAttr::verify(EmitError emitError, int64_t panels,
                                         bool) {
  return atLeast(emitError, "panels", 0, panels);
}

LogicalResult MatmulStrategyAttr::verifyOn(Operation *op) const {
  auto epilogue = dyn_cast<ColumnEpilogueOp>(op);
  if (epilogue && getPanels() % epilogue.getLeastPanels() != 0) {
    return op->emitOpError()
           << "needs panels in multiples of " << epilogue.getLeastPanels()
           << ", which hold whole heads, not " << getPanels();
  }
  return standsOn<LinearOp, ColumnEpilogueOp>(
      op, *this, "cheems_cpu.linear and cheems_cpu.column_epilogue");
}

LogicalResult RowsStrategyAttr::verify(EmitError emitError, int64_t rows) {
  return atLeast(emitError, "rows", 1, rows);
}

LogicalResult RowsStrategyAttr::verifyOn(Operation *op) const {
  auto tiled = dyn_cast<TilingInterface>(op);
  if (!tiled || tiled.getLoopIteratorTypes().empty()) {
    return op->emitOpError() << "cannot have " << Attribute(*this)
                             << ", which is for ops with loops";
  }
  return success();
}

LogicalResult AttentionStrategyAttr::verify(EmitError emitError, int64_t rows,
                                            int64_t keys) {
  return success(succeeded(atLeast(emitError, "rows", 1, rows)) &&
                 succeeded(atLeast(emitError, "keys", 1, keys)));
}

LogicalResult AttentionStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<DynamicMaskAttentionOp>(op, *this,
                                          "cheems_cpu.dynamic_mask_attention");
}

LogicalResult SSDStrategyAttr::verify(EmitError emitError, int64_t chunk) {
  return atLeast(emitError, "chunk", 1, chunk);
}

LogicalResult SSDStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<SSDOp>(op, *this, "cheems_cpu.ssd");
}

LogicalResult ExpertsStrategyAttr::verify(EmitError emitError, ExpertOrder,
                                          int64_t rows, bool) {
  return atLeast(emitError, "rows", 1, rows);
}

LogicalResult ExpertsStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<MixExpertsOp>(op, *this, "cheems.mix_experts");
}

LogicalResult StepStrategyAttr::verify(EmitError emitError, int64_t prefill,
                                       int64_t chunk) {
  return success(succeeded(atLeast(emitError, "prefill", 1, prefill)) &&
                 succeeded(atLeast(emitError, "chunk", 0, chunk)));
}

LogicalResult StepStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<ModuleOp>(op, *this, "a module");
}
