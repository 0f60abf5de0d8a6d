// cheems-tile-chunks: SSD in chunks, the state carried along.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_TILECHUNKSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct TileChunks : cheems::impl::TileChunksPassBase<TileChunks> {
  using TileChunksPassBase::TileChunksPassBase;

  void runOnOperation() override {}
};
} // namespace
