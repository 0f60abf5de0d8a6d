// Model folders of random weights, made for a moment to be compiled and timed.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_RANDOMMODEL_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_RANDOMMODEL_H

#include <cstdint>
#include <string>
#include <vector>

namespace cheems::bench {

struct RandomTensor {
  std::string name;
  std::vector<int64_t> shape;
  float scale = 1, shift = 0; ///< numbers in [shift - scale, shift + scale)

  int64_t elements() const;
};

/// Vectors of norms and residuals: near one.
RandomTensor nearOne(const std::string &name, int64_t size);
/// A matrix [rows, columns] whose matmuls with numbers of variance one have
/// variance one.
RandomTensor matrix(const std::string &name, int64_t rows, int64_t columns);

struct RandomModel {
  std::string config; ///< config.json; tells models apart
  std::vector<RandomTensor> tensors;

  double bytes(bool brain) const; ///< also of what no integer tells
};

/// config.json and model.safetensors, in bf16 or f32; the same numbers each
/// time. Throws Error, also where Ctrl-C asks for it.
void writeModel(const std::string &folder, const RandomModel &model,
                bool brain);

} // namespace cheems::bench

#endif
