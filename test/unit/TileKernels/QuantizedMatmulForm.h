// Quantized matmuls as a step has them, and what they should give, bit for bit.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_CODEDFORM_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_CODEDFORM_H

#include "Cases.h"
#include "cheems/Reference/Linear.h"

namespace cheems::test {

/// What is done with sums. All of it is exact, or one operation of f32.
enum class After { Nothing, ReLU, Gate, Residual };

/// What is compiled.
struct QuantizedMatmulForm {
  int64_t bits, columns, depth;
  int64_t group = 0; ///< 0: the whole row
  After after = After::Nothing;
  bool bias = false;
  int64_t mostRows = 0; ///< of a step; none: many

  size_t products() const { return after == After::Gate ? 2 : 1; }
  int64_t groups() const { return group ? depth / group : 1; }
};

/// The function @product.
std::string textOf(const QuantizedMatmulForm &form);

struct QuantizedValues {
  reference::Tensor x; ///< [T, K]
  std::vector<reference::QuantizedWeights> weights;
  std::vector<reference::Tensor> biases;
  reference::Tensor y; ///< [T, N]: the residual

  int64_t rows() const { return x.shape[0]; }
};

QuantizedValues drawnValues(const QuantizedMatmulForm &form, Random &random,
                            int64_t rows);

/// The matmul of `values`; nothing after a test failure.
std::optional<Array> run(TileModule &module, const QuantizedMatmulForm &form,
                         const QuantizedValues &values);

/// What it should be.
Array expected(const QuantizedMatmulForm &form, const QuantizedValues &values);

} // namespace cheems::test

#endif
