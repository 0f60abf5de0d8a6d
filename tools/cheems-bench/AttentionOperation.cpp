// attention TxHxP[xW].
#include "Operation.h"
#include "OperationModels.h"
#include "runtime/Error.h"
#include <algorithm>

namespace cheems::bench {

namespace {

class Attention : public Operation {
public:
  Attention(int64_t rowCount, int64_t heads, int64_t size, int64_t window)
      : heads(heads), size(size), window(window) {
    numbers = {{"rows", rowCount}, {"heads", heads}, {"size", size}};
    numbers.push_back(
        {"window", window == 0 ? std::nullopt : std::optional(window)});
  }

  RandomModel model() const override {
    constexpr int64_t hidden = 64;
    return dogeModel(hidden, heads, size, window);
  }

  double stateBytes(int64_t longest, int64_t elementBytes) const override {
    return 2.0 * static_cast<double>(elementBytes * visible(longest)) *
           static_cast<double>(heads * size);
  }

  LoopRole role(std::string_view loop) const override {
    for (const char *part : {"attention", "keep_", "append_"}) {
      if (loop.find(part) != std::string_view::npos) {
        return LoopRole::own;
      }
    }
    // Keys and values go to where they stay.
    return loop.substr(0, 4) == "copy" ? LoopRole::own : LoopRole::other;
  }

  bool ownsKernel(std::string_view kernel) const override {
    for (const char *part :
         {"attention", "store_entries", "merge_splits", "keep", "kept"}) {
      if (kernel.find(part) != std::string_view::npos) {
        return true;
      }
    }
    return false;
  }

  double operations(const OperationStep &step,
                    const OperationCode &) const override {
    double keys = 0;
    for (int64_t row = 1; row <= step.rows; ++row) {
      keys += static_cast<double>(visible(step.position + row));
    }
    return 4.0 * static_cast<double>(heads * size) * keys;
  }

  int64_t bytes(const OperationStep &step,
                const OperationCode &code) const override {
    int64_t row = heads * (4 * size + 1); // query, key, value, mask; y
    return int64_t(sizeof(float)) * step.rows * row +
           2 * code.elementBytes * heads * size *
               visible(step.position + step.rows);
  }

private:
  int64_t visible(int64_t keys) const {
    return window == 0 ? keys : std::min(keys, window);
  }

  int64_t heads, size, window; ///< 0: every key stays
};

} // namespace

std::shared_ptr<Operation> makeAttention(const std::vector<int64_t> &numbers) {
  if (numbers[2] % 2 != 0) {
    throw Error("an even P");
  }
  return std::make_shared<Attention>(numbers[0], numbers[1], numbers[2],
                                     numbers.size() > 3 ? numbers[3] : 0);
}

} // namespace cheems::bench
