// cheems-tile-chunks: SSD in chunks, the state carried along.
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace cheems {
#define GEN_PASS_DEF_TILECHUNKSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct TileChunks : cheems::impl::TileChunksPassBase<TileChunks> {
  using TileChunksPassBase::TileChunksPassBase;

  void runOnOperation() override {
    SmallVector<cheems::cpu::SSDOp> ops;
    getOperation().walk([&](cheems::cpu::SSDOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (cheems::cpu::SSDOp op : ops) {
      if (op->getNumResults() == 0) {
        op.emitOpError("is cut into chunks before bufferisation, on tensors");
        return signalPassFailure();
      }
      auto strategy =
          cheems::cpu::takeStrategy<cheems::cpu::SSDStrategyAttr>(op);
      if (!strategy) {
        continue;
      }
      int64_t size = strategy.getChunk();
      rewriter.setInsertionPoint(op);
      int64_t rows = cast<ShapedType>(op.getX().getType()).getDimSize(0);
      if (!ShapedType::isDynamic(rows) && rows <= size) {
        bool bf16 = op.getAllowBf16();
        auto whole = rewriter.replaceOpWithNewOp<cheems::cpu::SSDChunkOp>(
            op, op->getResultTypes(), op->getOperands(),
            op->getDiscardableAttrDictionary().getValue());
        whole.setAllowBf16(bf16);
        continue;
      }
      scf::SCFTilingOptions options;
      options.setTileSizes(
          {rewriter.getIndexAttr(size), rewriter.getIndexAttr(0)});
      // The state goes from one chunk to the next: never an scf.forall.
      options.setLoopType(scf::SCFTilingOptions::LoopType::ForOp);
      FailureOr<scf::SCFTilingResult> tiled =
          scf::tileUsingSCF(rewriter, op, options);
      if (failed(tiled)) {
        op.emitOpError("cannot be cut into chunks");
        return signalPassFailure();
      }
      rewriter.replaceOp(op, tiled->replacements);
    }
  }
};
} // namespace
