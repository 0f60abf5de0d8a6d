// State files: what was saved comes back, and everything that does not fit is
// refused by name before anything is changed.
#include "runtime/State/StateFile.h"
#include "../Artifact/FakeArtifact.h"
#include "RandomPools.h"
#include "runtime/Session/Session.h"
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xxhash.h>

/// Told of each read of a file at an offset, before it is done.
static std::function<void(off_t offset)> beforeRead;

extern "C" ssize_t pread(int descriptor, void *bytes, size_t size,
                         off_t offset) {
  if (beforeRead) {
    beforeRead(offset);
  }
  return syscall(SYS_pread64, descriptor, bytes, size, offset);
}

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

uint64_t sum(const std::string &bytes, size_t size) {
  return XXH3_64bits(bytes.data(), size);
}

/// Right checksums for whatever the file says.
std::string sealed(std::string bytes) {
  uint64_t header = sum(bytes, offsetof(StateFileHeader, headerChecksum));
  bytes.replace(offsetof(StateFileHeader, headerChecksum), sizeof(header),
                reinterpret_cast<const char *>(&header), sizeof(header));
  uint64_t all = sum(bytes, bytes.size() - sizeof(all));
  return bytes.replace(bytes.size() - sizeof(all), sizeof(all),
                       reinterpret_cast<const char *>(&all), sizeof(all));
}

class StateFileTest : public testing::Test {
protected:
  static constexpr int64_t slots = 2, capacity = 9;
  TemporaryFile place{""};
  std::string path = place.path();
  Metadata data = everyKind();
  StateIdentity identity{1, 2, 3, "f32"};
  HostPools pools{data, slots, capacity};

  void SetUp() override {
    fill(pools, slots, 1);
    save(5, "tokens");
  }
  void save(int32_t position, const std::string &application) {
    writeStateFile(path, {identity, pools, 1, position,
                          data.usedEntries(position), application});
  }
  /// Loads into slot 0 and returns the application's bytes.
  std::string load(StatePools &to) {
    StateFile file(path, identity, data);
    file.check(to);
    std::string application = file.application();
    file.read(to, 0, application);
    return application;
  }
  /// The file as it is, with another second count and right checksums.
  std::string counting(int32_t lie) {
    std::string bytes = read(path);
    size_t counts = bytes.size() - 8 - 6 - 4 * sizeof(int32_t);
    std::memcpy(bytes.data() + counts + 4, &lie, sizeof(lie));
    return sealed(bytes);
  }
  /// Why the file as it is now is refused; "" when it is not.
  std::string refusal() {
    std::string before = used(pools, 0, capacity), message;
    try {
      StateFile file(path, identity, data);
      file.check(pools);
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::failed);
      message = error.what();
      EXPECT_THAT(message, StartsWith(path + ": "));
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
    EXPECT_EQ(used(pools, 0, capacity), before);
    return message.empty() ? "" : message.substr(path.size() + 2);
  }
  /// The same for a file whose header was edited, with right checksums.
  template <typename Edit> std::string edited(const Edit &edit) {
    std::string good = read(path), bytes = good;
    StateFileHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    edit(header);
    std::memcpy(bytes.data(), &header, sizeof(header));
    write(path, sealed(bytes));
    std::string message = refusal();
    write(path, good);
    return message;
  }
};

TEST_F(StateFileTest, whatWasSavedComesBack) {
  for (int32_t position : {0, 1, 5, 9}) {
    for (std::string application : {"", "a", "some\0bytes"}) {
      save(position, application);
      int64_t entries = data.usedEntries(position);
      int64_t state = position == 0 ? 0 : pools.usedBytes(entries);
      EXPECT_EQ(read(path).size(),
                sizeof(StateFileHeader) + state + application.size() + 8);
      HostPools other(data, 1, capacity + 4);
      fill(other, 1, 2);
      EXPECT_EQ(load(other), application);
      EXPECT_EQ(StateFile(path, identity, data).position(), position);
      if (position != 0) { // else what lies there is an earlier sequence's
        EXPECT_EQ(used(other, 0, entries), used(pools, 1, entries));
      }
    }
  }
}

TEST_F(StateFileTest, statesLargerThanABufferComeBack) {
  data.state[0].extents[3] = 100'000;
  HostPools large(data, 1, capacity), other(data, 1, capacity);
  fill(large, 1, 3);
  std::string application(3 << 20, 'a');
  writeStateFile(path, {identity, large, 0, 7, 7, application});
  EXPECT_EQ(load(other), application);
  EXPECT_TRUE(used(large, 0, 7) == used(other, 0, 7));
}

TEST_F(StateFileTest, aWindowKeepsNoMoreThanItsEntries) {
  data.keepWindow = 4;
  save(1000, "");
  HostPools other(data, 1, 4);
  load(other);
  EXPECT_EQ(used(other, 0, 4), used(pools, 1, 4));
  EXPECT_THAT(edited([](StateFileHeader &header) { header.entries = 5; }),
              HasSubstr("contradict"));
}

TEST_F(StateFileTest, otherModelsAreNamed) {
  StateIdentity own = identity;
  auto with = [&](StateIdentity other) {
    identity = other;
    std::string message = refusal();
    identity = own;
    return message;
  };
  EXPECT_EQ(refusal(), "");
  std::string advice = "; load it with the model that saved it";
  EXPECT_EQ(with({9, 2, 3, "f32"}),
            "saved by a model with another configuration" + advice);
  EXPECT_EQ(with({1, 9, 3, "f32"}),
            "saved by a model with another state layout" + advice);
  EXPECT_EQ(with({1, 2, 9, "f32"}),
            "saved by a model with other weights" + advice);
  EXPECT_EQ(with({1, 2, 9, "bf16"}), "saved by a model with weight format f32, "
                                     "this model has bf16" +
                                         advice);
}

TEST_F(StateFileTest, otherStateLayoutsAreNamed) {
  identity.layoutVersion = 4;
  EXPECT_EQ(refusal(),
            "saved with state layout 1, this model has 4; save it again");
  save(5, "tokens");
  EXPECT_EQ(refusal(), "");
}

TEST_F(StateFileTest, filesThatDoNotTellTheirStateLayoutAreRefused) {
  EXPECT_EQ(edited([](StateFileHeader &header) {
              header.version = 1;
              header.layoutVersion = 0;
            }),
            "format version 1 with state layout 1, but this runtime reads "
            "version 2; save it again");
}

TEST(StateIdentity, theStateLayoutVersionIsPartOfTheLayout) {
  auto identityOf = [](int64_t version) {
    FakeArtifact artifact;
    artifact.metadata["state_layout"] = version;
    TemporaryFile file(artifact.bytes());
    return StateIdentity::of(*Model::open(file.path()));
  };
  StateIdentity one = identityOf(3), other = identityOf(4);
  EXPECT_EQ(one.layoutVersion, 3u);
  EXPECT_EQ(one.layout, identityOf(3).layout);
  EXPECT_NE(one.layout, other.layout);
}

TEST_F(StateFileTest, foreignFilesAreSaidToBe) {
  for (std::string bytes :
       {std::string(), std::string("x"), std::string(1000, '\0'),
        std::string("CHEEMS\r\n") + std::string(300, 'a')}) {
    write(path, bytes);
    EXPECT_THAT(refusal(), StartsWith("not a cheems state file"));
  }
  EXPECT_THROW(StateFile("/no/such/file", identity, data), Error);
  std::string folder = std::filesystem::path(path).parent_path();
  EXPECT_THROW(StateFile(folder, identity, data), Error);
}

TEST_F(StateFileTest, aFileCutAnywhereIsRefused) {
  std::string good = read(path);
  for (size_t size = 1; size < good.size(); ++size) {
    write(path, good.substr(0, size));
    EXPECT_THAT(refusal(), StartsWith("truncated")) << size;
  }
  write(path, good + "x");
  EXPECT_THAT(refusal(), StartsWith("corrupted"));
}

TEST_F(StateFileTest, aDamagedByteAnywhereIsNoticed) {
  std::string good = read(path);
  for (size_t place = 0; place < good.size(); ++place) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 0x10);
    write(path, bad);
    EXPECT_THAT(refusal(),
                StartsWith(place < 8 ? "not a cheems state" : "corrupted"))
        << place;
  }
}

TEST_F(StateFileTest, lyingHeadersAreRefused) {
  using Header = StateFileHeader;
  EXPECT_EQ(edited([](Header &) {}), "");
  EXPECT_THAT(edited([](Header &header) { header.version = 3; }),
              StartsWith("format version 3, but"));
  EXPECT_THAT(edited([](Header &header) { header.partial = 2; }),
              HasSubstr("header"));
  for (uint64_t lie : {uint64_t(0), uint64_t(6), uint64_t(INT32_MAX) + 1,
                       uint64_t(1) << 63, UINT64_MAX, UINT64_MAX - 200}) {
    EXPECT_THAT(edited([&](Header &header) { header.position = lie; }),
                HasSubstr("contradict"));
    EXPECT_THAT(edited([&](Header &header) { header.entries = lie; }),
                HasSubstr("contradict"));
    EXPECT_THAT(edited([&](Header &header) { header.stateBytes = lie; }),
                HasSubstr("contradict"));
    EXPECT_NE(edited([&](Header &header) { header.fileSize = lie; }), "");
    if (lie != 6) { // the truth
      EXPECT_THAT(
          edited([&](Header &header) { header.applicationBytes = lie; }),
          HasSubstr("contradict"));
    }
  }
  EXPECT_THAT(edited([](Header &header) {
                header.stateBytes += 2; // taken from the application
                header.applicationBytes -= 2;
              }),
              HasSubstr("not as long as the model's"));
  EXPECT_THAT(
      edited([](Header &header) { header.position = header.entries = 4; }),
      HasSubstr("not as long as the model's"));
  EXPECT_THAT(edited([](Header &header) {
                header.position = header.entries = INT32_MAX;
              }),
              HasSubstr("not as long as the model's"));
}

TEST_F(StateFileTest, impossibleCountsAreRefused) {
  for (int32_t lie : {-1, 6, INT32_MAX, INT32_MIN}) {
    std::string good = read(path);
    write(path, counting(lie));
    EXPECT_THAT(refusal(), HasSubstr("counts more entries")) << lie;
    write(path, good);
  }
}

TEST_F(StateFileTest, aNamedPipeIsRefusedAndNotWaitedFor) {
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  alarm(20); // ends a test that waits for a writer
  EXPECT_EQ(refusal(), "not a cheems state file (not a regular file)");
  alarm(0);
}

TEST_F(StateFileTest, whatChangesAfterTheCheckIsCheckedAgain) {
  std::string good = read(path), damaged = good;
  damaged[sizeof(StateFileHeader) + 3] ^= 1;
  for (const std::string &later : {damaged, counting(INT32_MAX), counting(-1),
                                   good.substr(0, good.size() - 30)}) {
    write(path, good);
    StateFile file(path, identity, data);
    file.check(pools);
    std::string application = file.application();
    write(path, later);
    EXPECT_THROW(file.read(pools, 0, application), Error);
  }
  write(path, good);
  StateFile file(path, identity, data);
  file.check(pools);
  EXPECT_THROW(file.read(pools, 0, "others"), Error);
}

TEST_F(StateFileTest, aSlotWhoseFileChangedWhileItWasLoadedIsEmpty) {
  FakeArtifact artifact;
  artifact.metadata["state"].push_back({{"name", "counts"},
                                        {"role", "counts"},
                                        {"type", "i32"},
                                        {"shape", {"slots", 1, 4}}});
  TemporaryFile modelFile(artifact.bytes());
  SessionOptions options;
  options.threads = 1;
  Session session(Model::open(modelFile.path()), options);
  std::vector<float> fresh(fakeVocabulary), logits(fakeVocabulary);
  session.decode(0, 7, fresh.data());
  session.decode(0, 8, logits.data());
  session.save(0, path, "tokens");
  int reads = 0;
  beforeRead = [&](off_t offset) {
    if (offset == sizeof(StateFileHeader) && ++reads == 2) { // 1: the check
      write(path, counting(INT32_MAX));
    }
  };
  EXPECT_THROW(session.load(0, path), Error);
  beforeRead = nullptr;
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(session.position(0), 0);
  session.decode(0, 7, logits.data());
  EXPECT_EQ(logits, fresh);
}

TEST_F(StateFileTest, aFailedWriteLeavesTheOldFile) {
  std::string good = read(path);
  StateIdentity other = identity;
  EXPECT_THROW(writeStateFile("/no/such/folder/x", {other, pools, 0, 1, 1, {}}),
               Error);
  EXPECT_EQ(read(path), good);
}

TEST_F(StateFileTest, aFileWhoseLayoutToldTheBlockIsRead) {
  identity.layout = 5;
  EXPECT_THAT(refusal(), HasSubstr("another state layout"));
  identity.layoutWithBlock = 2; // which is what the file says
  EXPECT_EQ(refusal(), "");
}

TEST_F(StateFileTest, aFileThatToldTheWeightsAsTheyWereStoredIsRead) {
  identity.weights = 5;
  EXPECT_THAT(refusal(), HasSubstr("other weights"));
  identity.storedWeights = 3; // which is what the file says
  EXPECT_EQ(refusal(), "");
}

TEST(StateIdentity, weightsAreTheCheckpointsHoweverTheyAreStored) {
  auto identityOf = [](const char *checkpoint, float weight) {
    FakeArtifact artifact;
    if (checkpoint) {
      artifact.metadata["checkpoint"] = checkpoint;
    }
    artifact.weights[0] = weight;
    TemporaryFile file(artifact.bytes());
    return StateIdentity::of(*Model::open(file.path()));
  };
  StateIdentity one = identityOf("00000000000000ff", 1),
                other = identityOf("00000000000000ff", 2),
                none = identityOf(nullptr, 1);
  EXPECT_EQ(one.weights, 255u);
  EXPECT_EQ(other.weights, 255u);
  EXPECT_NE(one.storedWeights, other.storedWeights);
  EXPECT_EQ(none.weights, one.storedWeights);
}

} // namespace
