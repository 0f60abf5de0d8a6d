// Random checkpoints of Llama and its kin, drawn from a seed over everything of
// theirs that is compiled.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_RANDOMLLAMA_H
#define CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_RANDOMLLAMA_H

#include <cstdint>
#include <filesystem>
#include <string>

namespace cheems::test {

/// What is drawn.
struct RandomLlama {
  uint64_t seed = 0; ///< of the weights, too
  std::string type = "llama";
  int64_t vocabulary = 41, hidden = 24, intermediate = 40, layers = 3;
  int64_t heads = 4, keyValueHeads = 2, headDim = 8;
  bool tied = true, attentionBias = false, mlpBias = false;
  std::string activation = "silu";
  std::string rope = "default"; ///< rope_type

  /// One line with all of the above, for failure messages.
  std::string describe() const;
};

/// Six seeds in a row are of six types.
RandomLlama drawLlama(uint64_t seed);

/// Writes config.json and weights in f32 into `folder`, which is made. Throws
/// std::runtime_error or std::filesystem::filesystem_error.
void writeLlama(const RandomLlama &drawn, const std::filesystem::path &folder);

} // namespace cheems::test

#endif
