// Epilogues of ops, a vector of elements at a time.
#include "Epilogue.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

Value cheems::emitEpilogue(OpBuilder &b, Location loc, Block &epilogue,
                           ValueRange arguments, int64_t lanes) {
  IRMapping map;
  map.map(epilogue.getArguments(), arguments);
  auto like = [&](Type element) -> Type {
    return VectorType::get({lanes}, element);
  };
  auto spread = [&](Value value) -> Value {
    // A scalar from outside of the epilogue, or a constant in it.
    if (Value mapped = map.lookupOrNull(value)) {
      return mapped;
    }
    return vector::BroadcastOp::create(b, loc, like(value.getType()), value);
  };
  for (Operation &inner : epilogue.without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      Value scalar = b.clone(inner)->getResult(0);
      map.map(inner.getResult(0), spread(scalar));
      continue;
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(inner.getOperands(), spread);
    SmallVector<Type> types = llvm::map_to_vector(inner.getResultTypes(), like);
    Operation *wide = mlir::clone(b, &inner, types, operands);
    map.map(inner.getResults(), wide->getResults());
  }
  return spread(cast<YieldOp>(epilogue.back()).getValue());
}
