// Makes kernels, and finds those that are there already.
#include "KernelTable.h"
#include "Strategy/Strategy.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cheems::tile;

static bool areSame(KernelOp a, KernelOp c) {
  return a.getFunctionType() == c.getFunctionType() &&
         a.getWarps() == c.getWarps() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &c.getBody(), OperationEquivalence::IgnoreLocations);
}

/// One warp is enough to begin copies, unless sums need more registers than
/// are left, with what is loaded after the ring to be added to them.
static int64_t fillersOf(RingOp ring, int64_t warps) {
  int64_t numbers = 0;
  for (Value carried : ring.getInits()) {
    numbers += elementsPerThread(cast<RankedTensorType>(carried.getType()));
  }
  for (Operation *op = ring->getNextNode(); op; op = op->getNextNode()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      numbers += elementsPerThread(load.getType());
    }
  }
  return numbers >= kManySums && warps == kManyWarps ? kMostFillers : 1;
}

FlatSymbolRefAttr KernelTable::get(Location loc, StringRef name,
                                   TypeRange arguments, int64_t warps,
                                   Body body) {
  OpBuilder b(module.getContext());
  OwningOpRef<KernelOp> made = KernelOp::create(b, loc, name, arguments, warps);
  Block &block = made->getBody().front();
  TileBuilder builder(ImplicitLocOpBuilder(loc, &block, block.end()));
  body(builder, block.getArguments());
  ReturnOp::create(builder.b);
  made->walk([&](RingOp ring) { made->setFillers(fillersOf(ring, warps)); });
  // Attention has room: ptxas gives it 160 registers at most.
  made->walk([&](FillRingOp) { made->setFillers(1); });
  auto &known = kernels[name];
  auto *found = llvm::find_if(
      known, [&](KernelOp kernel) { return areSame(kernel, *made); });
  if (found == known.end()) {
    KernelOp kernel = made.release();
    if (!known.empty()) {
      kernel.setSymName((name + "_" + Twine(known.size())).str());
    }
    symbols.insert(kernel, module.getBody()->end());
    known.push_back(kernel);
    found = std::prev(known.end());
  }
  return FlatSymbolRefAttr::get(found->getSymNameAttr());
}

MemRefType cheems::tile::argumentFor(Type shaped, int64_t dynamic) {
  auto type = cast<ShapedType>(shaped);
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t d = 0; d < std::min<int64_t>(dynamic, type.getRank()); ++d) {
    shape[size_t(d)] = ShapedType::kDynamic;
  }
  return MemRefType::get(shape, type.getElementType());
}
