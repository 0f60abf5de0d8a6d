// Tensor maps, and the verifiers of rings that a warp of its own fills.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace cheems::tile;

/// <RxCxT>
Type TensorMapType::parse(AsmParser &parser) {
  SmallVector<int64_t> box;
  Type element;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(box, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseGreater()) {
    return {};
  }
  if (box.size() != 2) {
    parser.emitError(place, "a box has rows and columns");
    return {};
  }
  return parser.getChecked<TensorMapType>(parser.getContext(), box[0], box[1],
                                          element);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getColumns() << 'x' << getElementType()
          << '>';
}

/// What the driver makes a map of, and the hardware swizzles as buffers are.
LogicalResult
TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t rows, int64_t columns, Type element) {
  constexpr int64_t most = 256, together = 4;
  if (!element.isF16() && !element.isBF16() && !element.isF32()) {
    return emitError() << "boxes have f16, bf16 or f32, not " << element;
  }
  if (rows < 1 || rows > most) {
    return emitError() << "boxes have 1 to " << most << " rows, not " << rows;
  }
  if (element.isF32()) {
    return columns >= together && columns <= most && columns % together == 0
               ? success()
               : emitError() << "rows of boxes of f32 have 4 to " << most
                             << " elements, a multiple of 4, not " << columns;
  }
  int64_t bytes = columns * element.getIntOrFloatBitWidth() / 8;
  if (bytes != 32 && bytes != 64 && bytes != 128) {
    return emitError() << "rows of boxes have 32, 64 or 128 bytes, not "
                       << bytes;
  }
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages) {
  constexpr int64_t least = 2;
  return stages >= least
             ? success()
             : emitError() << "a ring has 2 stages or more, not " << stages;
}

LogicalResult RingOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  // What is carried comes after the number of steps.
  llvm::append_range(results, operands.drop_front().getTypes());
  return success();
}

/// Whether the block's arguments are the step, the stage and these.
static bool hasArguments(Block &block, TypeRange carried) {
  auto types = block.getArgumentTypes();
  return types.size() == 2 + carried.size() && types[0].isIndex() &&
         types[1].isIndex() && llvm::equal(llvm::drop_begin(types, 2), carried);
}

/// Whether the op is a copy, or arithmetic on numbers.
static bool mayFill(Operation &op) {
  return isa<BulkCopyOp, RingYieldOp>(op) ||
         (isa<arith::ArithDialect>(op.getDialect()) &&
          llvm::all_of(op.getResultTypes(), [](Type type) {
            return type.isIndex() || type.isInteger();
          }));
}

static LogicalResult verifyFill(FilledRingOpInterface op, StringRef label) {
  Block &filling = op.getFill().front();
  return hasArguments(filling, {}) && llvm::all_of(filling, mayFill) &&
                 !filling.getOps<BulkCopyOp>().empty()
             ? success()
             : op->emitOpError(label)
                   << ": fill has a step and a stage, and bulk_copy ops and "
                      "arithmetic on numbers alone";
}

/// Fillers take the branches around a ring, too, and no loops.
static LogicalResult verifyAround(Operation *op, StringRef label) {
  for (Operation *around = op->getParentOp();
       around && !isa<FunctionOpInterface>(around);
       around = around->getParentOp()) {
    if (!isa<scf::IfOp>(around)) {
      return op->emitOpError(label)
             << ": around a ring there are branches alone, not "
             << around->getName();
    }
  }
  return success();
}

static LogicalResult verifyStagesPlace(FilledRingOpInterface op,
                                       StringRef label) {
  constexpr int64_t bytes = FilledRingOpInterface::kBarrierBytes;
  auto at = int64_t(op.getAt().value_or(0));
  return at >= 0 && at % bytes == 0
             ? success()
             : op->emitOpError(label)
                   << ": its barriers are at 0 or a multiple of " << bytes
                   << " above, not " << at;
}

LogicalResult RingOp::verifyRegions() {
  Block &filling = getFill().front(), &used = getUse().front();
  if (failed(verifyFill(*this, "C2"))) {
    return failure();
  }
  auto end = dyn_cast<RingYieldOp>(used.back());
  if (!hasArguments(used, getInits().getTypes()) || !end ||
      !llvm::equal(end.getOperandTypes(), getInits().getTypes())) {
    return emitOpError("C3: use has a step, a stage and what is carried, and "
                       "hands on the same types");
  }
  for (auto copy : filling.getOps<BulkCopyOp>()) {
    BufferType buffer = copy.getBuffer().getType();
    if (buffer.getStages() != int64_t(getStages())) {
      return emitOpError("C4: its buffers have ")
             << getStages() << " stages, not " << buffer.getStages();
    }
  }
  return success();
}

LogicalResult RingOp::verify() {
  constexpr int64_t leastStages = 2;
  if (int64_t(getStages()) < leastStages) {
    return emitOpError("C1: there are 2 stages or more, not ") << getStages();
  }
  return failure(failed(verifyAround(*this, "C5")) ||
                 failed(verifyStagesPlace(*this, "C6")));
}

LogicalResult FillRingOp::verifyRegions() {
  if (failed(verifyFill(*this, "C1"))) {
    return failure();
  }
  for (auto copy : getFill().front().getOps<BulkCopyOp>()) {
    int64_t stages = copy.getBuffer().getType().getStages();
    if (stages % getStages() != 0) {
      return emitOpError("C2: stages of its buffers are a multiple of ")
             << getStages() << ", not " << stages;
    }
  }
  return success();
}

LogicalResult FillRingOp::verify() {
  return failure(failed(verifyAround(*this, "C3")) ||
                 failed(verifyStagesPlace(*this, "C4")));
}

static LogicalResult verifyRingOf(Operation *op, Value ring) {
  return ring.getDefiningOp<FillRingOp>()
             ? success()
             : op->emitOpError("C1: fill_ring gives the ring");
}

LogicalResult WaitForStageOp::verify() {
  return verifyRingOf(*this, getRing());
}

LogicalResult FreeStageOp::verify() { return verifyRingOf(*this, getRing()); }

LogicalResult BulkCopyOp::verify() {
  auto ring = dyn_cast<FilledRingOpInterface>((*this)->getParentOp());
  bool fills = ring && (*this)->getParentRegion() == &ring.getFill();
  if (!fills && !getSignals()) {
    return emitOpError("C1: it is directly in fill of a ring");
  }
  BufferType buffer = getBuffer().getType();
  TensorMapType map = getMap().getType();
  bool hasRows = buffer.getSwizzled() ? buffer.getRows() == map.getRows()
                                      : buffer.getRows() % map.getRows() == 0;
  if (!hasRows || buffer.getColumns() != map.getColumns() ||
      buffer.getElementType() != map.getElementType()) {
    return emitOpError("C2: a stage is a box of the map, not ")
           << buffer << " of " << map;
  }
  if (buffer.getSwizzled() == map.getElementType().isF32()) {
    return emitOpError("C3: the buffer is swizzled, or of f32 and not");
  }
  return success();
}
