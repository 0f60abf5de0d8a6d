// Questions about descriptions of models.
#include "cheems/Import/ModelDescription.h"
#include "llvm/ADT/STLExtras.h"

namespace cheems {

std::string rowsOf(const std::string &name, int64_t first, int64_t count) {
  return name + "[" + std::to_string(first) + ":" +
         std::to_string(first + count) + "]";
}

bool Attention::seesNothing() const {
  return mask && !mask->visibleHeads.empty() &&
         llvm::none_of(mask->visibleHeads,
                       [](bool visible) { return visible; });
}

bool ModelDescription::boundedState() const {
  return llvm::all_of(layers, [](const Layer &layer) {
    const Attention *attention = layer.find<Attention>();
    // A window of rows stores all of them.
    return !attention || (attention->mask && attention->mask->keep);
  });
}

} // namespace cheems
