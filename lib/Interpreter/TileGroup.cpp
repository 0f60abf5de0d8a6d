// group.
#include "Handlers.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"

namespace cheems::interpreter {
using namespace mlir;

static void group(tile::GroupOp op, Frame &f) {
  SmallVector<RuntimeValue> results = f.run(op.getBody().front());
  if (f.failed()) {
    return;
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results)) {
    f.set(result, value);
  }
}

void addTileGroup(Handlers &handlers) {
  handlers.add<tile::GroupOp>(group);
  handlers.addTerminator<tile::GroupYieldOp>();
}

} // namespace cheems::interpreter
