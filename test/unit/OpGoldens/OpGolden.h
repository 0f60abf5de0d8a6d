// Recorded operations: their files, the ways to compute them, and how near the
// results must be.
#ifndef CHEEMS_TEST_UNIT_OPGOLDENS_OPGOLDEN_H
#define CHEEMS_TEST_UNIT_OPGOLDENS_OPGOLDEN_H

#include "test/unit/Kernels/Harness.h"
#include "test/unit/Kernels/ModuleText.h"
#include "test/unit/Reference/Golden.h"
#include "test/unit/Support/RoundingBound.h"
#include <gtest/gtest.h>

namespace cheems::test {

using reference::Tensor;

constexpr const char *attentionFiles[] = {
    "attention_bias",    "attention_keep",  "attention_keep_per_head",
    "attention_listing", "attention_scale", "attention_threshold"};
constexpr const char *expertFiles[] = {"cdmoe_gate_keys", "cdmoe_inner",
                                       "cdmoe_softmax"};
constexpr const char *rotaryFiles[] = {"rope", "rope_dynamic", "rope_far"};
constexpr const char *listedRotaryFiles[] = {"rope_linear", "rope_llama3",
                                             "rope_partial", "rope_yarn"};
constexpr const char *plainAttentionFiles[] = {
    "attention_none", "attention_window", "attention_window_one"};
constexpr const char *ssdFiles[] = {"ssd_growing", "ssd_long", "ssd_one_step",
                                    "ssd_ragged", "ssd_resumed"};

inline GoldenFile openOp(const std::string &name) {
  return GoldenFile(goldenPath("ops/" + name + ".safetensors"));
}

/// What a compiled operation may err by, of the output's deviation: `roundings`
/// follow each other, as those of a sum with as many terms.
inline double compiledBound(Element type, int64_t roundings) {
  EXPECT_TRUE(type == Element::F32 || type == Element::BF16);
  return sumBound(type == Element::F32 ? kUnitF32 : kUnitBF16, roundings);
}

inline double deviation(const Tensor &x) {
  double count = static_cast<double>(x.data.size()), mean = 0, square = 0;
  for (double value : x.data) {
    mean += value / count;
    square += value * value / count;
  }
  return std::sqrt(square - mean * mean);
}

/// The largest difference over the standard deviation of what is wanted.
inline double relativeError(const Tensor &got, const Tensor &want) {
  return maxError(got, want) / deviation(want);
}

/// What a kernel wrote, shaped as the evaluators have it.
inline Tensor contents(const Buffer &buffer, llvm::ArrayRef<int64_t> shape) {
  Tensor result(shape);
  for (size_t i = 0; i < result.data.size(); ++i) {
    result.data[i] = buffer.get(static_cast<int64_t>(i));
  }
  return result;
}

/// A wrong rounding: numbers with `bits` significant bits, of f32's 24.
inline Tensor coarser(Tensor x, int bits) {
  for (double &value : x.data) {
    int exponent = 0;
    double fraction = std::frexp(value, &exponent);
    value =
        std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
  }
  return x;
}

/// Dimensions a and b of x exchanged.
inline Tensor transposed(const Tensor &x, int64_t a, int64_t b) {
  llvm::SmallVector<int64_t, 4> shape = x.shape, from(x.shape.size(), 0);
  std::swap(shape[a], shape[b]);
  Tensor y(shape);
  for (double value : x.data) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      size_t source = static_cast<int64_t>(d) == a   ? b
                      : static_cast<int64_t>(d) == b ? a
                                                     : d;
      at = at * shape[d] + from[source];
    }
    y.data[at] = value;
    for (size_t d = shape.size(); d-- > 0 && ++from[d] == x.shape[d];) {
      from[d] = 0;
    }
  }
  return y;
}

/// "2x?x16xf32"; -1 is a dynamic extent.
inline std::string shapeText(llvm::ArrayRef<int64_t> shape,
                             const std::string &element = "f32") {
  std::string text;
  for (int64_t extent : shape) {
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  }
  return text + element;
}

inline std::string tensorText(const std::string &type) {
  return "tensor<" + type + ">";
}

/// A file and the pipeline that compiles its operation.
class CompiledOpGolden
    : public testing::TestWithParam<std::tuple<const char *, Mode>> {
protected:
  std::string file() const { return std::get<0>(GetParam()); }
  Mode mode() const { return std::get<1>(GetParam()); }
};

/// A file and its evaluator.
class EvaluatedOpGolden : public testing::TestWithParam<const char *> {};

#define CHEEMS_OP_GOLDENS(evaluated, compiled, files)                          \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      , evaluated, testing::ValuesIn(files),                                   \
      [](const auto &info) { return std::string(info.param); });               \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      , compiled,                                                              \
      testing::Combine(                                                        \
          testing::ValuesIn(files),                                            \
          testing::Values(Mode::Scalar, Mode::Narrow, Mode::Wide)),            \
      [](const auto &info) {                                                   \
        return std::string(std::get<0>(info.param)) + "_" +                    \
               nameOf(std::get<1>(info.param));                                \
      })

} // namespace cheems::test

#endif
