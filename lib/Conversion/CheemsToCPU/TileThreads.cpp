// cheems-tile-threads: panels and row blocks become iterations of an
// scf.forall.
#include "Strategy.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_TILETHREADSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct TileThreads : cheems::impl::TileThreadsPassBase<TileThreads> {
  using TileThreadsPassBase::TileThreadsPassBase;

  /// Of a product's columns: the product comes along, so nothing else may read
  /// it.
  FailureOr<SmallVector<OpFoldResult>> finishSizes(cheems::FinishOp op,
                                                   Builder &b) {
    int64_t least = op.getLeastPanels();
    FailureOr<int64_t> size =
        cheems::takeSize(op, cheems::kPanels, llvm::alignTo(panels, least));
    if (failed(size)) {
      return failure();
    }
    if (*size % least != 0) {
      return op.emitOpError()
             << "needs " << cheems::kPanels << " in multiples of " << least
             << ", which hold whole heads, not " << *size;
    }
    int64_t columns = cast<ShapedType>(op.getY().getType()).getDimSize(1);
    bool several = !ShapedType::isDynamic(columns) &&
                   columns > *size * cheems::LinearOp::kColumns;
    auto linear = op.getY().getDefiningOp<cheems::LinearOp>();
    if (!several || !linear || cheems::finishOf(linear) != op ||
        isa<scf::ForOp>(op->getParentOp())) {
      return SmallVector<OpFoldResult>();
    }
    return SmallVector<OpFoldResult>{b.getIndexAttr(0), b.getIndexAttr(*size)};
  }

  /// Sizes for the parallel loop, empty where the op stays whole.
  FailureOr<SmallVector<OpFoldResult>> tileSizes(TilingInterface op,
                                                 Builder &b) {
    // Nothing to split; upstream's tiling does not expect it.
    auto result = dyn_cast<ShapedType>(op->getResult(0).getType());
    if (!result || llvm::is_contained(result.getShape(), 0)) {
      return SmallVector<OpFoldResult>();
    }
    SmallVector<utils::IteratorType> iterators = op.getLoopIteratorTypes();
    SmallVector<OpFoldResult> sizes(iterators.size(), b.getIndexAttr(0));
    if (auto finish = dyn_cast<cheems::FinishOp>(op.getOperation())) {
      return finishSizes(finish, b);
    }
    if (auto linear = dyn_cast<cheems::LinearOp>(op.getOperation())) {
      // A loop of one iteration would only be undone again, and leave copies
      // behind.
      // In a loop already: of one matrix after the other.
      if (isa<scf::ForOp>(linear->getParentOp()) || cheems::finishOf(linear)) {
        return SmallVector<OpFoldResult>();
      }
      int64_t count =
          cast<ShapedType>(linear.getWeights()[0].getType()).getDimSize(0);
      FailureOr<int64_t> size = cheems::takeSize(op, cheems::kPanels, panels);
      if (failed(size)) {
        return failure();
      }
      sizes[1] = b.getIndexAttr(*size);
      return count > *size ? sizes : SmallVector<OpFoldResult>();
    }
    bool rowWise = isa<linalg::GenericOp, cheems::RmsNormOp, cheems::RotaryOp,
                       cheems::DynamicMaskOp>(op);
    // In a decode step rows are few: splitting them costs more than they do.
    bool decode = getOperation()->hasAttr("cheems.decode");
    rowWise &= !decode;
    // A row of these is work enough for an iteration. The kernel of mix_experts
    // has loops of its own: what it reads next lies in another iteration.
    bool heavy = isa<cheems::RetrieveExpertsOp>(op) && !decode;
    if (!(rowWise || heavy) || rows == 0 || iterators.empty() ||
        iterators[0] != utils::IteratorType::parallel) {
      return SmallVector<OpFoldResult>();
    }
    // Only the rows of a step are many enough, and only they are dynamic.
    if (result.getRank() < 2 || !result.isDynamicDim(0)) {
      return SmallVector<OpFoldResult>();
    }
    FailureOr<int64_t> size =
        cheems::takeSize(op, cheems::kRows, heavy ? 1 : rows.getValue());
    if (failed(size)) {
      return failure();
    }
    sizes[0] = b.getIndexAttr(*size);
    return sizes;
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
      FailureOr<SmallVector<OpFoldResult>> sizes = tileSizes(op, rewriter);
      if (failed(sizes)) {
        return signalPassFailure();
      }
      if (sizes->empty()) {
        continue;
      }
      scf::SCFTilingOptions tiling;
      tiling.setTileSizes(*sizes);
      tiling.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
      scf::SCFTileAndFuseOptions options;
      options.setTilingOptions(tiling);
      // Only an op's own fill moves in, and the product that it finishes; other
      // producers have other users.
      // The tiling so far has added the loop and the question for the loop's
      // bounds.
      auto ownFill = [&](OpResult producer) {
        return isa<linalg::FillOp>(producer.getOwner()) &&
               llvm::all_of(producer.getUsers(), [&](Operation *user) {
                 return user == op || isa<scf::ForallOp, tensor::DimOp>(user);
               });
      };
      auto finish = dyn_cast<cheems::FinishOp>(op.getOperation());
      auto product = finish ? finish.getY().getDefiningOp<cheems::LinearOp>()
                            : cheems::LinearOp();
      auto ownProduct = [&](OpResult producer) {
        return product && producer.getOwner() == product.getOperation();
      };
      options.setFusionControlFn(
          [&](tensor::ExtractSliceOp, OpResult producer, bool)
              -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
            if (ownFill(producer) || ownProduct(producer)) {
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
        // Questions for the whole product's shape would keep it.
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
