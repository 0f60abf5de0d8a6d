// The parts that random checkpoints are put together from.
#ifndef CHEEMS_TEST_UNIT_SUPPORT_RANDOMDRAWS_H
#define CHEEMS_TEST_UNIT_SUPPORT_RANDOMDRAWS_H

#include "test/unit/Support/RandomCheckpoint.h"

namespace cheems::test {

/// drawDoge, with the names given where `authorNames` is.
RandomCheckpoint drawDense(uint64_t seed, std::optional<bool> authorNames);

/// A tensor as it is stored.
struct RandomTensor {
  std::string name, type;
  std::vector<int64_t> shape;
  std::string bytes; // little-endian
};
std::vector<RandomTensor> drawTensors(const RandomCheckpoint &checkpoint);

/// A number as 4 bytes of f32.
void appendF32(std::string &bytes, double value);
/// Throw std::runtime_error.
void writeFile(const std::filesystem::path &path, const std::string &bytes);
void saveTensors(const std::filesystem::path &path,
                 const std::vector<RandomTensor> &tensors);

/// The text of config.json.
std::string configText(const RandomCheckpoint &checkpoint);

} // namespace cheems::test

#endif
