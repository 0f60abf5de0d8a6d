// One token repeated more often than the window is long: in the first layer all
// masks are equal, so the first entries stay, however the sequence is cut.
#include "Artefacts.h"
#include "Sequences.h"
#include "runtime/State/HostPools.h"
#include <algorithm>
#include <numeric>

using namespace cheems;
using namespace cheems::test;

namespace {

class RepeatedToken : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, RepeatedToken,
                         over({"doge-window", "window-1", "window-7",
                               "bf16-window-20", "window-100"}),
                         caseName);

/// Returns, for each head of the first layer, the positions that slot 0 keeps,
/// ascending.
std::vector<std::vector<int32_t>> keptPositions(const Session &session,
                                                const Metadata &data) {
  auto kind = std::find_if(
      data.state.begin(), data.state.end(),
      [](const StateKind &kind) { return kind.role == PoolRole::positions; });
  if (kind == data.state.end()) {
    ADD_FAILURE() << "no positions are stored";
    return {};
  }
  SlotCopy copy = session.snapshot(0).state;
  int64_t entries = copy.entries, heads = kind->extents[1];
  HostPools pools(data, 1, entries);
  pools.restore(0, copy);
  const auto *stored = static_cast<const int32_t *>(
      pools.bases()[kind - data.state.begin()]); // [1, layers, heads, entries]
  std::vector<std::vector<int32_t>> kept;
  for (int64_t head = 0; head < heads; ++head) {
    kept.emplace_back(stored + head * entries, stored + (head + 1) * entries);
    std::sort(kept.back().begin(), kept.back().end());
  }
  return kept;
}

TEST_P(RepeatedToken, LeavesTheFirstEntriesHoweverItIsCut) {
  const Metadata &data = model->metadata();
  int64_t length = 2 * data.keepWindow + data.block + 5;
  Ids ids(static_cast<size_t>(length), drawIds(*model, 1)[0]);
  std::vector<int32_t> first(static_cast<size_t>(data.keepWindow));
  std::iota(first.begin(), first.end(), 0);
  Session session = makeSession(model);
  for (const std::vector<int64_t> &lengths :
       std::vector<std::vector<int64_t>>{{length}, {7}, {1}, {100, 1, 1, 63}}) {
    session.reset(0);
    chunked(session, 0, ids, lengths);
    for (const std::vector<int32_t> &kept : keptPositions(session, data)) {
      EXPECT_EQ(kept, first) << "cuts of " << lengths[0];
    }
  }
}

} // namespace
