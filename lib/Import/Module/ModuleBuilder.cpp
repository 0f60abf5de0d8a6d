// Builds the module of a checkpoint.
#include "cheems/Import/ModuleBuilder.h"
#include "Layer.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

namespace cheems {
using namespace mlir;

OwningOpRef<ModuleOp> buildModule(MLIRContext &context,
                                  const ModelDescription &model,
                                  const ImportOptions &options) {
  context.loadDialect<CheemsDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&context), model.modelType);
  ModelTypes types{model, options, &context};
  buildStep(*module, types);

  Builder b(&context);
  SmallVector<Attribute> state;
  for (const ModelTypes::Pool &pool : types.pools()) {
    SmallVector<int64_t> shape;
    int64_t dynamic[] = {PoolAttr::kSlots,
                         pool.isRing ? PoolAttr::kRing : PoolAttr::kCapacity};
    int next = 0;
    for (int64_t extent : pool.type.getShape()) {
      shape.push_back(ShapedType::isDynamic(extent) ? dynamic[next++] : extent);
    }
    state.push_back(PoolAttr::get(&context, pool.name, pool.role,
                                  pool.type.getElementType(), shape));
  }
  (*module)->setAttr(kStage, StageAttr::get(&context, "imported"));
  (*module)->setAttr(kState, b.getArrayAttr(state));
  return module;
}
} // namespace cheems
