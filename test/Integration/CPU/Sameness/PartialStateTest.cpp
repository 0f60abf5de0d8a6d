// An entry is written once while a sequence grows (docs/abi.md, "State
// pools"): a state without entries, put back into a slot that went on, goes on
// with the bits of a sequence that never did.
#include "Artefacts.h"
#include "PartialStates.h"

using namespace cheems;
using namespace cheems::test;

namespace {

class Partial : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, Partial, over(allModels()), caseName);

TEST_P(Partial, StatesGoOnAsIfTheSlotHadNotGoneOn) {
  partialStatesGoOn(model, 6);
}

} // namespace
