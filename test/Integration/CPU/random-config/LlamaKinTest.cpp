// Random models of Llama and its kin, compiled and run whole and in chunks,
// against the evaluator in double.
#include "Compared.h"
#include "RandomLlama.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;

namespace {

class LlamaKin : public testing::TestWithParam<uint64_t> {};

TEST_P(LlamaKin, GiveTheReferencesLogits) {
  RandomLlama drawn = drawLlama(GetParam());
  SCOPED_TRACE(drawn.describe());
  TemporaryFolder folder;
  writeLlama(drawn, folder.path / "model");
  Random random(GetParam() ^ 0x7e58);
  int64_t length = random.integer(70, 150);
  std::vector<Build> builds(2);
  builds[1].kv = GetParam() % 2 ? "int8" : "stored";
  builds[1].weights = GetParam() % 4 < 2 ? "int8" : "int4";
  for (const Build &build : builds) {
    Compared compared(folder.path / "model", build, folder.path);
    std::vector<Sequence> sequences;
    for (int b = 0; b < 2; ++b) {
      sequences.push_back(compared.evaluator().draw(random, length));
    }
    for (int64_t chunk : {length, random.integer(1, 9), int64_t(64)}) {
      Evaluator::Agreement got =
          compared.run(sequences, chunk, random.integer(1, 2));
      std::printf("%s, kv %s, weights %s, %s, chunks of %d: error %.1e of "
                  "%.1e\n",
                  drawn.describe().c_str(), build.kv.c_str(),
                  build.weights.c_str(), compared.variant().c_str(),
                  static_cast<int>(chunk), got.error, got.allowed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kin, LlamaKin, testing::Range<uint64_t>(0, 18),
                         [](const auto &info) {
                           return drawLlama(info.param).type + "_" +
                                  std::to_string(info.param);
                         });

} // namespace
