// cheems-tile-threads: panels and row blocks become iterations of an
// scf.forall.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace cheems {
#define GEN_PASS_DEF_TILETHREADSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct TileThreads : cheems::impl::TileThreadsPassBase<TileThreads> {
  using TileThreadsPassBase::TileThreadsPassBase;

  /// The tiles are columns of a matmul: the matmul comes along, so nothing
  /// else may read it.
  static SmallVector<OpFoldResult>
  columnEpilogueSizes(cheems::cpu::ColumnEpilogueOp op, int64_t panels,
                      Builder &b) {
    int64_t columns = cast<ShapedType>(op.getY().getType()).getDimSize(1);
    bool several = !ShapedType::isDynamic(columns) &&
                   columns > panels * cheems::cpu::LinearOp::kColumns;
    auto linear = op.getY().getDefiningOp<cheems::cpu::LinearOp>();
    if (!several || !linear || cheems::cpu::columnEpilogueOf(linear) != op ||
        isa<scf::ForOp>(op->getParentOp())) {
      return {};
    }
    return {b.getIndexAttr(0), b.getIndexAttr(panels)};
  }

  /// The tiles are panels of a matmul.
  static SmallVector<OpFoldResult> matmulSizes(cheems::cpu::LinearOp op,
                                               int64_t panels, Builder &b) {
    // A loop of one iteration would only be undone again, and leave copies
    // after. In a loop already, it is one matrix after the other.
    int64_t count =
        cast<ShapedType>(op.getWeights()[0].getType()).getDimSize(0);
    if (isa<scf::ForOp>(op->getParentOp()) ||
        cheems::cpu::columnEpilogueOf(op) || count <= panels) {
      return {};
    }
    return {b.getIndexAttr(0), b.getIndexAttr(panels)};
  }

  /// The tiles are rows of a step.
  static SmallVector<OpFoldResult> rowSizes(TilingInterface op, int64_t rows,
                                            Builder &b) {
    SmallVector<utils::IteratorType> iterators = op.getLoopIteratorTypes();
    auto result = dyn_cast<ShapedType>(op->getResult(0).getType());
    // Only the rows of a step are many enough, and only they are dynamic.
    if (!result || iterators[0] != utils::IteratorType::parallel ||
        result.getRank() < 2 || !result.isDynamicDim(0)) {
      return {};
    }
    SmallVector<OpFoldResult> sizes(iterators.size(), b.getIndexAttr(0));
    sizes[0] = b.getIndexAttr(rows);
    return sizes;
  }

  /// Sizes for the parallel loop, empty where the op stays whole; taken off its
  /// strategy.
  static SmallVector<OpFoldResult> takeSizes(TilingInterface op, Builder &b) {
    auto result = dyn_cast<ShapedType>(op->getResult(0).getType());
    // Nothing to split; upstream's tiling does not expect it.
    bool empty = !result || llvm::is_contained(result.getShape(), 0);
    if (auto rows = op->getAttrOfType<cheems::cpu::RowsStrategyAttr>(
            cheems::cpu::kStrategy)) {
      op->removeDiscardableAttr(cheems::cpu::kStrategy);
      return empty ? SmallVector<OpFoldResult>()
                   : rowSizes(op, rows.getRows(), b);
    }
    auto product = op->getAttrOfType<cheems::cpu::MatmulStrategyAttr>(
        cheems::cpu::kStrategy);
    if (!product) {
      return {};
    }
    op->removeDiscardableAttr(cheems::cpu::kStrategy);
    if (product.getFewRows()) { // the kernel's
      op->setDiscardableAttr(
          cheems::cpu::kStrategy,
          cheems::cpu::MatmulStrategyAttr::get(op.getContext(), 0, true));
    }
    if (empty || product.getPanels() == 0) {
      return {};
    }
    if (auto epilogue =
            dyn_cast<cheems::cpu::ColumnEpilogueOp>(op.getOperation())) {
      return columnEpilogueSizes(epilogue, product.getPanels(), b);
    }
    return matmulSizes(cast<cheems::cpu::LinearOp>(op.getOperation()),
                       product.getPanels(), b);
  }

  void runOnOperation() override {
    SmallVector<TilingInterface> ops;
    getOperation().walk([&](TilingInterface op) {
      if (op->getNumResults() && !op->getParentOfType<scf::ForallOp>()) {
        ops.push_back(op);
      }
    });
    IRRewriter rewriter(&getContext());
    for (TilingInterface op : ops) {
      SmallVector<OpFoldResult> sizes = takeSizes(op, rewriter);
      if (sizes.empty()) {
        continue;
      }
      scf::SCFTilingOptions tiling;
      tiling.setTileSizes(sizes);
      tiling.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
      scf::SCFTileAndFuseOptions options;
      options.setTilingOptions(tiling);
      // Only an op's own fill moves in, and the matmul that it finishes; other
      // producers have other users.
      // The tiling so far has added the loop and the question for the loop's
      // bounds.
      auto ownFill = [&](OpResult producer) {
        return isa<linalg::FillOp>(producer.getOwner()) &&
               llvm::all_of(producer.getUsers(), [&](Operation *user) {
                 return user == op || isa<scf::ForallOp, tensor::DimOp>(user);
               });
      };
      auto epilogue =
          dyn_cast<cheems::cpu::ColumnEpilogueOp>(op.getOperation());
      auto product =
          epilogue ? epilogue.getY().getDefiningOp<cheems::cpu::LinearOp>()
                   : cheems::cpu::LinearOp();
      auto ownMatmul = [&](OpResult producer) {
        return product && producer.getOwner() == product.getOperation();
      };
      options.setFusionControlFn(
          [&](tensor::ExtractSliceOp, OpResult producer, bool)
              -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
            if (ownFill(producer) || ownMatmul(producer)) {
              return scf::SCFTileAndFuseOptions::ControlFnResult{};
            }
            return std::nullopt;
          });
      rewriter.setInsertionPoint(op);
      FailureOr<scf::SCFTileAndFuseResult> tiled =
          scf::tileConsumerAndFuseProducersUsingSCF(rewriter, op, options);
      if (failed(tiled)) {
        op.emitOpError("cannot be split over threads");
        return signalPassFailure();
      }
      for (auto [from, to] : tiled->replacements) {
        rewriter.replaceAllUsesWith(from, to);
      }
      if (product) {
        // Questions for the whole matmul's shape would keep it.
        rewriter.replaceUsesWithIf(
            product.getResult(0), product.getY(),
            [](OpOperand &use) { return isa<tensor::DimOp>(use.getOwner()); });
      }
    }
    // The whole ops, and fills that moved in.
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
