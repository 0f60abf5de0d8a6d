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

int64_t ModelDescription::longestWindow() const {
  int64_t longest = 0;
  for (const Layer &layer : layers) {
    const Attention *attention = layer.find<Attention>();
    longest = std::max(longest, attention ? attention->window.value_or(0) : 0);
  }
  return longest;
}

bool ModelDescription::boundedState() const {
  return llvm::all_of(layers, [](const Layer &layer) {
    const Attention *attention = layer.find<Attention>();
    // A window of rows bounds the state, but positions stay those of texts.
    return !attention || (attention->mask && attention->mask->keep);
  });
}

} // namespace cheems
