// Whether the kernels of an op can follow what it says. What it says may have
// been written by hand.
#include "Patterns.h"
#include "SelectStrategy.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// What a matmul of few rows loads ahead, of one k of all warps each.
constexpr int64_t kMostAhead = 16;

namespace {
/// Why kernels cannot follow a strategy; empty if they can.
using Why = std::string;

/// What the GPU has, and what the op's own kernels would have.
struct Follower {
  TargetAttr target;
  Operation *op;

  static Why multiples(StringRef size, int64_t value, int64_t of) {
    return value % of == 0 ? ""
                           : ("it needs " + size + " in multiples of " +
                              Twine(of) + ", not " + Twine(value))
                                 .str();
  }
  static Why atLeast(StringRef size, int64_t value, int64_t least) {
    return value >= least ? ""
                          : ("it needs at least " + Twine(least) + " " + size +
                             ", not " + Twine(value))
                                .str();
  }
  static Why same(StringRef size, int64_t value, int64_t wanted) {
    return value == wanted ? ""
                           : ("it needs " + size + " of " + Twine(wanted) +
                              ", not " + Twine(value))
                                 .str();
  }
  static Why first(ArrayRef<Why> all) {
    const auto *found =
        llvm::find_if(all, [](const Why &why) { return !why.empty(); });
    return found == all.end() ? Why() : *found;
  }

  Why unit(Unit unit, OperandCopy copy) const {
    if (unit == Unit::Wgmma && target.getUnit() != Unit::Wgmma) {
      return "the target has no unit wgmma";
    }
    return copy == OperandCopy::Bulk && target.getCopy() != OperandCopy::Bulk
               ? "the target has no bulk copies"
               : "";
  }

  /// Warps of a matmul on tensor cores have 16 rows each, or several times
  /// that, and 8 columns.
  Why tile(MatmulTileAttr said, MatmulTileAttr chosen, bool isF32) const {
    if (isF32) { // whose threads hold what they hold
      return said == chosen ? "" : "kernels of f32 have one tile alone";
    }
    constexpr int64_t rows = 16, columns = 8, mostWarps = 16;
    bool isWgmma = said.getUnit() == Unit::Wgmma;
    // Warpgroups may still multiply one stage when they begin with the next.
    int64_t stages = isWgmma && said.getCopy() == OperandCopy::Threads ? 3 : 2;
    return first(
        {unit(said.getUnit(), said.getCopy()),
         multiples("rows", said.getRows(), rows * said.getWarpsM()),
         multiples("columns", said.getColumns(), columns * said.getWarpsN()),
         same("a depth", said.getDepth(), chosen.getDepth()),
         atLeast("stages", said.getStages(), stages),
         llvm::isPowerOf2_64(uint64_t(said.warps())) &&
                 said.warps() <= mostWarps
             ? ""
             : "it needs a power of 2 up to 16 as warps",
         isWgmma && said.getColumns() > kMostWarpgroupColumns
             ? "wgmma has at most 256 columns"
             : "",
         isWgmma
             ? first({same("warps_n", said.getWarpsN(), 1),
                      same("rows per warp", said.getRows() / said.getWarpsM(),
                           rows),
                      multiples("warps_m", said.getWarpsM(), kWarpgroupWarps)})
             : Why(),
         said.getCopy() == OperandCopy::Bulk &&
                 chosen.getCopy() != OperandCopy::Bulk
             ? "rows of its operands are no multiple of 16 bytes"
             : Why()});
  }
  /// How warps share k is a part of the order of sums.
  static Why tile(FewRowsTileAttr said, FewRowsTileAttr chosen) {
    return first({same("rows", said.getRows(), chosen.getRows()),
                  same("columns", said.getColumns(), chosen.getColumns()),
                  same("a depth", said.getDepth(), chosen.getDepth()),
                  same("warps", said.getWarps(), chosen.getWarps()),
                  said.getAhead() <= kMostAhead
                      ? ""
                      : "registers have no room for so much ahead"});
  }

  Why why(MatmulStrategyAttr said, MatmulStrategyAttr chosen) const {
    if (!said.getMany() != !chosen.getMany()) {
      return chosen.getMany() ? "its function has many rows"
                              : "its function has few rows";
    }
    if (said.getMany()) {
      auto matmul = dyn_cast<linalg::MatmulOp>(op);
      bool isF32 =
          matmul && getElementTypeOrSelf(matmul.getDpsInputs()[0]).isF32();
      bool mayBeWide = matmul && !isF32;
      if (said.getWide() && !mayBeWide) {
        return "its kernels have no wide tiles";
      }
      return first({tile(said.getMany(), chosen.getMany(), isF32),
                    said.getWide()
                        ? tile(said.getWide(), chosen.getMany(), isF32)
                        : Why()});
    }
    if (!said.getMaking()) {
      return "it needs making and row";
    }
    return first({tile(said.getFew(), chosen.getFew()),
                  tile(said.getOne(), chosen.getOne()),
                  tile(said.getMaking(), chosen.getMaking()),
                  said.getRow() == chosen.getRow()
                      ? ""
                      : "the sum of a norm has this row alone",
                  said.getMerge() == chosen.getMerge()
                      ? ""
                      : "attention leaves these splits alone"});
  }

  Why tile(AttentionTileAttr said, AttentionTileAttr chosen) const {
    return first({unit(said.getUnit(), said.getCopy()),
                  said.getUnit() == chosen.getUnit()
                      ? ""
                      : "its heads have another unit",
                  same("rows", said.getRows(), chosen.getRows()),
                  same("entries", said.getEntries(), chosen.getEntries()),
                  same("warps_m", said.getWarpsM(), chosen.getWarpsM()),
                  same("warps_n", said.getWarpsN(), chosen.getWarpsN()),
                  same("a panel", said.getPanel(), chosen.getPanel()),
                  // A ring has two stages or more; without one there is one.
                  chosen.getStages() > 1
                      ? atLeast("stages", said.getStages(), 2)
                      : same("stages", said.getStages(), chosen.getStages()),
                  same("heads", said.getHeads(), chosen.getHeads())});
  }
  Why why(AttentionStrategyAttr said, AttentionStrategyAttr chosen) const {
    if (!said.getOfKept() != !chosen.getOfKept() ||
        !said.getWindow() != !chosen.getWindow()) {
      return "it has sizes of a window that it has not, or none of one";
    }
    bool isSame = said.getStore() == chosen.getStore() &&
                  said.getStorePlaced() == chosen.getStorePlaced() &&
                  said.getHalf() == chosen.getHalf() &&
                  said.getVisible() == chosen.getVisible() &&
                  said.getWindow() == chosen.getWindow() &&
                  said.getChoice() == chosen.getChoice() &&
                  said.getMoved() == chosen.getMoved() &&
                  said.getMerged() == chosen.getMerged() &&
                  (!said.getMerge() || said.getMerge() == chosen.getMerge());
    return first(
        {tile(said.getAttend(), chosen.getAttend()),
         said.getOfKept() ? tile(said.getOfKept(), chosen.getOfKept()) : Why(),
         isSame ? "" : "its kernels have these rows alone"});
  }

  /// Chunks are a part of the order of sums.
  static Why why(SSDStrategyAttr said, SSDStrategyAttr chosen) {
    SSDSpansAttr own = said.getSpans(), other = chosen.getSpans();
    if (!own || !other) {
      return "its kernels have these sizes alone";
    }
    return first(
        {same("rows", own.getRows(), other.getRows()),
         same("columns", own.getColumns(), other.getColumns()),
         same("piece_states", own.getPieceStates(), other.getPieceStates()),
         same("piece_columns", own.getPieceColumns(), other.getPieceColumns()),
         atLeast("piece_stages", own.getPieceStages(), 2),
         own.getPairs() == other.getPairs()
             ? ""
             : "the op says what its factors may be"});
  }
  static Why why(KeyScoresStrategyAttr, KeyScoresStrategyAttr) {
    return "its kernels have these sizes alone";
  }
  /// Blocks share out heads, so how many each has is a part of the order of
  /// sums. What is under way is none.
  static Why why(ExpertsStrategyAttr said, ExpertsStrategyAttr chosen) {
    bool isSame = said.getWarps() == chosen.getWarps() &&
                  said.getScores() == chosen.getScores() &&
                  said.getKeys() == chosen.getKeys() &&
                  said.getPairs() == chosen.getPairs() &&
                  said.getTables() == chosen.getTables() &&
                  said.getSums() == chosen.getSums() &&
                  said.getHeads() == chosen.getHeads();
    return !isSame ? "its kernels have these rows alone"
           : said.getWithKeys() != chosen.getWithKeys()
               ? "its scores are summed in one order"
           : said.getAhead() != 0 && chosen.getAhead() == 0
               ? "its rows are no copies"
               : "";
  }
  /// The sum of a row's exponentials is one of pieces.
  static Why why(TopLogitsStrategyAttr, TopLogitsStrategyAttr) {
    return "its kernels have these sizes alone";
  }
  /// Rows that are one tile must fit in it.
  Why why(RowTileAttr said, RowTileAttr chosen) const {
    bool hasWhole = isa<RotaryTableOp, RotaryOp>(op);
    // Threads and width are the order of a norm's sum. Products that make the
    // row have it, too, and so do rotations of its rows.
    auto rotary = dyn_cast<RotaryOp>(op);
    if (isa<RmsNormOp>(op) ||
        (rotary && rotary.getX().getDefiningOp<RmsNormOp>())) {
      return first(
          {same("times", said.getTimes(), chosen.getTimes()),
           same("threads", said.getThreads(), chosen.getThreads()),
           same("a width", said.getWidth(), chosen.getWidth()),
           said.getColumns() < chosen.getColumns()
               ? "its rows do not fit"
               : same("columns", said.getColumns(), chosen.getColumns())});
    }
    bool hasOne = isa<GatherRowsOp, PositionsOp>(op);
    return first({same("times", said.getTimes(), chosen.getTimes()),
                  hasOne ? same("rows", said.getRows(), 1) : Why(),
                  hasWhole && said.getColumns() < chosen.getColumns()
                      ? "its rows do not fit"
                      : Why()});
  }
};
} // namespace

/// The same form of strategy, and sizes that kernels have.
static LogicalResult verifyStrategy(Operation *op, const Strategy &strategy,
                                    cheems::tile::TargetAttr target) {
  StrategyAttrInterface chosen = strategyFor(op, strategy);
  auto said = dyn_cast_or_null<StrategyAttrInterface>(op->getAttr(kStrategy));
  if (!chosen || said == chosen) {
    return success();
  }
  if (!said) {
    return op->emitOpError(
        "has no strategy: cheems-select-gpu-strategy comes first");
  }
  Why why = said.getTypeID() != chosen.getTypeID() ? "its kernels have another"
                                                   : Why();
  Follower follower{target, op};
  auto compare = [&](auto form) {
    using Form = decltype(form);
    if (auto own = dyn_cast<Form>(said); own && why.empty()) {
      why = follower.why(own, cast<Form>(chosen));
    }
  };
  compare(MatmulStrategyAttr());
  compare(AttentionStrategyAttr());
  compare(RowTileAttr());
  compare(SSDStrategyAttr());
  compare(TopLogitsStrategyAttr());
  compare(KeyScoresStrategyAttr());
  compare(ExpertsStrategyAttr());
  if (!why.empty()) {
    return op->emitOpError("cannot have this ")
           << kStrategy << ": " << why << "; of its own it has " << chosen;
  }
  return success();
}

/// Checks that those ops of a group whose strategies its kernels follow have
/// valid ones, and that no other op has one.
static LogicalResult verifyGroup(GroupOp group, const Strategy &strategy,
                                 cheems::tile::TargetAttr target) {
  SmallVector<Operation *> heeded = opsWithStrategy(group);
  for (Operation &op : group.getBody().front()) {
    if (llvm::is_contained(heeded, &op)) {
      if (failed(verifyStrategy(&op, strategy, target))) {
        return failure();
      }
    } else if (op.hasAttr(kStrategy)) {
      return op.emitOpError("has a ")
             << kStrategy
             << " that no kernel follows: another op of its group "
                "has the one of all";
    }
  }
  return success();
}

LogicalResult cheems::tile::verifyStrategiesOfGroups(ModuleOp module) {
  auto target = module->getAttrOfType<cheems::tile::TargetAttr>(kTarget);
  if (!target) {
    return module.emitError("has no #cheems_tile.target as cheems.target");
  }
  Strategy strategy(target);
  WalkResult result = module.walk([&](GroupOp group) -> WalkResult {
    return verifyGroup(group, strategy, target);
  });
  return failure(result.wasInterrupted());
}
