// After start-up nothing is taken from the heap: a prompt, then 1,000 decoded
// tokens, on compiled models.
#include "Artefacts.h"
#include "Sequences.h"
#include "test/unit/Session/AllocationCount.h"
#include "test/unit/Support/TestRun.h"

using namespace cheems;
using namespace cheems::test;

namespace {

using Names = std::vector<std::string>;

class Allocation : public Compiled {};
INSTANTIATE_TEST_SUITE_P(
    Models, Allocation,
    over(isLongRun() ? Names{"doge-window", "cheems-window-9", "cheems-experts"}
                     : Names{"cheems-window-9", "cheems-experts"}),
    caseName);

TEST_P(Allocation, StepsTakeNothing) {
  constexpr int64_t prompt = 100, steps = 1000;
  for (int threads : {1, 2}) {
    SessionOptions options;
    options.threads = threads;
    options.context = prompt + steps;
    options.prefillChunk = 32;
    Session session(model, options);
    Ids ids = drawIds(*model, prompt + steps);
    std::vector<float> logits(session.vocabulary());
    int64_t before = allocations();
    session.prefill(0, {ids.data(), prompt}, logits.data());
    for (int64_t i = 0; i < steps; ++i) {
      session.decode(0, ids[prompt + i], logits.data());
    }
    EXPECT_EQ(allocations(), before) << threads << " threads";
    EXPECT_GT(before, 0); // they are counted
    EXPECT_EQ(session.position(0), prompt + steps);
  }
}

} // namespace
