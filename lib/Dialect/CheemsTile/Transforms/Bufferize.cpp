// cheems-tile-bufferize: launches work on memory of the GPU.
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"

namespace cheems::tile {
#define GEN_PASS_DEF_TILEBUFFERIZEPASS
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h.inc"
} // namespace cheems::tile

using namespace mlir;
using namespace cheems::tile;

namespace {
struct TileBufferize
    : cheems::tile::impl::TileBufferizePassBase<TileBufferize> {
  using TileBufferizePassBase::TileBufferizePassBase;

  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    // Tiles of a kernel are tensors that stay in registers.
    options.opFilter.denyOperation([](Operation *op) {
      return isa<KernelOp>(op) || op->getParentOfType<KernelOp>();
    });
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(getOperation(), options,
                                                        state))) {
      signalPassFailure();
    }
  }
};
} // namespace
