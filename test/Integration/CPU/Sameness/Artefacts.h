// Models of every kind, compiled once per test run by the cheems-compile beside
// this binary.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_SAMENESS_ARTEFACTS_H
#define CHEEMS_TEST_INTEGRATION_CPU_SAMENESS_ARTEFACTS_H

#include "runtime/Artifact/Model.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace cheems::test {

/// How a tool ended.
struct Outcome {
  int code = 0;
  std::string output, errors;
};

/// Runs the cheems-compile beside this binary with standard input empty.
Outcome compile(const std::vector<std::string> &arguments);

/// A checkpoint's folder; random ones are written at first use and removed when
/// the process ends. Names are the goldens' (doge-tiny, doge-window, …), the
/// demo's, and of random ones:
/// - window-1, window-7, window-64, window-100: a window of so many keys;
///   7 has A an attention head.
/// - bf16-window-20, bf16-window-500, bf16-all-keys, all-keys-wide: in bf16;
///   with and without a window; with matmuls of many rows.
/// - dynamic, dynamic-window-9: rotary scaling past 16 tokens, to 512.
/// - cheems-window-9, cheems-threshold, cheems-scale: SSD around attention with
///   a window, with a threshold that masks are computed for, in bf16 with masks
///   as factors.
/// - cheems-visible: attention alone, a threshold of 1.0.
/// - codes-64, codes-32: rows of whole groups of 4-bit integers; the latter of
/// a
///   Cheems with experts. Only ever compiled with weights of 8 or 4 bits.
/// - cheems-experts: SSD alone, with experts; doge-experts: their router.
std::filesystem::path checkpointFolder(const std::string &model);

/// What cheems-compile is told for a kind of code: "scalar", the name of a
/// variant of the fast pipeline's, or "cuda"; with "-int8" keys and values are
/// int8, with "-w8" or "-w4" weights have so many bits, with "-24" experts are
/// read in groups of 24 rows.
std::vector<std::string> flagsFor(const std::string &kind);
/// The artefact of `model` with code of that kind alone.
std::filesystem::path artefactOf(const std::string &model,
                                 const std::string &kind);
std::shared_ptr<const Model> openArtefact(const std::string &model,
                                          const std::string &kind,
                                          const std::string &device = "auto");

/// Variants beside "avx2" that `model` is compiled for: a model of each kind of
/// state and weight, since every compilation takes seconds. What sets the last
/// two apart is how bf16 weights are multiplied.
std::vector<std::string> widerVariants(const std::string &model);

/// The model has SSD layers: chunks are computed in another form than rows.
bool hasChunks(const Model &model);

/// One test per model and kind of code; variants that this machine cannot run
/// are skipped.
class Compiled
    : public testing::TestWithParam<std::tuple<std::string, std::string>> {
protected:
  void SetUp() override;
  const std::string &name() const { return std::get<0>(GetParam()); }
  std::shared_ptr<const Model> model;
};

/// Outside of long runs: whether a model is run at all, and in plain loops.
/// Each code of each model takes seconds to compile. What the models that are
/// left out have is in others: all keys, small and large windows, rotary
/// scaling.
bool isOfEveryRun(const std::string &model);
bool hasPlainLoops(const std::string &model);

/// For INSTANTIATE_TEST_SUITE_P.
inline auto over(const std::vector<std::string> &models) {
  std::vector<std::tuple<std::string, std::string>> cases;
  for (const std::string &model : models) {
    if (!isOfEveryRun(model)) {
      continue;
    }
    if (model.rfind("codes-", 0) != 0) {
      cases.emplace_back(model, "avx2");
      if (hasPlainLoops(model)) {
        cases.emplace_back(model, "scalar");
      }
    }
    for (const std::string &variant : widerVariants(model)) {
      cases.emplace_back(model, variant);
    }
  }
  return testing::ValuesIn(cases);
}

std::string caseName(const testing::TestParamInfo<Compiled::ParamType> &info);
const std::vector<std::string> &allModels();

} // namespace cheems::test

#endif
