// Many windows of keys come and go: what stays is what the evaluator keeps,
// which ranks all keys of a sequence anew for each row. With what may round:
// bf16, quantized keys and values, quantized weights.
#include "Compared.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;

namespace {

struct Case {
  const char *name;
  RandomCheckpoint::Stored stored;
  bool cheems; ///< SSD after attention
  int64_t window;
  Build build;
};

class FarEviction : public testing::TestWithParam<Case> {};

TEST_P(FarEviction, KeepsTheReferencesKeys) {
  const Case &what = GetParam();
  RandomCheckpoint drawn;
  drawn.seed = 810 + static_cast<uint64_t>(what.window);
  drawn.stored = what.stored;
  drawn.keepWindow = what.window;
  drawn.vocabulary = 40;
  // In the first layer masks are far apart or exactly equal, so nothing but the
  // order of masks decides what stays.
  drawn.layers = what.cheems ? 2 : 1;
  if (what.cheems) {
    drawn.cheems = drawn.authorNames = drawn.oldRopeFields = true;
    drawn.queryKeyNorms = false;
    drawn.hidden = drawn.heads * drawn.headDim;
    drawn.attentionPeriod = 2;
    drawn.attentionOffset = 0;
    drawn.stateSize = 8;
  }
  int64_t length = std::max<int64_t>(10 * what.window, 300);
  TemporaryFolder folder;
  writeCheckpoint(drawn, folder.path / "model");
  Compared compared(folder.path / "model", what.build, folder.path);
  Random random(drawn.seed);
  std::vector<Sequence> sequences{compared.evaluator().draw(random, length)};
  ASSERT_GE(2 * sequences[0].firm, length) << "of few rows";
  for (int64_t chunk : {length, int64_t(64), int64_t(7), int64_t(1)}) {
    Evaluator::Agreement got =
        compared.run(sequences, chunk, chunk == 7 ? 2 : 1);
    std::printf("%s, %s, chunks of %d: error %.1e of %.1e, %d ties turned, "
                "%d of %d rows\n",
                what.name, compared.variant().c_str(), static_cast<int>(chunk),
                got.error, got.allowed, static_cast<int>(got.turned.size()),
                static_cast<int>(sequences[0].firm), static_cast<int>(length));
  }
}

using Stored = RandomCheckpoint::Stored;
INSTANTIATE_TEST_SUITE_P(
    Formats, FarEviction,
    testing::Values(Case{"bf16", Stored::BF16, false, 17, {}},
                    Case{"weights_int8",
                         Stored::F32,
                         false,
                         9,
                         {"fast", "native", "stored", "int8", 0}},
                    Case{"kv_int8",
                         Stored::F32,
                         true,
                         20,
                         {"fast", "native", "int8", "stored", 0}},
                    Case{"bf16_both_int8",
                         Stored::BF16,
                         true,
                         33,
                         {"fast", "native", "int8", "int8", 0}},
                    Case{"scalar_both_int8",
                         Stored::BF16,
                         false,
                         12,
                         {"scalar", "native", "int8", "int8", 0}}),
    [](const auto &info) { return info.param.name; });

} // namespace
