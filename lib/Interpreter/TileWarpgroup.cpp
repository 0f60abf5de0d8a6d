// Products of warpgroups, each as a whole.
#include "Handlers.h"
#include "TileMatmul.h"

namespace cheems::interpreter {
using namespace mlir;

/// The same of a tile, with columns of several stages beside each other.
static void multiplyRegisters(tile::WarpgroupMmaRegistersOp op, Frame &f) {
  const Tensor &a = f.read(op.getA()), &c = f.read(op.getC());
  int64_t first = f.integer(op.getStageB());
  if (f.failed()) {
    return;
  }
  int64_t columns = op.getB().getType().getColumns();
  Tensor transposed({c.shape[1], a.shape[1]});
  for (int64_t n = 0; n < c.shape[1]; n += columns) {
    auto stage = stageOf(op.getB(), first + n / columns, f);
    if (!stage) {
      return;
    }
    for (int64_t k = 0; k < a.shape[1]; ++k) {
      for (int64_t i = 0; i < columns; ++i) {
        transposed(n + i, k) = (*stage)(k, i);
      }
    }
  }
  f.set(op.getResult(), product(a, transposed, c));
}

void addTileWarpgroup(Handlers &handlers) {
  handlers.add<tile::WarpgroupMmaOp>(multiplyStages<tile::WarpgroupMmaOp>);
  handlers.add<tile::WarpgroupMmaRegistersOp>(multiplyRegisters);
  handlers.add<tile::WarpgroupWaitOp>([](tile::WarpgroupWaitOp op, Frame &f) {
    f.set(op.getResult(), f.value(op.getTile()));
  });
  // Nothing is under way here, so there is nothing to order.
  handlers.add<tile::FenceOp>([](tile::FenceOp, Frame &) {});
}

} // namespace cheems::interpreter
