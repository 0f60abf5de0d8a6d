// Partial states go back to their slots on a card: of models whose pools all
// have a capacity, and of one with running sums.
#include "../../CPU/Sameness/Artefacts.h"
#include "../../CPU/Sameness/PartialStates.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::test;

namespace {

class CardPartial : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Models, CardPartial,
                         testing::Values("doge-tiny", "doge-author-bias",
                                         "cheems-dense"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(CardPartial, statesGoOnAsIfTheSlotHadNotGoneOn) {
  partialStatesGoOn(openArtefact(GetParam(), "cuda", "cuda"), 2);
}

} // namespace
