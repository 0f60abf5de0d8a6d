// experts TxDxExk[xH].
#include "Operation.h"
#include "OperationModels.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cmath>

namespace cheems::bench {

namespace {

/// The other part of the layer.
constexpr SSDSizes sequence = {1, 16, 16, 1};

/// This is the size of a query, both halves together.
constexpr int64_t querySize = 64;

/// Keys a half, which reach the square of their number.
int64_t keysOf(int64_t experts) {
  auto keys = static_cast<int64_t>(std::sqrt(static_cast<double>(experts)));
  return keys * keys > experts ? keys - 1 : keys;
}

class Experts : public Operation {
public:
  Experts(int64_t rowCount, int64_t hidden, int64_t experts, int64_t perHead,
          int64_t heads)
      : hidden(hidden), experts(experts), perHead(perHead), heads(heads) {
    numbers = {{"rows", rowCount},
               {"hidden", hidden},
               {"experts", experts},
               {"per_head", perHead},
               {"heads", heads}};
  }

  RandomModel model() const override {
    std::string part = "model.layers.0.feed_forward.";
    return cheemsModel(
        hidden, sequence,
        {{"is_moe", true},
         {"num_cdmoe_experts", experts},
         {"num_cdmoe_heads", heads},
         {"num_cdmoe_experts_per_head", perHead},
         {"expert_retrieval_size", querySize}},
        {matrix(part + "queries.weight", heads * querySize, hidden),
         {part + "keys", {heads, keysOf(experts), 2, querySize / 2}},
         matrix(part + "down_embed.weight", experts, hidden),
         matrix(part + "up_embed.weight", experts, hidden)});
  }

  double stateBytes(int64_t, int64_t) const override {
    return 4.0 * static_cast<double>(sequence.size * sequence.state);
  }

  /// The matmul with the queries' weights and those with the keys have loops
  /// named like any matmul, or none where they are small: the time begins
  /// when the MLP's last matmul has ended, by its length.
  LoopRole role(std::string_view loop) const override {
    for (const char *part : {"retrieve_experts", "mix_experts"}) {
      if (loop.find(part) != std::string_view::npos) {
        return LoopRole::own;
      }
    }
    static const std::string length = "x" + std::to_string(mlpSize);
    bool product = loop.substr(0, 7) == "linear ",
         ofMLP = product && loop.size() > length.size() &&
                 loop.substr(loop.size() - length.size()) == length;
    bool beside =
        loop == "pack" || loop == "elementwise" || (product && !ofMLP);
    return beside ? LoopRole::beside : LoopRole::before;
  }

  bool ownsKernel(std::string_view kernel) const override {
    return kernel.find("experts") != std::string_view::npos ||
           kernel.substr(0, 10) == "key_scores";
  }

  double operations(const OperationStep &step,
                    const OperationCode &) const override {
    int64_t queries = 2 * hidden * querySize,
            scores = 2 * querySize * keysOf(experts),
            mixing = 4 * hidden * perHead;
    return static_cast<double>(step.rows) *
           static_cast<double>(heads * (queries + scores + mixing));
  }

  int64_t bytes(const OperationStep &step,
                const OperationCode &code) const override {
    int64_t read = std::min(step.rows * perHead * heads, experts);
    return 2 * read * rowBytes(code);
  }

  int64_t workingSet(const OperationStep &,
                     const OperationCode &code) const override {
    return 2 * experts * rowBytes(code);
  }

private:
  /// Returns the bytes of a row in either table.
  int64_t rowBytes(const OperationCode &code) const {
    constexpr int64_t scaleBytes = 4;
    return code.codes ? hidden + scaleBytes : hidden * code.elementBytes;
  }

  int64_t hidden, experts, perHead, heads;
};

} // namespace

std::shared_ptr<Operation> makeExperts(const std::vector<int64_t> &numbers) {
  int64_t keys = keysOf(numbers[2]);
  if (numbers[3] > keys * keys) {
    throw Error("k at most the square of floor(sqrt(E))");
  }
  return std::make_shared<Experts>(numbers[0], numbers[1], numbers[2],
                                   numbers[3],
                                   numbers.size() > 4 ? numbers[4] : 1);
}

} // namespace cheems::bench
