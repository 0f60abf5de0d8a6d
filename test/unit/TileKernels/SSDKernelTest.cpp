// State-space duality of segments against its evaluator, for prompts and for
// decoding, and bit for bit whatever else is in the step.
#include "AttentionForm.h"
#include "Counts.h"
#include "SSDForm.h"

using namespace cheems::test;
using cheems::reference::Segment;

namespace {

std::vector<std::unique_ptr<TileModule>>
compiled(const std::vector<SSDForm> &forms) {
  std::vector<std::unique_ptr<TileModule>> modules;
  for (const SSDForm &form : forms) {
    modules.push_back(compiledStep(textOf(form)));
  }
  return modules;
}

/// The states of a slot, of all layers.
std::vector<unsigned char> stateOf(const SSDOutcome &outcome, int64_t slot) {
  return rowsOf(outcome.pool, slot, 1);
}

/// All forms of one kind, each case with one of them.
void holdCases(const std::vector<SSDForm> &forms, int64_t longest) {
  auto modules = compiled(forms);
  forEachCase([&](uint64_t number) {
    TileModule *module = modules[number % forms.size()].get();
    ASSERT_NE(module, nullptr);
    Random random(number);
    SSDStep step = drawnStep(forms[number % forms.size()], random,
                             random.between(1, 3), longest);
    auto outcome = run(*module, step, step.segments);
    ASSERT_TRUE(outcome);
    expectNear(step, *outcome);
    // A sequence alone has the same bits.
    for (const Segment &segment : step.segments) {
      auto alone = run(*module, step, {segment});
      ASSERT_TRUE(alone);
      EXPECT_EQ(rowsOf(alone->y, segment.start, segment.length),
                rowsOf(outcome->y, segment.start, segment.length));
      EXPECT_EQ(stateOf(*alone, segment.slot), stateOf(*outcome, segment.slot));
    }
  });
}

const std::vector<SSDForm> decoding = {
    // heads, groups, N, P, skip, rounds, one row
    {4, 4, 16, 16, false, false, true}, {4, 2, 64, 64, true, false, true},
    {2, 1, 128, 32, true, true, true},  {3, 1, 7, 10, true, false, true},
    {2, 2, 36, 100, false, true, true}, {1, 1, 256, 128, true, true, true},
};

TEST(SSDKernelTest, DecodingAgreesWithTheEvaluator) { holdCases(decoding, 1); }

const std::vector<SSDForm> exact = {
    {4, 4, 16, 16, false, false, false}, {2, 1, 64, 64, true, false, false},
    {3, 1, 7, 10, true, false, false},   {2, 2, 36, 100, false, false, false},
    {1, 1, 128, 32, true, false, false}, {1, 1, 96, 17, true, false, false},
};

TEST(SSDKernelTest, PromptsInF32AreExact) { holdCases(exact, 150); }

const std::vector<SSDForm> prompts = {
    {4, 4, 16, 16, false, true, false}, {2, 1, 64, 64, true, true, false},
    {3, 1, 7, 10, true, true, false},   {2, 2, 36, 100, false, true, false},
    {1, 1, 128, 64, true, true, false}, {1, 1, 96, 17, true, true, false},
};

TEST(SSDKernelTest, PromptsAgreeWithTheEvaluator) { holdCases(prompts, 150); }

} // namespace
