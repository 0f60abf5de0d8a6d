// Kernels of sm_90a begin before earlier ones have ended, and wait for
// them. Where one does not wait, the software GPU shows it.
#include "CompiledModel.h"
#include "runtime/Artifact/LaunchPlan.h"
#include "runtime/Session/Session.h"
#include <algorithm>
#include <cstdio>
#include <set>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;

namespace {

SessionOptions options() {
  SessionOptions result;
  result.slots = 1;
  result.context = 64;
  result.prefillChunk = 8;
  return result;
}

/// Logits of a prompt of eight tokens, and of decoding so many after it.
std::vector<float> logitsOf(Session &session, int decoded) {
  const int32_t prompt[] = {5, 6, 7, 8, 9, 10, 11, 12};
  auto vocabulary = static_cast<size_t>(session.vocabulary());
  std::vector<float> all;
  session.reset(0);
  auto feed = [&](const int32_t *tokens, int64_t count) {
    all.resize(all.size() + vocabulary);
    session.prefill(0, {tokens, count}, all.data() + all.size() - vocabulary);
  };
  feed(prompt, 8);
  for (int i = 0; i < decoded; ++i) {
    feed(prompt + i % 8, 1);
  }
  return all;
}

cuda::LaunchPlan planOf(const Model &model) {
  for (const GPUCode &code : model.cudaCode().gpus) {
    if (code.architecture == "sm_90a") {
      return cuda::LaunchPlan::parse(code.plan, code.path, model.path(),
                                     model.metadata().state.size());
    }
  }
  throw Error("no code for sm_90a");
}

/// Kernels that a step of one row runs.
std::set<std::string> kernelsOfDecoding(const Model &model) {
  cuda::LaunchPlan plan = planOf(model);
  cuda::StepSizes sizes{1, 1, 1, options().slots, options().context, 0};
  std::vector<int64_t> numbers(plan.decode.numbers.size());
  plan.decode.evaluate(sizes, numbers);
  std::set<std::string> names;
  for (const cuda::LaunchPlan::Launch &launch : plan.decode.launches) {
    if (launch.blocks(numbers) != 0) {
      names.insert(plan.kernels[launch.kernel].name);
    }
  }
  return names;
}

class Overlap : public testing::Test {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv("COMPILED_MODEL", compiledModel().c_str(), /*overwrite=*/0);
  }
};

TEST_F(Overlap, isOfAllKernelsOfAStepButTheFirst) {
  const FaultyDriver &faulty = useSoftwareGPU();
  auto model = openOnGPU();
  Session session(model, options());
  for (const cuda::LaunchPlan::Kernel &kernel : planOf(*model).kernels) {
    EXPECT_TRUE(kernel.overlaps) << kernel.name;
  }
  // Launches that a step does not have are none.
  auto early = [&](int decoded) {
    faulty.failCall(0, 0);
    logitsOf(session, decoded);
    return faulty.overlapping();
  };
  const long prompt = early(0);
  EXPECT_GT(prompt, 10);
  const long step = early(1) - prompt;
  EXPECT_GT(step, 10);
  EXPECT_EQ(early(1) - prompt, step) << "it becomes a graph";
  EXPECT_EQ(early(3), prompt) << "the graph is there";
}

TEST_F(Overlap, orGraphsThatAreSwitchedOffAreNone) {
  const FaultyDriver &faulty = useSoftwareGPU();
  struct Found {
    std::vector<float> logits;
    long graphs, early;
  };
  constexpr int decoded = 4;
  auto with = [&](const char *variable) {
    if (variable) {
      setenv(variable, "off", 1);
    }
    Session session(openOnGPU(), options());
    if (variable) {
      unsetenv(variable);
    }
    faulty.failCall(0, 0);
    std::vector<float> logits = logitsOf(session, decoded);
    return Found{logits, faulty.graphs(), faulty.overlapping()};
  };
  const Found all = with(nullptr), plain = with("CHEEMS_CUDA_GRAPHS"),
              inOrder = with("CHEEMS_CUDA_OVERLAP");
  EXPECT_EQ(all.graphs, decoded - 1) << "the first step is none";
  EXPECT_EQ(plain.graphs, 0);
  EXPECT_GT(plain.early, all.early); // each step's launches, not two steps'
  EXPECT_EQ(inOrder.graphs, decoded - 1);
  EXPECT_EQ(inOrder.early, 0);
  EXPECT_EQ(plain.logits, all.logits);
  EXPECT_EQ(inOrder.logits, all.logits);
}

/// Ends with 0 where nothing overlaps.
[[noreturn]] void runWith(const char *version, const char *image) {
  setenv("FAULTY_DRIVER_VERSION", version, 1);
  setenv("CHEEMS_CUDA_IMAGE", image, 1);
  const FaultyDriver &faulty = useSoftwareGPU();
  Session session(openOnGPU(), options());
  faulty.failCall(0, 0);
  logitsOf(session, 1);
  _exit(faulty.overlapping() == 0 ? 0 : 1);
}

TEST_F(Overlap, isNoneWithAnOlderDriverOrOtherCode) {
  EXPECT_EXIT(runWith("12030", "sm_90a.ptx"), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(runWith("12020", "sm_90a.ptx"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(runWith("12030", "sm_80.ptx"), testing::ExitedWithCode(0), "");
}

/// Ends with 0 where other logits, or a finding, show of each kernel that it
/// does not wait. One that reads nothing of other kernels need not show it.
[[noreturn]] void leaveOutWaits() {
  useSoftwareGPU();
  auto run = [] {
    Session session(openOnGPU(), options());
    return logitsOf(session, 8);
  };
  const std::vector<float> wanted = run();
  bool isGood = run() == wanted;
  for (const std::string &name : kernelsOfDecoding(*openOnGPU())) {
    setenv("FAULTY_DRIVER_WAITLESS", name.c_str(), 1);
    bool shows = false;
    try {
      shows = run() != wanted;
    } catch (const Error &error) { // and the GPU's context is a new one
      shows = true;
    }
    unsetenv("FAULTY_DRIVER_WAITLESS");
    if (!shows && name.rfind("positions", 0) != 0) {
      std::fprintf(stderr, "the wait of %s is not missed\n", name.c_str());
      isGood = false;
    }
  }
  _exit(isGood && run() == wanted ? 0 : 1);
}

TEST_F(Overlap, needsTheWaitOfEachKernel) {
  EXPECT_EXIT(leaveOutWaits(), testing::ExitedWithCode(0), "");
}

} // namespace
