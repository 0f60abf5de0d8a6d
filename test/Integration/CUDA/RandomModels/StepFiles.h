// One step of a sequence, as the interpreter takes it.
#ifndef CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_STEPFILES_H
#define CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_STEPFILES_H

#include <cstdint>
#include <filesystem>
#include <vector>

namespace cheems::test {

/// A safetensors file with `tokens`, `segments` and `rows` of a step that reads
/// a whole sequence and wants the logits of every row. Throws
/// std::runtime_error.
void writeStep(const std::filesystem::path &path,
               const std::vector<int64_t> &ids);

} // namespace cheems::test

#endif
