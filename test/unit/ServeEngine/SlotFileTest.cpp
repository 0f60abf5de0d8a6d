// Slots as files: what was saved comes back, and nothing outside of the folder
// is reached.
#include "server/Engine/SlotFile.h"
#include "../Support/TemporaryFolder.h"
#include "EngineHarness.h"
#include "runtime/Error.h"
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::serve;

namespace {

std::string readAll(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(SlotRecord, comesBackAsItWas) {
  for (size_t tokens : {0, 1, 50}) {
    SlotRecord record;
    record.tokens = randomPrompt(tokens, tokens);
    record.isolation = "someone";
    record.state = std::string("state\0bytes", 11);
    SlotRecord back = SlotRecord::decode(record.encode(), "it");
    EXPECT_EQ(back.tokens, record.tokens);
    EXPECT_EQ(back.isolation, record.isolation);
    EXPECT_EQ(back.state, record.state);
  }
}

TEST(SlotRecord, whatIsDamagedIsRefused) {
  SlotRecord record;
  record.tokens = randomPrompt(1, 20);
  record.isolation = "someone";
  record.state = "state";
  std::string sound = record.encode();
  for (size_t size = 0; size < sound.size(); ++size) {
    EXPECT_THROW(SlotRecord::decode(sound.substr(0, size), "it"), DamagedFile);
  }
  // the state has a checksum of its own
  for (size_t at = 0; at + record.state.size() < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] ^= 0x40;
    EXPECT_THROW(SlotRecord::decode(damaged, "it"), DamagedFile) << at;
  }
}

TEST(SlotFolder, takesBareNamesOnly) {
  for (const char *name :
       {"", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "a\nb"}) {
    EXPECT_NE(SlotFolder::faultOf(name), "") << name;
  }
  EXPECT_NE(SlotFolder::faultOf(std::string(256, 'a')), "");
  EXPECT_NE(SlotFolder::faultOf(std::string("a\0b", 3)), "");
  EXPECT_EQ(SlotFolder::faultOf("chat 1.bin"), "");
}

/// The status that a client is told; 0: `act` throws nothing of that kind.
int refusalOf(const std::function<void()> &act) {
  try {
    act();
  } catch (const SlotFileRefused &error) {
    return error.httpStatus;
  }
  return 0;
}

TEST(SlotFolder, takesRegularFilesAloneAndFollowsNoLinks) {
  TemporaryFolder outside, inside;
  std::ofstream(outside.path / "secret") << "secret";
  SlotFolder folder(inside.path);
  std::filesystem::create_symlink(outside.path / "secret",
                                  inside.path / "link");
  ASSERT_EQ(mkfifo((inside.path / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(inside.path / "folder");
  std::filesystem::create_symlink(outside.path / "gone",
                                  inside.path / "dangling");
  std::filesystem::create_symlink("dangling", inside.path / "twice");
  int listens = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::string place = inside.path / "socket";
  ASSERT_LT(place.size(), sizeof(address.sun_path));
  place.copy(address.sun_path, place.size());
  ASSERT_EQ(
      bind(listens, reinterpret_cast<sockaddr *>(&address), sizeof(address)),
      0);
  for (const char *name :
       {"link", "dangling", "twice", "pipe", "folder", "socket"}) {
    EXPECT_EQ(refusalOf([&] { folder.read(name); }), 400) << name;
    EXPECT_EQ(refusalOf([&] { folder.write(name, "state"); }), 400) << name;
  }
  close(listens);
  EXPECT_EQ(refusalOf([&] { folder.read("nothing"); }), 404);
  EXPECT_EQ(readAll(outside.path / "secret"), "secret");
  EXPECT_FALSE(std::filesystem::exists(outside.path / "gone"));
  EXPECT_THROW(SlotFolder((inside.path / "link").string()), FileUnusable);
}

TEST(SlotFolder, hasLimitsOfFilesAndBytes) {
  TemporaryFolder inside;
  SlotFolder folder(inside.path, {2, 1000});
  folder.write("one", std::string(600, 'x'));
  EXPECT_EQ(refusalOf([&] { folder.write("two", std::string(401, 'x')); }),
            507);
  folder.write("two", std::string(400, 'x'));
  EXPECT_EQ(refusalOf([&] { folder.write("three", "x"); }), 507);
  folder.write("one", std::string(500, 'x')); // in place of the old one
  EXPECT_EQ(refusalOf([&] { folder.write("one", std::string(601, 'x')); }),
            507);
  EXPECT_EQ(folder.read("one").size(), 500u);
  EXPECT_EQ(refusalOf([&] { folder.read("one", 499); }), 400);
}

TEST(SlotFolder, aNameThatIsThereIsSavedAgainWhereMoreFilesAreThanMayBe) {
  TemporaryFolder inside;
  SlotFolder folder(inside.path, {1, 1000});
  folder.write("one", "old");
  std::ofstream(inside.path / "of another") << "x";
  folder.write("one", "new");
  EXPECT_EQ(folder.read("one"), "new");
  EXPECT_EQ(refusalOf([&] { folder.write("two", "x"); }), 507);
}

TEST(SlotFolder, removesWhatAServerThatWasKilledLeftHalfWritten) {
  TemporaryFolder inside;
  std::filesystem::path stale = inside.path / ".cheems-12345.tmp",
                        locked = inside.path / ".cheems-67890.tmp",
                        other = inside.path / ".cheems.tmp";
  for (const auto &path : {stale, locked, other, inside.path / "kept"}) {
    std::ofstream(path) << "text";
  }
  int writer = open(locked.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(flock(writer, LOCK_EX), 0);
  SlotFolder folder(inside.path);
  EXPECT_FALSE(std::filesystem::exists(stale));
  for (const auto &path : {locked, other, inside.path / "kept"}) {
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  }
  close(writer);
}

TEST(SlotFolder, aFileThatCannotGrowLeavesNothingBehind) {
  TemporaryFolder inside;
  SlotFolder folder(inside.path);
  folder.write("kept", "old");
  rlimit before, small = {64, 0};
  getrlimit(RLIMIT_FSIZE, &before);
  small.rlim_max = before.rlim_max;
  auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(folder.write("kept", std::string(1000, 'x')), FileUnusable);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(folder.read("kept"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(inside.path),
                          std::filesystem::directory_iterator()),
            1);
}

struct EngineSlots : testing::TestWithParam<Kind> {
  using Action = std::function<void(GenerationEngine::SlotDone)>;
  static std::future<SlotActionResult> begin(const Action &action) {
    auto result = std::make_shared<std::promise<SlotActionResult>>();
    action([=](SlotActionResult told) { result->set_value(told); });
    return result->get_future();
  }
  static SlotActionResult wait(const Action &action) {
    return begin(action).get();
  }
  std::unique_ptr<GenerationEngine> make(int64_t slots) {
    EngineOptions options = engineOptions(slots);
    options.slotFolder = folder.path;
    options.cacheBytes = 0;
    return makeEngine(text, options);
  }
  SlotActionResult save(GenerationEngine &engine, int64_t slot,
                        const std::string &name) {
    return wait([&](auto done) { engine.saveSlot(slot, name, done); });
  }
  SlotActionResult restore(GenerationEngine &engine, int64_t slot,
                           const std::string &name) {
    return wait([&](auto done) { engine.restoreSlot(slot, name, done); });
  }

  TemporaryFolder folder;
  std::shared_ptr<TextModel> text = textModel(GetParam());
};

TEST_P(EngineSlots, aSavedSlotGoesOnInAnotherEngine) {
  GenerationRequest first = request(randomPrompt(1, 50), 10);
  first.ignoreEos = true;
  std::vector<int32_t> answer;
  {
    auto engine = make(1);
    answer = ask(*engine, first)->choices[0].tokens;
    SlotActionResult saved = save(*engine, 0, "it");
    EXPECT_EQ(saved.error, "");
    EXPECT_EQ(saved.tokens, 59);
    EXPECT_EQ(saved.bytes, static_cast<int64_t>(
                               std::filesystem::file_size(folder.path / "it")));
  }
  auto engine = make(3);
  SlotActionResult restored = restore(*engine, 2, "it");
  EXPECT_EQ(restored.error, "");
  EXPECT_EQ(restored.tokens, 59);
  GenerationRequest next = first;
  next.prompt.insert(next.prompt.end(), answer.begin(), answer.end());
  auto heard = ask(*engine, next);
  EXPECT_EQ(heard->slot, 2);
  EXPECT_EQ(heard->cached, 59);
  EXPECT_EQ(heard->choices[0].tokens, alone(*text, next));
  EXPECT_EQ(wait([&](auto done) { engine->eraseSlot(2, done); }).error, "");
  EXPECT_EQ(ask(*engine, next)->cached, 0);
}

TEST_P(EngineSlots, whatCannotBeDoneIsSaid) {
  auto engine = make(1);
  GenerationRequest first = request(randomPrompt(1, 50), 10);
  ask(*engine, first);
  EXPECT_EQ(save(*engine, 0, "../it").httpStatus, 400);
  EXPECT_EQ(save(*engine, 7, "it").httpStatus, 400);
  EXPECT_EQ(restore(*engine, 0, "it").httpStatus, 404);
  EXPECT_EQ(save(*engine, 0, "it").error, "");
  std::string bytes = readAll(folder.path / "it");
  for (size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] ^= 0x10;
    std::ofstream(folder.path / "bad", std::ios::binary) << damaged;
    EXPECT_EQ(restore(*engine, 0, "bad").httpStatus, 400) << at;
  }
  first.prompt.push_back(3); // the slot is what it was
  EXPECT_EQ(ask(*engine, first)->choices[0].tokens, alone(*text, first));

  EngineOptions options = engineOptions(1);
  engine = makeEngine(text, options);
  EXPECT_EQ(save(*engine, 0, "it").httpStatus, 501);
  EXPECT_EQ(restore(*engine, 0, "it").httpStatus, 501);
}

TEST_P(EngineSlots, noMoreAreUnderWayThanThereAreSlots) {
  auto engine = make(2);
  ask(*engine, request(randomPrompt(1, 50), 5));
  std::promise<void> told, release;
  engine->saveSlot(0, "first", [&](const SlotActionResult &) {
    told.set_value(); // on the thread that writes, which now waits
    release.get_future().wait();
  });
  told.get_future().wait();
  std::vector<std::future<SlotActionResult>> results;
  for (int i = 0; i < 2; ++i) {
    results.push_back(
        begin([&](auto done) { engine->saveSlot(0, "more", done); }));
    results.push_back(
        begin([&](auto done) { engine->restoreSlot(1, "first", done); }));
  }
  for (size_t i : {2, 3}) { // do not wait for the others
    EXPECT_EQ(results[i].wait_for(std::chrono::seconds(10)),
              std::future_status::ready);
  }
  release.set_value();
  for (size_t i = 0; i < results.size(); ++i) {
    SlotActionResult result = results[i].get();
    EXPECT_EQ(result.httpStatus, i < 2 ? 200 : 429) << result.error;
    EXPECT_EQ(result.error.empty(), i < 2);
  }
  EXPECT_EQ(restore(*engine, 1, "missing").httpStatus, 404);
  EXPECT_EQ(save(*engine, 7, "more").httpStatus, 400);
  for (int i = 0; i < 3; ++i) { // those that failed are over, too
    EXPECT_EQ(save(*engine, 0, "more").error, "");
  }
}

TEST_P(EngineSlots, aBusySlotIsLeftAlone) {
  auto engine = make(1);
  GenerationRequest longOne = request({0, 4}, std::nullopt);
  longOne.ignoreEos = true;
  auto heard = std::make_shared<Listener>();
  std::promise<int> status;
  bool asked = false;
  heard->onPiece = [&] { // on the engine's thread: the slot is busy
    if (!asked) {
      engine->eraseSlot(0, [&](const SlotActionResult &result) {
        status.set_value(result.httpStatus);
      });
    }
    asked = true;
  };
  engine->submit(longOne, heard);
  EXPECT_EQ(status.get_future().get(), 409);
  heard->wait();
  EXPECT_EQ(heard->choices[0].tokens, alone(*text, longOne));
}

INSTANTIATE_TEST_SUITE_P(States, EngineSlots,
                         testing::Values(Kind::entries, Kind::hybrid,
                                         Kind::window),
                         [](const auto &info) { return nameOf(info.param); });

} // namespace
