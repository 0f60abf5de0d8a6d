// cheems-set-gpu: the module says which GPU it is compiled for.
#include "Strategy/Strategy.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

namespace cheems {
#define GEN_PASS_DEF_SETGPUPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

namespace {
struct SetGPU : cheems::impl::SetGPUPassBase<SetGPU> {
  using SetGPUPassBase::SetGPUPassBase;

  void runOnOperation() override {
    if (multiprocessors < 0) {
      getOperation()->emitError("cheems-set-gpu: multiprocessors is ")
          << int64_t(multiprocessors) << ", and must be 0 or more";
      return signalPassFailure();
    }
    getOperation()->setAttr(kTarget, cheems::tile::usualGPU(&getContext(), arch,
                                                            {unit, copy},
                                                            multiprocessors));
  }
};
} // namespace
