// A call that fails amid a step leaves every slot as it was, and the step can
// be done again with the same bits; amid the load of a state it may leave the
// slot empty.
#include "CompiledModel.h"
#include "runtime/Session/Session.h"
#include "test/unit/Support/TemporaryFolder.h"
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;

namespace {

using Numbers = std::vector<float>;

/// What a session does; what comes of it is compared bit for bit.
struct Operation {
  const char *name;
  std::function<Numbers(Session &)> run;
  bool fills = false;  ///< slot 0, which is empty where it fails
  bool fresh = false;  ///< of a session that has done nothing yet
  bool second = false; ///< or that has decoded once
};

Numbers stepOf(Session &session, const std::vector<int32_t> &lengths) {
  std::vector<cheems_segment> segments;
  std::vector<int32_t> tokens, rows;
  for (size_t slot = 0; slot < lengths.size(); ++slot) {
    cheems_segment segment = {};
    segment.slot = static_cast<int32_t>(slot);
    segment.start = static_cast<int32_t>(tokens.size());
    segment.length = lengths[slot];
    segment.position =
        static_cast<int32_t>(session.position(static_cast<int64_t>(slot)));
    segments.push_back(segment);
    for (int32_t i = 0; i < lengths[slot]; ++i) {
      tokens.push_back(3 + static_cast<int32_t>(tokens.size()));
    }
    rows.push_back(static_cast<int32_t>(tokens.size()) - 1);
  }
  Numbers logits(rows.size() * static_cast<size_t>(session.vocabulary()));
  session.step({tokens, segments, rows}, logits.data());
  return logits;
}

/// The bytes of a slot's state.
Numbers stateOf(const Session &session, int64_t slot) {
  Snapshot snapshot = session.snapshot(slot);
  Numbers numbers = {static_cast<float>(snapshot.position)};
  for (char byte : snapshot.state.bytes) {
    numbers.push_back(static_cast<float>(byte));
  }
  return numbers;
}

class SessionFault : public testing::Test {
protected:
  void SetUp() override {
    useSoftwareGPU();
    model = openWithMaps();
    start();
    const int32_t tokens[] = {7, 8, 9, 10, 11};
    session->prefill(0, tokens, nullptr);
    session->prefill(1, {tokens, 3}, nullptr);
    first = session->snapshot(0);
    second = session->snapshot(1);
    session->save(1, file);
  }
  void start() {
    SessionOptions options;
    options.slots = 2;
    options.context = 64;
    options.prefillChunk = 8;
    session.emplace(model, options);
  }
  /// Both slots as they were at the beginning.
  void prepare(const Operation &operation) {
    faulty.failCall(0, 0);
    if (operation.fresh) {
      start();
    }
    if (operation.second) {
      stepOf(*session, {1});
    }
    session->restore(0, first);
    session->restore(1, second);
  }
  /// What it gives, and what slot 0 holds where it fills that.
  Numbers run(const Operation &operation) {
    Numbers found = operation.run(*session);
    calls = faulty.calls();
    faulty.failCall(0, 0);
    return operation.fills ? stateOf(*session, 0) : found;
  }
  void check(const Operation &operation) {
    SCOPED_TRACE(operation.name);
    prepare(operation);
    faulty.failCall(0, 0);
    Numbers wanted = run(operation);
    const long all = calls;
    ASSERT_GT(all, 0);
    for (long call = 1; call <= all; ++call) {
      prepare(operation);
      long before = faulty.alive();
      faulty.failCall(call, cuda::CUDA_ERROR_LAUNCH_FAILED);
      Numbers found;
      std::string text = refusal([&] { found = run(operation); });
      faulty.failCall(0, 0);
      SCOPED_TRACE("call " + std::to_string(call) + ": " + text);
      EXPECT_EQ(text.find('\n'), std::string::npos);
      if (text == "nothing was refused") { // it was not needed
        EXPECT_EQ(found, wanted);
        continue;
      }
      if (!operation.fresh) { // which may keep the graph of a step
        EXPECT_EQ(faulty.alive(), before);
      }
      EXPECT_EQ(session->position(1), second.position);
      EXPECT_EQ(session->position(0), operation.fills ? 0 : first.position);
      EXPECT_EQ(run(operation), wanted);
    }
  }

  const FaultyDriver &faulty = useSoftwareGPU();
  TemporaryFolder folder;
  std::string file = (folder.path / "state").string();
  std::shared_ptr<const Model> model;
  std::optional<Session> session;
  Snapshot first, second;
  long calls = 0; ///< of the last operation
};

TEST_F(SessionFault, leavesStepsToBeDoneAgain) {
  check({"one chunk", [](Session &to) { return stepOf(to, {3}); }});
  check({"two sequences", [](Session &to) { return stepOf(to, {4, 1}); }});
  check({"decoding", [](Session &to) { return stepOf(to, {1, 1}); }});
  check({"decoding, for the first time",
         [](Session &to) { return stepOf(to, {1}); }, false, true});
  check({"decoding, where it becomes a graph",
         [](Session &to) { return stepOf(to, {1}); }, false, true, true});
}

TEST_F(SessionFault, leavesWholeChunksOfAPrompt) {
  const std::vector<int32_t> prompt = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  Numbers wanted(static_cast<size_t>(session->vocabulary())), found = wanted;
  Operation operation = {"", nullptr};
  prepare(operation);
  faulty.failCall(0, 0);
  session->prefill(0, prompt, wanted.data());
  const long all = faulty.calls();
  for (long call = 1; call <= all; ++call) {
    prepare(operation);
    faulty.failCall(call, cuda::CUDA_ERROR_LAUNCH_FAILED);
    std::string text =
        refusal([&] { session->prefill(0, prompt, found.data()); });
    faulty.failCall(0, 0);
    int64_t fed = session->position(0) - first.position;
    if (text != "nothing was refused") {
      EXPECT_TRUE(fed == 0 || fed == 8) << call << ": " << fed;
      session->prefill(0, Span<const int32_t>(prompt).from(fed), found.data());
    }
    EXPECT_EQ(found, wanted) << call << ": " << text;
  }
}

TEST_F(SessionFault, leavesStatesOrAnEmptySlot) {
  check({"a copy to the host", [](Session &of) { return stateOf(of, 0); }});
  check({"a copy from the host",
         [&](Session &to) {
           to.restore(0, second);
           return Numbers();
         },
         true});
  check({"a copy of a slot",
         [&](Session &to) {
           to.copy(1, 0);
           return Numbers();
         },
         true});
  check({"a file written", [&](Session &of) {
           of.save(0, (folder.path / "other").string());
           return Numbers();
         }});
  check({"a file read",
         [&](Session &to) {
           to.load(0, file);
           return Numbers();
         },
         true});
}

TEST_F(SessionFault, aForkedChildCanDestroyASessionAndNothingElse) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60); // ends a child that waits for threads of its parent
    int refused = 0;
    const std::vector<std::function<void()>> acts = {
        [&] { stepOf(*session, {1}); }, [&] { stateOf(*session, 0); },
        [&] { session->copy(0, 1); },
        [&] { session->save(0, (folder.path / "other").string()); },
        [&] { session->load(0, file); }};
    for (const std::function<void()> &act : acts) {
      refused += refusal(act).rfind("2: ", 0) == 0;
    }
    session.reset();
    model.reset();
    _exit(refused == 5 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(session->load(0, file), ""); // here all is as before
  stepOf(*session, {1});
}

} // namespace
