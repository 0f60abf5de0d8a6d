// Partial states go back to their slots on a GPU: of models whose pools all
// have a capacity, and of one with running sums.
#include "../../CPU/Sameness/Artefacts.h"
#include "../../CPU/Sameness/PartialStates.h"
#include "test/unit/Support/TestRun.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::test;

namespace {

/// Compiling is most of the time: a run that is not long has one of other
/// tests, and one with both kinds of state.
std::vector<const char *> models() {
  if (!isLongRun()) {
    return {"doge-untied-bf16", "cheems-dense"};
  }
  return {"doge-tiny", "doge-author-bias", "doge-untied-bf16", "cheems-dense"};
}

class GPUPartial : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Models, GPUPartial, testing::ValuesIn(models()),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(GPUPartial, statesGoOnAsIfTheSlotHadNotGoneOn) {
  partialStatesGoOn(openArtefact(GetParam(), "cuda", "cuda"), 2);
}

} // namespace
