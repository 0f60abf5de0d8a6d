// Sorts lists whose memory is counted: std::stable_sort takes memory of its own
// that nobody counts.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_SORTING_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_SORTING_H

#include "runtime/ChatTemplate/Meter.h"

#include <algorithm>
#include <iterator>

namespace cheems::jinja {

/// What is equal keeps its order. `less` may contradict itself, as a template's
/// order of NaN does: then only the order is not known.
template <typename T, typename Less>
void sortStably(MeteredVector<T> &items, const Less &less) {
  size_t size = items.size();
  MeteredVector<T> merged(size);
  for (size_t width = 1; width < size; width *= 2) {
    for (size_t begin = 0; begin < size; begin += 2 * width) {
      auto at = [&](size_t offset) {
        return std::make_move_iterator(
            items.begin() +
            static_cast<std::ptrdiff_t>(std::min(begin + offset, size)));
      };
      std::merge(at(0), at(width), at(width), at(2 * width),
                 merged.begin() + static_cast<std::ptrdiff_t>(begin), less);
    }
    items.swap(merged);
  }
}

} // namespace cheems::jinja

#endif
