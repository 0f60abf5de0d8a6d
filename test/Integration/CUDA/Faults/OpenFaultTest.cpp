// A model is opened and a session made, or one line says why not, and nothing
// stays on the GPU.
#include "CompiledModel.h"
#include "runtime/Session/Session.h"
#include "test/unit/Support/TestRun.h"
#include <map>
#include <regex>

using namespace cheems;
using namespace cheems::test;

namespace {

SessionOptions options() {
  SessionOptions result;
  result.slots = 2;
  result.context = 64;
  result.prefillChunk = 8;
  return result;
}

/// A run that may be long has failures that are told apart, too.
std::vector<int> codes() {
  std::vector<int> result = {cuda::CUDA_ERROR_LAUNCH_FAILED};
  if (std::getenv("CHEEMS_TEST_LONG")) {
    result.insert(result.end(), {cuda::CUDA_ERROR_OUT_OF_MEMORY,
                                 cuda::CUDA_ERROR_NO_BINARY_FOR_GPU,
                                 cuda::CUDA_ERROR_UNKNOWN});
  }
  return result;
}

/// Which of the counted calls are to fail: all of a run that may be long. Each
/// failure loads all kernels once more, so others have the first and the last
/// call of each function.
std::vector<long> failing(const FaultyDriver &faulty) {
  std::map<std::string, long> first, last;
  for (long call = 1; call <= faulty.calls(); ++call) {
    first.try_emplace(faulty.nameOf(call), call);
    last[faulty.nameOf(call)] = call;
  }
  std::vector<long> result;
  for (long call = 1; call <= faulty.calls(); ++call) {
    const std::string name = faulty.nameOf(call);
    if (isLongRun() || first[name] == call || last[name] == call) {
      result.push_back(call);
    }
  }
  return result;
}

TEST(OpenFault, isToldAndLeavesNothing) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  auto open = [] { Session session(openOnGPU(), options()); };
  faulty.failCall(0, 0);
  open();
  const std::vector<long> calls = failing(faulty);
  size_t refused = 0;
  EXPECT_EQ(faulty.alive(), before);
  for (long call : calls) {
    for (int code : codes()) {
      faulty.failCall(call, code);
      std::string text = refusal(open);
      refused += text != "nothing was refused"; // destructors go on
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      EXPECT_EQ(faulty.alive(), before) << "call " << call << ": " << text;
    }
  }
  faulty.failCall(0, 0);
  EXPECT_GT(refused, calls.size() / 3);
  open();
}

TEST(Upload, doesNotBeginWhereTheRestWillNotFit) {
  const FaultyDriver &faulty = useSoftwareGPU();
  faulty.failCall(0, 0);
  long before = faulty.alive();
  SessionOptions large = options();
  large.slots = 2000;
  large.context = 2000;
  large.uploading = [](int64_t, int64_t) { ADD_FAILURE(); };
  std::string text = refusal([&] { Session session(openOnGPU(), large); });
  EXPECT_TRUE(std::regex_match(
      text,
      std::regex("1: cannot allocate [0-9]{10} bytes of GPU memory for the "
                 "weights \\([0-9]+ bytes\\) and the state of 2000 "
                 "sequence\\(s\\) with [0-9]+ entries each, and for steps of "
                 "2000 rows; lower the context or the prefill chunk, compile "
                 "with smaller --weights, or use --device cpu: [0-9]+ of "
                 "134217728 are free")))
      << text;
  EXPECT_EQ(faulty.alive(), before);
}

TEST(Upload, isToldAndCanBeStopped) {
  const FaultyDriver &faulty = useSoftwareGPU();
  faulty.failCall(0, 0);
  long before = faulty.alive();
  auto model = openOnGPU();
  SessionOptions stopping = options();
  stopping.uploading = [](int64_t, int64_t) {
    throw Error(Status::interrupted, "stopped");
  };
  EXPECT_EQ(refusal([&] { Session session(model, stopping); }), "130: stopped");
  EXPECT_EQ(faulty.alive(), before);

  int64_t all = 0, last = 0;
  SessionOptions told = options();
  told.uploading = [&](int64_t done, int64_t of) {
    last = done;
    all = of;
  };
  Session session(model, told);
  EXPECT_GT(all, 0);
  EXPECT_EQ(last, all);
  all = 0;
  Session other(model, told); // for which the weights are there
  EXPECT_EQ(all, 0);
}

} // namespace
