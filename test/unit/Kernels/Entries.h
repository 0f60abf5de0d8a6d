// Stored entries of one sequence as keep_threshold, keep_update and attention
// find them.
#ifndef CHEEMS_TEST_UNIT_KERNELS_ENTRIES_H
#define CHEEMS_TEST_UNIT_KERNELS_ENTRIES_H

#include "Cases.h"
#include "cheems/Reference/KeepThreshold.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace cheems::test {

/// Masks and positions of M heads: `first` entries in any order, then one per
/// row at the positions that follow. Indices from first + rows on hold nothing
/// (all bits set).
struct Entries {
  int64_t heads, first, rows, capacity;
  std::vector<std::vector<double>> mask; ///< [M][first + rows]
  std::vector<std::vector<int64_t>>
      position; ///< [M][first + rows], of each head its own
  int64_t base; ///< position of the block's first row

  /// `ties`: few distinct masks, infinity and zero among them.
  Entries(Random &random, int64_t heads, int64_t first, int64_t rows, bool ties)
      : heads(heads), first(first), rows(rows),
        capacity(first + rows + random.between(0, 3)),
        base(first + random.between(0, 40)) {
    std::vector<int64_t> earlier(static_cast<size_t>(base));
    for (int64_t m = 0; m < heads; ++m) {
      // Which of the earlier positions are still stored, and where, differs
      // between heads.
      std::iota(earlier.begin(), earlier.end(), 0);
      for (size_t i = earlier.size(); i > 1; --i) {
        std::swap(earlier[i - 1], earlier[static_cast<size_t>(random.between(
                                      0, static_cast<int64_t>(i) - 1))]);
      }
      std::vector<int64_t> positions(earlier.begin(), earlier.begin() + first);
      std::vector<double> masks;
      for (int64_t j = 0; j < count(); ++j) {
        if (j >= first) {
          positions.push_back(base + j - first);
        }
        constexpr double few[] = {0, 0.5, 1, 1.5,
                                  std::numeric_limits<double>::infinity()};
        masks.push_back(ties ? few[random.between(0, 4)]
                             : rounded(random.uniform(0, 4), Element::F32));
      }
      mask.push_back(masks);
      position.push_back(positions);
    }
  }

  int64_t count() const { return first + rows; }
  std::vector<int64_t> queryPositions() const {
    std::vector<int64_t> result(static_cast<size_t>(rows));
    std::iota(result.begin(), result.end(), base);
    return result;
  }
  /// Head m's masks as the evaluators take them: [1, count].
  Tensor maskOf(int64_t m) const {
    return Tensor({1, count()}, mask[static_cast<size_t>(m)]);
  }
  reference::KeepThreshold thresholdOf(int64_t m, int64_t keep) const {
    return reference::keepThreshold(maskOf(m), position[static_cast<size_t>(m)],
                                    queryPositions(), keep);
  }

  Buffer maskBuffer() const { return spread(mask, Element::F32); }
  Buffer positionBuffer() const { return spread(position, Element::I32); }

private:
  template <typename T>
  Buffer spread(const std::vector<std::vector<T>> &values,
                Element element) const {
    Buffer buffer(element, {heads, capacity});
    for (int64_t m = 0; m < heads; ++m) {
      for (int64_t j = 0; j < count(); ++j) {
        buffer.set(m * capacity + j,
                   static_cast<double>(
                       values[static_cast<size_t>(m)][static_cast<size_t>(j)]));
      }
    }
    return buffer;
  }
};

/// keep_threshold's two results for all heads, [T, M].
struct Thresholds {
  Buffer mask, last;

  Thresholds(const Entries &entries, int64_t keep)
      : mask(Element::F32, {entries.rows, entries.heads}),
        last(Element::I32, {entries.rows, entries.heads}) {
    for (int64_t m = 0; m < entries.heads; ++m) {
      reference::KeepThreshold one = entries.thresholdOf(m, keep);
      for (int64_t t = 0; t < entries.rows; ++t) {
        mask.set(t * entries.heads + m, one.mask(0, t));
        last.set(t * entries.heads + m,
                 static_cast<double>(one.last[static_cast<size_t>(t)]));
      }
    }
  }
};

} // namespace cheems::test

#endif
