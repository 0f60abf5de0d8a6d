// cheems-tile-plan-shared: where buffers, barriers and exchanges lie in a
// block's shared memory.
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <map>

namespace cheems::tile {
#define GEN_PASS_DEF_TILEPLANSHAREDPASS
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h.inc"
} // namespace cheems::tile

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

static int64_t alignmentOf(AllocOp op) {
  bool getsBoxes =
      llvm::any_of(op.getBuffer().getUsers(), llvm::IsaPred<BulkCopyOp>);
  return std::max(op.getBuffer().getType().getAlignment(),
                  getsBoxes ? kBoxAlignment : 1);
}

/// Gives everything in the kernel its offset; returns the bytes of all.
static int64_t plan(KernelOp kernel) {
  // The order is by alignment, the strictest first: so little is lost between
  // buffers.
  std::map<int64_t, SmallVector<AllocOp>, std::greater<>> buffers;
  SmallVector<FilledRingOpInterface> rings;
  SmallVector<ScratchOpInterface> exchanges;
  kernel.walk([&](Operation *op) {
    if (auto buffer = dyn_cast<AllocOp>(op)) {
      buffers[alignmentOf(buffer)].push_back(buffer);
    } else if (auto ring = dyn_cast<FilledRingOpInterface>(op)) {
      rings.push_back(ring);
    } else if (auto exchange = dyn_cast<ScratchOpInterface>(op)) {
      exchanges.push_back(exchange);
    }
  });
  uint64_t bytes = 0;
  for (const auto &[alignment, aligned] : buffers) {
    for (AllocOp buffer : aligned) {
      bytes = llvm::alignTo(bytes, uint64_t(alignment));
      buffer.setOffset(bytes);
      bytes += uint64_t(buffer.getBuffer().getType().getBytes());
    }
  }
  bytes = llvm::alignTo(bytes, uint64_t(kAccessBytes));
  for (FilledRingOpInterface ring : rings) {
    ring.setAt(bytes);
    bytes += uint64_t(ring.getBytes()); // a multiple of the alignment
  }
  uint64_t scratch = 0;
  for (ScratchOpInterface exchange : exchanges) {
    auto needed = uint64_t(exchange.getScratchBytes());
    if (needed > 0) {
      exchange.setScratchOffset(int64_t(bytes));
    }
    scratch = std::max(scratch, needed);
  }
  return int64_t(bytes + llvm::alignTo(scratch, uint64_t(kAccessBytes)));
}

namespace {
struct TilePlanShared
    : cheems::tile::impl::TilePlanSharedPassBase<TilePlanShared> {
  void runOnOperation() override {
    auto target =
        getOperation()->getAttrOfType<cheems::tile::TargetAttr>(kTarget);
    int64_t limit = target ? target.getShared() : kMostSharedBytes;
    getOperation().walk([&](KernelOp kernel) {
      int64_t bytes = plan(kernel);
      if (bytes > limit) {
        kernel.emitOpError()
            << "@" << kernel.getSymName() << " needs " << bytes
            << " bytes of shared memory, and a block has " << limit
            << ": choose smaller tiles or fewer stages";
        signalPassFailure();
        return;
      }
      kernel.setShared(bytes);
    });
  }
};
} // namespace
