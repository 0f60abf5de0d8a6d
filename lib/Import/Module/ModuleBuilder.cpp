// Builds the module of a checkpoint.
#include "cheems/Import/ModuleBuilder.h"
#include "Layer.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

namespace cheems {
using namespace mlir;

OwningOpRef<ModuleOp> buildModule(MLIRContext &context,
                                  const ModelConfig &config,
                                  const ImportOptions &options) {
  context.loadDialect<CheemsDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&context), config.modelType);
  ModelTypes types{config, options, &context};
  buildStep(*module, types);

  Builder b(&context);
  SmallVector<Attribute> state;
  for (const ModelTypes::Pool &pool : types.pools()) {
    SmallVector<Attribute> shape;
    StringRef dynamic[] = {"slots", "capacity"};
    int next = 0;
    for (int64_t extent : pool.type.getShape()) {
      shape.push_back(ShapedType::isDynamic(extent)
                          ? Attribute(b.getStringAttr(dynamic[next++]))
                          : b.getI64IntegerAttr(extent));
    }
    state.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("name", b.getStringAttr(pool.name)),
         b.getNamedAttr("role", b.getStringAttr(pool.role)),
         b.getNamedAttr("type", TypeAttr::get(pool.type.getElementType())),
         b.getNamedAttr("shape", b.getArrayAttr(shape))}));
  }
  (*module)->setAttr(kStage, StageAttr::get(&context, "imported"));
  (*module)->setAttr(kState, b.getArrayAttr(state));
  return module;
}
} // namespace cheems
