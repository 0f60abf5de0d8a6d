// State on a GPU is what it is on the host: copies and files of one are those
// of the other.
#include "runtime/State/DevicePools.h"
#include "../State/RandomPools.h"
#include "../Support/TemporaryFolder.h"
#include "SoftwareGPU.h"
#include "runtime/State/StateFile.h"
#include <fstream>
#include <iterator>
#include <regex>

using namespace cheems;
using namespace cheems::test;

namespace {

/// Every kind; of the keys many runs, some of which begin in one buffer and end
/// in the next, of the values runs that are longer than a buffer, and between
/// them numbers of a single byte.
Metadata awkward() {
  constexpr int64_t capacity = StateKind::capacityExtent;
  Metadata data = everyKind();
  data.state[0].extents = {3, 37, capacity, 911};
  data.state.insert(
      data.state.begin() + 1,
      {{"codes", PoolRole::keys, "i8", 1, {1, 1, capacity, 3}},
       {"values", PoolRole::values, "bf16", 2, {2, 1, capacity, 60013}}});
  return data;
}

std::shared_ptr<const cuda::Context> gpu() {
  return std::make_shared<cuda::Context>(0);
}

TEST(DevicePools, areZeroAndOfTheSizesOfTheHosts) {
  useSoftwareGPU();
  Metadata data = awkward();
  DevicePools pools(gpu(), data, 2, 8);
  HostPools host(data, 2, 8);
  EXPECT_EQ(pools.bytes(), host.bytes());
  EXPECT_EQ(pools.addresses().size(), data.state.size());
  for (int64_t entries : {0, 3, 8}) {
    EXPECT_EQ(pools.usedBytes(entries), host.usedBytes(entries));
    EXPECT_TRUE(used(pools, 1, entries) == used(host, 1, entries));
  }
  data.state.clear();
  DevicePools none(gpu(), data, 1, 8);
  EXPECT_EQ(used(none, 0, 8), "");
}

TEST(DevicePools, entriesThatNobodyDropsHaveTheirOwnPosition) {
  useSoftwareGPU();
  Metadata data = awkward();
  data.state.push_back({"positions",
                        PoolRole::positions,
                        "i32",
                        4,
                        {2, 3, StateKind::capacityExtent}});
  constexpr int64_t capacity = 11;
  DevicePools pools(gpu(), data, 4, capacity);
  std::vector<int32_t> wanted;
  for (int head = 0; head < 6; ++head) {
    for (int32_t entry = 0; entry < capacity; ++entry) {
      wanted.push_back(entry);
    }
  }
  size_t bytes = wanted.size() * sizeof(int32_t);
  for (int64_t slot = 0; slot < 4; ++slot) {
    std::string whole = used(pools, slot, capacity);
    EXPECT_EQ(
        std::memcmp(whole.data() + whole.size() - bytes, wanted.data(), bytes),
        0)
        << "slot " << slot;
    EXPECT_EQ(whole.find_first_not_of('\0'), whole.size() - bytes + 4);
  }
}

TEST(DevicePools, copiesTakeUsedEntriesToTheHostAndBack) {
  useSoftwareGPU();
  Metadata data = awkward();
  DevicePools pools(gpu(), data, 3, 8), larger(gpu(), data, 1, 11);
  HostPools host(data, 2, 9);
  fill(pools, 3, 1);
  fill(host, 2, 2);
  SlotCopy copy;
  pools.save(1, 5, copy);
  std::string want = used(pools, 1, 5), neighbour = used(pools, 0, 8);
  EXPECT_TRUE(std::string(copy.bytes.begin(), copy.bytes.end()) == want);

  std::string other = used(host, 1, 9);
  host.restore(0, copy);
  EXPECT_TRUE(used(host, 0, 5) == want);
  EXPECT_TRUE(used(host, 1, 9) == other);
  SlotCopy back;
  host.save(0, 5, back);
  pools.restore(2, back);
  EXPECT_TRUE(used(pools, 2, 5) == want);
  EXPECT_TRUE(used(pools, 0, 8) == neighbour);
  larger.restore(0, back); // of another capacity
  EXPECT_TRUE(used(larger, 0, 5) == want);
  pools.copy(2, 0, 5);
  EXPECT_TRUE(used(pools, 0, 5) == want);
  pools.copy(0, 0, 8);
  EXPECT_TRUE(used(pools, 0, 5) == want);
  // What lies after the entries is left as it was.
  EXPECT_TRUE(used(pools, 0, 8) != neighbour);
  pools.restore(0, copy);
  EXPECT_TRUE(used(pools, 1, 5) == want);
  copy.bytes.pop_back();
  EXPECT_EQ(refusal([&] { pools.restore(0, copy); }),
            "2: the saved state is of another model or does not fit");
}

TEST(DevicePools, aStateFileOfEitherIsThatOfTheOther) {
  useSoftwareGPU();
  Metadata data = awkward();
  StateIdentity identity{1, 2, 3, "f32"};
  DevicePools pools(gpu(), data, 1, 9), again(gpu(), data, 2, 8);
  HostPools host(data, 1, 9);
  fill(pools, 1, 4);
  TemporaryFolder folder;
  auto content = [](const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  auto load = [&](const std::string &path, StatePools &to, int64_t slot) {
    StateFile file(path, identity, data);
    file.check(to);
    file.read(to, slot, file.application());
  };
  std::string first = folder.path / "device", second = folder.path / "host";
  writeStateFile(first, {identity, pools, 0, 7, 7, "tokens"});
  load(first, host, 0);
  EXPECT_TRUE(used(host, 0, 7) == used(pools, 0, 7));
  writeStateFile(second, {identity, host, 0, 7, 7, "tokens"});
  EXPECT_TRUE(content(first) == content(second));
  load(second, again, 1);
  EXPECT_TRUE(used(again, 1, 7) == used(pools, 0, 7));
}

TEST(DevicePools, moreThanTheGPUHasIsRefusedAtOnce) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  Metadata data = awkward();
  std::string text = refusal([&] { DevicePools pools(gpu(), data, 10, 1000); });
  // The buffer of copies may have some of it.
  EXPECT_TRUE(std::regex_match(
      text,
      std::regex("1: cannot allocate [0-9]{10} bytes of GPU memory for "
                 "the state of 10 sequence\\(s\\) with 1000 entries "
                 "each; lower the context: [0-9]+ of 134217728 are free")))
      << text;
  EXPECT_EQ(faulty.alive(), before);
}

TEST(DevicePools, aCallThatFailsIsToldAndLeavesNothing) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  Metadata data = everyKind();
  auto useAll = [&] {
    DevicePools pools(gpu(), data, 2, 4);
    fill(pools, 2, 1);
    SlotCopy copy;
    pools.save(0, 3, copy);
    pools.restore(1, copy);
    pools.copy(1, 0, 2);
    EXPECT_TRUE(used(pools, 0, 2) == used(pools, 1, 2));
  };
  faulty.failCall(0, 0);
  useAll();
  long calls = faulty.calls(), refused = 0;
  for (long call = 1; call <= calls; ++call) {
    faulty.failCall(call, cuda::CUDA_ERROR_LAUNCH_FAILED);
    std::string text = refusal(useAll);
    refused += text != "nothing was refused"; // destructors go on
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_EQ(faulty.alive(), before) << "call " << call << ": " << text;
  }
  EXPECT_GT(refused, calls / 2);
}

} // namespace
