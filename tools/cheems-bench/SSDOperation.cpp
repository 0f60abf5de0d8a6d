// ssd TxHxPxN[xG].
#include "Operation.h"
#include "OperationModels.h"
#include "runtime/Error.h"
#include <algorithm>

namespace cheems::bench {

namespace {

class SSD : public Operation {
public:
  SSD(int64_t rowCount, const SSDSizes &sizes) : sizes(sizes) {
    numbers = {{"rows", rowCount},
               {"heads", sizes.heads},
               {"size", sizes.size},
               {"state", sizes.state},
               {"groups", sizes.groups}};
  }

  RandomModel model() const override {
    constexpr int64_t hidden = 64;
    return cheemsModel(hidden, sizes, nlohmann::json::object(), {});
  }

  double stateBytes(int64_t, int64_t) const override {
    return 4.0 * static_cast<double>(sizes.heads * sizes.size) *
           static_cast<double>(sizes.state);
  }

  LoopRole role(std::string_view loop) const override {
    return loop.substr(0, 3) == "ssd" ? LoopRole::own : LoopRole::other;
  }

  bool ownsKernel(std::string_view kernel) const override {
    return kernel.substr(0, 3) == "ssd";
  }

  double operations(const OperationStep &step,
                    const OperationCode &code) const override {
    auto [heads, size, state, groups] = sizes;
    int64_t chunk = std::min(step.rows, code.chunk);
    int64_t each = chunk <= 1 ? 5 * state * size * heads
                              : (4 * state + chunk) * size * heads +
                                    chunk * state * groups;
    return static_cast<double>(step.rows) * static_cast<double>(each);
  }

  int64_t bytes(const OperationStep &step,
                const OperationCode &) const override {
    auto [heads, size, state, groups] = sizes;
    int64_t row = 2 * heads * size + heads + 2 * groups * state;
    return int64_t(sizeof(float)) *
           (step.rows * row + 2 * heads * state * size);
  }

private:
  SSDSizes sizes;
};

} // namespace

std::shared_ptr<Operation> makeSSD(const std::vector<int64_t> &numbers) {
  int64_t groups = numbers.size() > 4 ? numbers[4] : 1;
  if (numbers[3] % 2 != 0) {
    throw Error("an even N");
  }
  if (numbers[1] % groups != 0) {
    throw Error("a G that divides H");
  }
  return std::make_shared<SSD>(
      numbers[0], SSDSizes{numbers[1], numbers[2], numbers[3], groups});
}

} // namespace cheems::bench
