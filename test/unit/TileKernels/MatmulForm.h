// Matmuls as a step has them, with what becomes of their sums, and what they
// should give.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_MATMULFORM_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_MATMULFORM_H

#include "Cases.h"
#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"

namespace cheems::test {

/// What is done with sums, after the bias.
enum class After {
  Nothing,
  Activation,
  Gate,     ///< activation of a first matmul times a second one
  Residual, ///< scale * y + sum
  Mask,     ///< mask values of steps
};

/// What is compiled.
struct MatmulForm {
  Number number; ///< of weights; inputs are rounded to it
  int64_t columns, depth;
  After after = After::Nothing;
  bool bias = false;
  Activation activation = Activation::ReLU;
  Number result = Number::F32;
  int64_t mostRows = 0; ///< of a step; none: many

  size_t products() const { return after == After::Gate ? 2 : 1; }
  bool isF32() const { return number == Number::F32; }
};

/// The function @product, as the importer makes one.
std::string textOf(const MatmulForm &form);

struct MatmulValues {
  reference::Tensor x; ///< [T, K]
  std::vector<reference::Tensor> weights, biases;
  reference::Tensor factor; ///< [N]: of a residual or a mask
  reference::Tensor y;      ///< [T, N]: the residual

  int64_t rows() const { return x.shape[0]; }
};

MatmulValues drawnValues(const MatmulForm &form, Random &random, int64_t rows);

/// The matmul of `values`; nothing after a test failure.
std::optional<Array> run(TileModule &module, const MatmulForm &form,
                         const MatmulValues &values);

/// Each element is within what roundings may do to it.
testing::AssertionResult isMatmul(const Array &got, const MatmulForm &form,
                                  const MatmulValues &values);

} // namespace cheems::test

#endif
