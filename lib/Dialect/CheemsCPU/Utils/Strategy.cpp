// How ops are cut on a CPU, from the target and their shapes.
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kPanels = 4; ///< of a matmul, per iteration
constexpr int64_t kRows = 32;  ///< of work that goes by rows, per iteration
constexpr int64_t kAttentionRows = 64;
/// Divides the 64 rows of a block, so that cuts there keep the bits.
constexpr int64_t kChunk = 32;
/// Enough for weights to be read once for many rows, and little scratch.
constexpr int64_t kPrefill = 512;
/// Rows of one thread, one after the other: the experts of the next row are
/// fetched while those of this row are read.
constexpr int64_t kExpertRows = 8;
/// Tables of fewer bytes stay in a cache: their rows are not prefetched.
constexpr int64_t kPrefetchedBytes = 1 << 20;
/// Threads share the experts of a row alone if the tables have so many bytes.
/// Smaller tables are in a cache, and are read in the time that handing over
/// takes.
constexpr int64_t kSharedBytes = 4 << 20;

bool isParallel(Operation *op) {
  return op->getParentOfType<scf::ForallOp>() != nullptr;
}

/// The first dimension's; as many as a block of attention takes where it is not
/// known.
int64_t rowsOf(Value value) {
  int64_t rows = cast<ShapedType>(value.getType()).getDimSize(0);
  return ShapedType::isDynamic(rows) ? kAttentionRows : rows;
}
} // namespace

ColumnEpilogueOp cheems::cpu::columnEpilogueOf(LinearOp linear) {
  if (linear->getNumResults() != 1 || !linear.getResult(0).hasOneUse()) {
    return {};
  }
  return dyn_cast<ColumnEpilogueOp>(*linear->user_begin());
}

bool cheems::cpu::hasFewRows(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto most = function ? function->getAttrOfType<IntegerAttr>(kMostRows)
                       : IntegerAttr();
  return most && most.getInt() <= kFewRows;
}

int64_t cheems::cpu::headsPerIteration(int64_t heads, int64_t groups) {
  for (int64_t together : {4, 3, 2}) {
    if (heads / groups % together == 0 && heads / together >= 4) {
      return together;
    }
  }
  return 1;
}

ExpertsStrategyAttr cheems::cpu::expertsStrategy(MixExpertsOp op,
                                                 bool fewRows) {
  auto table = cast<ShapedType>(op.getDown().getType());
  int64_t bytes = table.getNumElements() * table.getElementTypeBitWidth() / 8;
  bool shared = fewRows && bytes >= kSharedBytes;
  return ExpertsStrategyAttr::get(
      op.getContext(), shared ? ExpertOrder::ByPiece : ExpertOrder::ByRow,
      fewRows ? 1 : kExpertRows, bytes >= kPrefetchedBytes);
}

/// If there is only one row, four streams of weights keep the processor's own
/// prefetching busy. On tiles, long rows come from the second-level cache once
/// per iteration, so a long iteration is better. With fewer than six
/// iterations, threads would wait for the last.
int64_t CPUStrategy::panelsOf(LinearOp op) const {
  constexpr int64_t few = kPanels, many = 2 * few, longRow = 1024,
                    iterations = 6;
  auto weight = cast<ShapedType>(op.getWeights()[0].getType());
  bool tiles = target.getProducts() == MatmulUnit::AMX && op.getPair() == 2;
  int64_t length = weight.getDimSize(1) * op.getPair();
  return tiles && !hasFewRows(op) && length >= longRow &&
                 weight.getDimSize(0) >= many * iterations
             ? many
             : few;
}

MatmulStrategyAttr CPUStrategy::product(LinearOp op) const {
  // What is in a loop already, or finished after it, is not cut by itself.
  bool whole = isParallel(op) || isa<scf::ForOp>(op->getParentOp()) ||
               columnEpilogueOf(op);
  if (whole && !hasFewRows(op)) {
    return {};
  }
  return MatmulStrategyAttr::get(op.getContext(), whole ? 0 : panelsOf(op),
                                 hasFewRows(op));
}

/// Whole heads, and as many panels as the matmul would take.
MatmulStrategyAttr CPUStrategy::columnEpilogue(ColumnEpilogueOp op) const {
  auto linear = op.getY().getDefiningOp<LinearOp>();
  if (!linear || isParallel(op)) {
    return {};
  }
  return MatmulStrategyAttr::get(
      op.getContext(), llvm::alignTo(panelsOf(linear), op.getLeastPanels()),
      /*few_rows=*/false);
}

/// Rows of a group find as many experts as there are: some of them twice.
bool CPUStrategy::isGrouped(MixExpertsOp op) const {
  auto found = cast<ShapedType>(op.getExpert().getType());
  int64_t experts = cast<ShapedType>(op.getDown().getType()).getDimSize(0);
  return groupExperts > 0 &&
         groupExperts * found.getDimSize(1) * found.getDimSize(2) >= experts;
}

bool CPUStrategy::isOnlyGrouped(RetrieveExpertsOp op) const {
  return groupExperts > 0 && llvm::all_of(op->getUsers(), [&](Operation *user) {
           auto mixing = dyn_cast<MixExpertsOp>(user);
           return mixing && isGrouped(mixing) &&
                  mixing.getScore() == op.getResult(0) &&
                  mixing.getExpert() == op.getResult(1);
         });
}

ExpertsStrategyAttr CPUStrategy::mixing(MixExpertsOp op) const {
  bool fewRows = hasFewRows(op);
  ExpertsStrategyAttr byRow = expertsStrategy(op, fewRows);
  // What comes in another order would be added in one order here and in another
  // in decode steps.
  auto retrieval = op.getExpert().getDefiningOp<RetrieveExpertsOp>();
  bool ordered = !retrieval || retrieval.getAscending();
  return isGrouped(op) && ordered && !isParallel(op) && !fewRows
             ? ExpertsStrategyAttr::get(op.getContext(), ExpertOrder::ByGroup,
                                        groupExperts, byRow.getFetch())
             : byRow;
}

/// On tiles squares of rows are multiplied in no time: there the passes over
/// the state count.
int64_t CPUStrategy::chunkOf(SSDOp op) const {
  bool tiles = op.getAllowBf16() && target.getProducts() == MatmulUnit::AMX;
  return tiles ? 2 * kChunk : kChunk;
}

StrategyAttrInterface CPUStrategy::strategyOf(Operation *op) const {
  MLIRContext *context = op->getContext();
  if (auto attention = dyn_cast<DynamicMaskAttentionOp>(op)) {
    return AttentionStrategyAttr::get(
        context, std::min(kAttentionRows, rowsOf(attention.getQuery())),
        kAttentionKeys);
  }
  if (target.isScalar()) {
    return {};
  }
  if (auto linear = dyn_cast<LinearOp>(op)) {
    return product(linear);
  }
  if (auto epilogue = dyn_cast<ColumnEpilogueOp>(op)) {
    return columnEpilogue(epilogue);
  }
  if (auto ssd = dyn_cast<SSDOp>(op)) {
    return SSDStrategyAttr::get(context, chunkOf(ssd));
  }
  if (auto experts = dyn_cast<MixExpertsOp>(op)) {
    return mixing(experts);
  }
  // A row of these is microseconds at most; few of them stay whole. A row of
  // retrieval is work enough for an iteration.
  bool light = isa<linalg::GenericOp, RmsNormOp, RotaryOp, DynamicMaskOp>(op);
  if (!(light || isa<RetrieveExpertsOp>(op)) || isParallel(op) ||
      hasFewRows(op)) {
    return {};
  }
  return RowsStrategyAttr::get(context, light ? kRows : 1);
}

StepStrategyAttr CPUStrategy::stepStrategy(int64_t chunk) const {
  return StepStrategyAttr::get(target.getContext(), kPrefill, chunk);
}
