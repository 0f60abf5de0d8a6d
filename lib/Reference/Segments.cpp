// Rows of a step by their sequences: gather_rows, positions, segmented_ssd.
#include "cheems/Reference/Segments.h"
#include <algorithm>

namespace cheems::reference {

Tensor gatherRows(const Tensor &table, llvm::ArrayRef<int64_t> ids) {
  int64_t columns = table.shape[1];
  Tensor y({static_cast<int64_t>(ids.size()), columns});
  for (size_t t = 0; t < ids.size(); ++t) {
    for (int64_t d = 0; d < columns; ++d) {
      y(t, d) = table(ids[t], d);
    }
  }
  return y;
}

RowPositions rowPositions(llvm::ArrayRef<Segment> segments, int64_t rows) {
  RowPositions result{std::vector<int64_t>(rows), std::vector<int64_t>(rows)};
  for (const Segment &s : segments) {
    for (int64_t t = 0; t < s.length; ++t) {
      result.position[s.start + t] = s.position + t;
      result.length[s.start + t] = s.ropeLength;
    }
  }
  return result;
}

Tensor segmentedSSD(const SSDInputs &inputs, llvm::ArrayRef<Segment> segments,
                    int64_t layer, Tensor &pool) {
  Tensor y(inputs.x.shape);
  Tensor state({pool.shape[2], pool.shape[3], pool.shape[4]});
  auto size = static_cast<int64_t>(state.data.size());
  for (const Segment &s : segments) {
    auto stored = pool.data.begin() + (s.slot * pool.shape[1] + layer) * size;
    if (s.position == 0) {
      std::fill(state.data.begin(), state.data.end(), 0.0);
    } else {
      std::copy(stored, stored + size, state.data.begin());
    }
    SSDInputs own = inputs;
    for (Tensor *of : {&own.x, &own.step, &own.b, &own.c}) {
      *of = of->rows(s.start, s.length);
    }
    SSDResult result = ssd(own, std::move(state));
    std::copy(result.y.data.begin(), result.y.data.end(),
              y.data.begin() + s.start * y.shape[1] * y.shape[2]);
    std::copy(result.state.data.begin(), result.state.data.end(), stored);
    state = std::move(result.state);
  }
  return y;
}

} // namespace cheems::reference
