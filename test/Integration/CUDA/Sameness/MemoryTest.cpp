// What a session takes of a GPU is what was estimated without one.
#include "../../CPU/Sameness/Artefacts.h"
#include "runtime/Session/Session.h"
#include "test/unit/Support/TestRun.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::test;

namespace {

/// Compiling is most of the time: a run that is not long has those of other
/// tests.
std::vector<const char *> models() {
  if (!isLongRun()) {
    return {"doge-untied-bf16", "window-64"};
  }
  return {"doge-tiny", "doge-untied-bf16", "doge-window", "window-64"};
}

class GPUMemory : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Models, GPUMemory, testing::ValuesIn(models()),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(GPUMemory, isWhatWasEstimated) {
  auto model = openArtefact(GetParam(), "cuda", "cuda");
  for (int64_t slots : {1, 3, 70}) { // past the rows of the decode entry, too
    for (int64_t rows : {0, 100}) {
      SessionOptions options;
      options.slots = slots;
      options.context = 200;
      options.prefillChunk = 64;
      options.rows = rows;
      SessionBytes estimate = Session::estimate(*model, options);
      Session session(model, options);
      SessionBytes has = session.bytes();
      EXPECT_EQ(has.weights, estimate.weights);
      EXPECT_EQ(has.state, estimate.state);
      EXPECT_EQ(has.workspace, estimate.workspace);
      EXPECT_GT(has.weights, 0);
      EXPECT_GT(has.workspace, 0);
    }
  }
}

} // namespace
