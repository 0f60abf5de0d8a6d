// cheems-tile-keys: attention in blocks of rows and keys.
#include "cheems/Dialect/Cheems/Transforms/Passes.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_TILEKEYSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;

namespace {
struct TileKeys : cheems::impl::TileKeysPassBase<TileKeys> {
  using TileKeysPassBase::TileKeysPassBase;

  void runOnOperation() override {}
};
} // namespace
