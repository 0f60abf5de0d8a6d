// Marks of a step's parts: effects and verification.
#include "OpUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cheems;

namespace {
/// The list of a profile's cycle counts, which no other op touches.
struct ProfileResource : public SideEffects::Resource::Base<ProfileResource> {
  StringRef getName() final { return "cheems.profile"; }
};
} // namespace

void MarkOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Ops with effects are neither removed nor reordered.
  effects.emplace_back(MemoryEffects::Write::get(), ProfileResource::get());
}

LogicalResult MarkOp::verify() {
  auto function = dyn_cast_or_null<func::FuncOp>((*this)->getParentOp());
  if (!function || (*this)->getBlock() != &function.front()) {
    return emitOpError("C1: must be in a function, and in no loop or branch");
  }
  if (getPart().empty()) {
    return emitOpError("C2: needs a name");
  }
  return success();
}
