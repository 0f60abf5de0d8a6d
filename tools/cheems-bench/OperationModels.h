// The layer around an operation: what is in the way is small.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_OPERATIONMODELS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_OPERATIONMODELS_H

#include "RandomModel.h"
#include <nlohmann/json.hpp>

namespace cheems::bench {

/// Inside of the layer's MLP.
constexpr int64_t mlpSize = 16;

struct SSDSizes {
  int64_t heads, size, state, groups;
};

/// A Cheems of one SSD layer with a plain MLP. `fields` join its config.json,
/// `more` its tensors in the state part of the layer.
RandomModel cheemsModel(int64_t hidden, const SSDSizes &sizes,
                        const nlohmann::json &fields,
                        const std::vector<RandomTensor> &more);

/// A Doge of one layer with as many heads of keys as of queries; window 0
/// keeps all keys.
RandomModel dogeModel(int64_t hidden, int64_t heads, int64_t size,
                      int64_t window);

} // namespace cheems::bench

#endif
