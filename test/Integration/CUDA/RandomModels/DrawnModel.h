// Random models in 16 bits and with quantized weights, whose heads are as large
// as those of real ones, and how far a GPU may be from what the interpreter
// makes of them.
#ifndef CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_DRAWNMODEL_H
#define CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_DRAWNMODEL_H

#include "test/unit/Support/RandomCheckpoint.h"
#include "test/unit/Support/RoundingBound.h"

namespace cheems::test {

struct Form {
  RandomCheckpoint::Stored stored;
  const char *weights;
  bool entriesBF16; ///< keys and values
  double unit;      ///< of inputs of matmuls, if those are not quantized
  int64_t quantizedBits = 0;

  int64_t digits() const; ///< of the unit, or of bf16
};

struct DrawnModel {
  Form form;
  RandomCheckpoint drawn;
  int64_t rows;

  std::string describe() const;
  /// How kernels are called that have 16 bits to multiply, in a prompt:
  /// matmuls of such weights, attention on such keys, and SSD where weights
  /// are bf16 (f16 is never turned into bf16, which its kernels have).
  std::vector<std::string> of16Bits() const;
};

/// A dense Doge; six numbers one after the other have bf16, f16 and quantized
/// weights, each with heads of 64 and of 128.
DrawnModel drawDenseModel(uint64_t number);

/// A Cheems with SSD, states of 128, attention, and experts in the last layer,
/// so that what another expert gives reaches its own row alone. Two numbers
/// one after the other have bf16 and f16, with heads of 64 and of 128; the next
/// two the other way round.
DrawnModel drawCheemsModel(uint64_t number);

/// How far a model may be from what rounds nothing of it but its quantized
/// weights if those are not quantized, and a GPU from what rounds the same
/// numbers.
/// \param straight what straightErrorOf says of the model, with the form's
///   digits. Where that is more than formulas say, which know no single model,
///   all of the model's errors may be as much larger.
RoundingBounds boundsOf(const DrawnModel &model, double straight);

} // namespace cheems::test

#endif
