// Which ops a strategy may stand on, and which sizes it may have.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/abi.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

using EmitError = function_ref<InFlightDiagnostic()>;

namespace {
struct Size {
  StringRef name;
  int64_t value;
};
} // namespace

/// No size of a GPU is greater, and their products are no overflow.
constexpr int64_t kMostSize = int64_t(1) << 20;
/// Numbers of a tile that a thread may have.
constexpr int64_t kMostNumbers = 1024;

static LogicalResult areAtLeast(EmitError emitError, int64_t least,
                                ArrayRef<Size> sizes) {
  for (const Size &size : sizes) {
    if (size.value < least) {
      return emitError() << "needs " << size.name << " of at least " << least
                         << ", not " << size.value;
    }
    if (size.value > kMostSize) {
      return emitError() << "needs " << size.name << " of at most " << kMostSize
                         << ", not " << size.value;
    }
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

LogicalResult RowTileAttr::verify(EmitError emitError, int64_t rows,
                                  int64_t threads, int64_t width,
                                  int64_t columns, int64_t times) {
  if (failed(areAtLeast(emitError, 1,
                        {{"rows", rows},
                         {"threads", threads},
                         {"width", width},
                         {"columns", columns},
                         {"times", times}}))) {
    return failure();
  }
  if (!llvm::isPowerOf2_64(uint64_t(threads)) ||
      !llvm::isPowerOf2_64(uint64_t(width)) ||
      !llvm::isPowerOf2_64(uint64_t(rows))) {
    return emitError() << "needs powers of 2 as rows, threads and width";
  }
  if (rows * threads > kMostBlockThreads) {
    return emitError() << "needs at most " << kMostBlockThreads
                       << " threads, not " << rows * threads;
  }
  if (rows * threads % kWarpThreads != 0) {
    return emitError() << "needs whole warps, not " << rows * threads
                       << " threads";
  }
  if (columns / threads > kMostNumbers) {
    return emitError() << "needs at most " << kMostNumbers
                       << " columns of a thread, not " << columns / threads;
  }
  if (columns % (threads * width) != 0) {
    return emitError() << "needs columns in multiples of " << threads * width
                       << ", which a row's threads have at once, not "
                       << columns;
  }
  return success();
}

RowTileAttr RowTileAttr::withTimes(int64_t times) const {
  return get(getContext(), getRows(), getThreads(), getWidth(), getColumns(),
             times);
}

LogicalResult RowTileAttr::verifyOn(Operation *op) const {
  return standsOn<RmsNormOp, QuantizeEntriesOp, GatherRowsOp, PositionsOp,
                  RotaryTableOp, RotaryOp, linalg::GenericOp>(
      op, *this,
      "norms, quantization, rows by number, positions, rotations and "
      "elementwise ops");
}

LogicalResult MatmulTileAttr::verify(EmitError emitError, int64_t rows,
                                     int64_t columns, int64_t depth,
                                     int64_t stages, int64_t warpsM,
                                     int64_t warpsN, Unit unit,
                                     OperandCopy copy) {
  if (copy == OperandCopy::Bulk && unit != Unit::Wgmma) {
    return emitError() << "bulk copies are for the unit wgmma, not for "
                       << stringifyUnit(unit);
  }
  return areAtLeast(emitError, 1,
                    {{"rows", rows},
                     {"columns", columns},
                     {"depth", depth},
                     {"stages", stages},
                     {"warps_m", warpsM},
                     {"warps_n", warpsN}});
}

LogicalResult FewRowsTileAttr::verify(EmitError emitError, int64_t rows,
                                      int64_t columns, int64_t depth,
                                      int64_t ahead, int64_t warps) {
  return areAtLeast(emitError, 1,
                    {{"rows", rows},
                     {"columns", columns},
                     {"depth", depth},
                     {"ahead", ahead},
                     {"warps", warps}});
}

LogicalResult AttentionTileAttr::verify(EmitError emitError, int64_t rows,
                                        int64_t entries, int64_t stages,
                                        int64_t warpsM, int64_t warpsN, bool,
                                        Unit unit, int64_t panel, int64_t heads,
                                        OperandCopy copy) {
  if (copy == OperandCopy::Bulk && unit != Unit::Wgmma) {
    return emitError() << "bulk copies are for the unit wgmma, not for "
                       << stringifyUnit(unit);
  }
  if ((panel != 0) != (unit == Unit::Wgmma)) {
    return emitError() << "needs panels for the unit wgmma alone";
  }
  return areAtLeast(emitError, 1,
                    {{"rows", rows},
                     {"entries", entries},
                     {"stages", stages},
                     {"warps_m", warpsM},
                     {"warps_n", warpsN},
                     {"heads", heads}});
}

LogicalResult MergeTileAttr::verify(EmitError emitError, int64_t most,
                                    int64_t ahead, int64_t warps) {
  return areAtLeast(emitError, 1,
                    {{"most", most}, {"ahead", ahead}, {"warps", warps}});
}

LogicalResult VisibleTileAttr::verify(EmitError emitError, int64_t rows,
                                      int64_t warps) {
  return areAtLeast(emitError, 1, {{"rows", rows}, {"warps", warps}});
}

LogicalResult WindowTileAttr::verify(EmitError emitError, int64_t threads,
                                     int64_t columns, int64_t ranked,
                                     int64_t leaving, int64_t chained,
                                     int64_t chainThreads) {
  return areAtLeast(emitError, 1,
                    {{"threads", threads},
                     {"columns", columns},
                     {"ranked", ranked},
                     {"leaving", leaving},
                     {"chained", chained},
                     {"chain_threads", chainThreads}});
}

LogicalResult SSDTileAttr::verify(EmitError emitError, int64_t rows,
                                  int64_t states, int64_t columns,
                                  int64_t depth, int64_t warps) {
  return areAtLeast(emitError, 1,
                    {{"rows", rows},
                     {"states", states},
                     {"columns", columns},
                     {"depth", depth},
                     {"warps", warps}});
}

LogicalResult SSDSpansAttr::verify(EmitError emitError, int64_t rows,
                                   int64_t columns, int64_t stages,
                                   int64_t pieceStates, int64_t pieceColumns,
                                   int64_t pieceStages, int64_t spans,
                                   int64_t most, bool) {
  return areAtLeast(emitError, 1,
                    {{"rows", rows},
                     {"columns", columns},
                     {"stages", stages},
                     {"piece_states", pieceStates},
                     {"piece_columns", pieceColumns},
                     {"piece_stages", pieceStages},
                     {"spans", spans},
                     {"most", most}});
}

LogicalResult KeyTileAttr::verify(EmitError emitError, int64_t rows,
                                  int64_t columns, int64_t warps) {
  return areAtLeast(emitError, 1,
                    {{"rows", rows}, {"columns", columns}, {"warps", warps}});
}

LogicalResult MatmulStrategyAttr::verify(
    EmitError emitError, MatmulTileAttr many, MatmulTileAttr wide,
    int64_t wideFrom, FewRowsTileAttr few, FewRowsTileAttr one,
    FewRowsTileAttr making, RowTileAttr row, MergeTileAttr merge) {
  if (!many == !few) {
    return emitError() << "needs many or few, and not both";
  }
  if (!few != !one || !making != !row || (making && !few) ||
      (merge && !making)) {
    return emitError() << "needs one beside few, and there row beside making, "
                          "and merge with these alone";
  }
  if (!wide != (wideFrom < 2) || (wide && !many)) {
    return emitError() << "needs wide and a wide_from of at least 2 beside "
                          "many, or neither";
  }
  if (wide && wide.getUnit() != many.getUnit()) {
    return emitError() << "needs wide tiles of the unit that many has: a sum "
                          "is the same one in both";
  }
  return success();
}

LogicalResult MatmulStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<linalg::MatmulOp, QuantizedMatmulOp>(
      op, *this, "linalg.matmul and cheems_tile.quantized_matmul");
}

LogicalResult AttentionStrategyAttr::verify(
    EmitError emitError, AttentionTileAttr, AttentionTileAttr, RowTileAttr,
    RowTileAttr, RowTileAttr, VisibleTileAttr, RowTileAttr window,
    WindowTileAttr choice, int64_t moved, RowTileAttr, MergeTileAttr) {
  if (!window != !choice || !choice != (moved < 1)) {
    return emitError() << "needs window, choice and moved together";
  }
  return success();
}

LogicalResult AttentionStrategyAttr::verifyOn(Operation *op) const {
  auto attention = dyn_cast<SegmentedAttentionOp>(op);
  if (attention && attention.getPositions() && !getWindow()) {
    return op->emitOpError() << "needs sizes for its window";
  }
  constexpr int64_t unit = CHEEMS_RING_UNIT;
  if (attention && attention.getWindow() &&
      unit % getAttend().getEntries() != 0) {
    return op->emitOpError() << "needs entries that divide " << unit
                             << ", or a block has two pieces of a ring";
  }
  return standsOn<SegmentedAttentionOp>(op, *this,
                                        "cheems.segmented_attention");
}

LogicalResult SSDStrategyAttr::verify(EmitError emitError, RowTileAttr oneRow,
                                      SSDSpansAttr spans, SSDTileAttr chunks,
                                      RowTileAttr carried) {
  if (int(bool(oneRow)) + int(bool(spans)) + int(bool(chunks)) != 1 ||
      !chunks != !carried) {
    return emitError()
           << "needs one of one_row, spans, and chunks with carried";
  }
  return success();
}

LogicalResult SSDStrategyAttr::verifyOn(Operation *op) const {
  auto ssd = dyn_cast<SegmentedSSDOp>(op);
  if (ssd && ssd.getOneRow() != bool(getOneRow())) {
    return op->emitOpError() << "needs sizes for segments of "
                             << (ssd.getOneRow() ? "one row" : "many rows");
  }
  return standsOn<SegmentedSSDOp>(op, *this, "cheems.segmented_ssd");
}

LogicalResult TopLogitsStrategyAttr::verify(EmitError, RowTileAttr,
                                            RowTileAttr) {
  return success();
}

LogicalResult TopLogitsStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<TopLogitsOp>(op, *this, "cheems.top_logits");
}

LogicalResult KeyScoresStrategyAttr::verify(EmitError emitError,
                                            KeyTileAttr tiles,
                                            RowTileAttr numbers) {
  if (!tiles == !numbers) {
    return emitError() << "needs tiles or numbers, and not both";
  }
  return success();
}

LogicalResult KeyScoresStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<linalg::GenericOp>(op, *this, "scores with product keys");
}

LogicalResult ExpertsStrategyAttr::verify(EmitError emitError, int64_t warps,
                                          RowTileAttr, RowTileAttr, RowTileAttr,
                                          RowTileAttr, RowTileAttr,
                                          int64_t heads, int64_t ahead, bool) {
  return success(succeeded(areAtLeast(emitError, 1,
                                      {{"warps", warps}, {"heads", heads}})) &&
                 succeeded(areAtLeast(emitError, 0, {{"ahead", ahead}})));
}

LogicalResult ExpertsStrategyAttr::verifyOn(Operation *op) const {
  return standsOn<RetrieveExpertsOp, MixExpertsOp>(
      op, *this, "cheems.retrieve_experts and cheems.mix_experts");
}

LogicalResult
CheemsTileDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute named) {
  if (named.getName() != kStrategy) {
    return success();
  }
  auto strategy = dyn_cast<StrategyAttrInterface>(named.getValue());
  if (!strategy) {
    return op->emitOpError()
           << kStrategy << " is no strategy: " << named.getValue();
  }
  return strategy.verifyOn(op);
}
