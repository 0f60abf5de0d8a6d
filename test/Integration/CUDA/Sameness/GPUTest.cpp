// What must be equal bit for bit on a GPU, and what agrees within rounding.
//
// A row's order of sums depends on its own sequence and on the entry, so runs,
// other sequences of a step and cuts at multiples of the block do not show.
// Decoding adds up in another order than a prompt does.
#include "../../CPU/Sameness/Artefacts.h"
#include "../../CPU/Sameness/Sequences.h"
#include "test/unit/Support/TestRun.h"
#include <algorithm>
#include <numeric>

using namespace cheems;
using namespace cheems::test;

namespace {

/// A model of each kind that has kernels for GPUs: a window that covers all
/// sequences and some that do not, no window, bf16, biases and one key head for
/// all, dynamic rotary scaling, SSD in f32 and in bf16. A run has every third.
const std::vector<const char *> models = {
    "doge-tiny",   "doge-author-bias", "doge-untied-bf16",
    "dynamic",     "cheems-threshold", "cheems-scale",
    "doge-window", "bf16-window-20",   "cheems-window-9"};

class GPU : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override { model = openArtefact(GetParam(), "cuda", "cuda"); }
  std::shared_ptr<const Model> model;
};
INSTANTIATE_TEST_SUITE_P(Models, GPU, testing::ValuesIn(drawnOf(models, 3)),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Bounds the errors of sums in f32 with so many terms, in every layer and the
/// head, and of inputs of matmuls that are rounded to bf16 if weights are: such
/// a rounding may fall the other way where sums differ in their last bits.
double roundingBound(const Model &model, int64_t length) {
  const Metadata &data = model.metadata();
  constexpr int64_t longestSum = 256;
  double sums =
      static_cast<double>(std::max(longestSum, length) * (data.layers + 1)) *
      0x1p-24;
  return data.weights == "bf16"
             ? sums + static_cast<double>(data.layers + 1) * 0x1p-6
             : sums;
}

TEST_P(GPU, runsDoNotShow) {
  Ids ids = drawIds(*model, 70), tail = drawIds(*model, 3, 2);
  Session first = makeSession(model), second = makeSession(model);
  for (int round = 0; round < 2; ++round) {
    first.reset(0);
    second.reset(0);
    EXPECT_TRUE(same(whole(first, 0, ids), whole(second, 0, ids)));
    EXPECT_TRUE(same(decoded(first, 0, tail), decoded(second, 0, tail)));
  }
}

TEST_P(GPU, otherPromptsOfAStepDoNotShow) {
  const int64_t lengths[] = {70, 2, 17, 33};
  std::vector<Piece> pieces;
  std::vector<Logits> alone;
  for (int64_t i = 0; i < 4; ++i) {
    Ids ids = drawIds(*model, lengths[i], static_cast<uint64_t>(i) + 1);
    Session session = makeSession(model);
    alone.push_back(whole(session, 0, ids));
    pieces.push_back({3 - i, ids}); // not in the order of slots
  }
  Session session = makeSession(model, 4);
  std::vector<Logits> together = feed(session, pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_TRUE(same(alone[i], together[i])) << "sequence " << i;
  }
}

// Each number of rows has a graph of its own.
TEST_P(GPU, decodingBesideOthersDoesNotShow) {
  constexpr int64_t slots = 9, steps = 5;
  std::vector<Ids> prompts, tails;
  std::vector<Logits> alone;
  for (int64_t i = 0; i < slots; ++i) {
    auto seed = static_cast<uint64_t>(i);
    prompts.push_back(drawIds(*model, 3 + 5 * i, seed + 1));
    tails.push_back(drawIds(*model, steps, seed + 100));
    Session session = makeSession(model);
    whole(session, 0, prompts.back());
    alone.push_back(decoded(session, 0, tails.back()));
  }
  Session session = makeSession(model, slots);
  for (int64_t i = 0; i < slots; ++i) {
    whole(session, i, prompts[static_cast<size_t>(i)]);
  }
  const int64_t together[steps] = {slots, 1, 8, 3, slots};
  std::vector<int64_t> fed(slots);
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<Piece> pieces;
    std::vector<int64_t> who;
    for (int64_t i = 0; i < together[step]; ++i) {
      int64_t slot = (i * 5 + step) % slots; // in another order each time
      int64_t at = fed[static_cast<size_t>(slot)];
      auto index = static_cast<size_t>(slot);
      pieces.push_back({slot, part(tails[index], at, at + 1),
                        // the dynamic base is that of the whole sequence
                        static_cast<int64_t>(prompts[index].size()) + steps});
      who.push_back(slot);
    }
    std::vector<Logits> got = feed(session, pieces);
    for (size_t i = 0; i < who.size(); ++i) {
      auto slot = static_cast<size_t>(who[i]);
      EXPECT_TRUE(same(alone[slot].part(fed[slot], fed[slot] + 1), got[i]))
          << "step " << step << ", slot " << slot;
      ++fed[slot];
    }
  }
}

TEST_P(GPU, cutsAtMultiplesOfTheBlockDoNotShow) {
  int64_t block = model->metadata().block, length = 2 * block + 13;
  Ids ids = drawIds(*model, length), tail = drawIds(*model, 2, 2);
  Session session = makeSession(model);
  Logits want = whole(session, 0, ids), answer = decoded(session, 0, tail);
  for (const std::vector<int64_t> &lengths :
       std::vector<std::vector<int64_t>>{{block}, {2 * block}}) {
    session.reset(0);
    EXPECT_TRUE(same(want, chunked(session, 0, ids, lengths)));
    EXPECT_TRUE(same(answer, decoded(session, 0, tail)));
  }
}

TEST_P(GPU, decodingIsAPromptWithinRounding) {
  constexpr int64_t length = 40;
  Ids ids = drawIds(*model, length);
  Session session = makeSession(model, 2);
  Logits want = whole(session, 0, ids);
  EXPECT_LE(distance(want, decoded(session, 1, ids)),
            roundingBound(*model, length));
}

TEST_P(GPU, laterTokensDoNotReachEarlierRows) {
  constexpr int64_t length = 80;
  Ids ids = drawIds(*model, length), other = ids;
  other.back() = ids.back() == 0 ? 1 : 0;
  Session session = makeSession(model, 2);
  Logits a = whole(session, 0, ids), b = whole(session, 1, other);
  EXPECT_TRUE(same(a.part(0, length - 1), b.part(0, length - 1)));
  EXPECT_FALSE(same(a.part(length - 1, length), b.part(length - 1, length)));
}

TEST_P(GPU, wantedRowsDoNotShow) {
  constexpr int32_t length = 40;
  Ids ids = drawIds(*model, length);
  Session session = makeSession(model, 2);
  Logits all = whole(session, 0, ids),
         some{all.vocabulary, std::vector<float>(2 * all.vocabulary)};
  int32_t rows[] = {length - 1, 3};
  cheems_segment segment = {1, 0, length, 0, 0, {}};
  session.step({ids, {&segment, 1}, rows}, some.values.data());
  EXPECT_TRUE(same(all.part(length - 1, length), some.part(0, 1)));
  EXPECT_TRUE(same(all.part(3, 4), some.part(1, 2)));
}

TEST_P(GPU, slotsAreForgottenCopiedAndRestored) {
  Ids ids = drawIds(*model, 70), other = drawIds(*model, 90, 2),
      tail = drawIds(*model, 3, 3);
  Session straight = makeSession(model), session = makeSession(model, 3),
          second = makeSession(model, 2);
  whole(straight, 0, ids);
  Logits want = decoded(straight, 0, tail);
  whole(session, 0, other);
  session.reset(0);
  whole(session, 0, ids);
  Snapshot moment = session.snapshot(0);
  session.copy(0, 2);
  EXPECT_TRUE(same(want, decoded(session, 0, tail)));
  EXPECT_TRUE(same(want, decoded(session, 2, tail)));
  session.restore(0, moment);
  second.restore(1, moment);
  EXPECT_TRUE(same(want, decoded(session, 0, tail)));
  EXPECT_TRUE(same(want, decoded(second, 1, tail)));
  // A running state holds no past, and a window forgets.
  const std::vector<StateKind> &state = model->metadata().state;
  bool byPosition =
      std::all_of(state.begin(), state.end(),
                  [](const StateKind &kind) { return kind.hasCapacity(); });
  int64_t window = model->metadata().keepWindow;
  bool goesBack = byPosition && (window == 0 || window >= 73);
  ASSERT_EQ(second.rewind(1, 70), goesBack);
  if (goesBack) {
    EXPECT_TRUE(same(want, decoded(second, 1, tail)));
  }
}

// Each executor has a file of its own: a state belongs to the checkpoint,
// however a file stores it.
TEST_P(GPU, aStateFileGoesToTheOtherExecutorAndBack) {
  if (!isLongRun() && GetParam() == std::string("cheems-scale")) {
    GTEST_SKIP() << "states of its kinds go with the other models";
  }
  auto onHost = openArtefact(GetParam(), "avx2", "cpu");
  std::string path = testing::TempDir() + "/" + GetParam() + ".state",
              back = path + ".back";
  Ids ids = drawIds(*model, 50), tail = drawIds(*model, 3, 2);
  Session gpu = makeSession(model), host = makeSession(onHost, 2),
          again = makeSession(model, 2);
  whole(gpu, 0, ids);
  gpu.save(0, path);
  host.load(1, path);
  host.save(1, back);
  again.load(1, back);
  Logits want = decoded(gpu, 0, tail);
  EXPECT_TRUE(same(want, decoded(again, 1, tail)));
  EXPECT_LE(distance(want, decoded(host, 1, tail)), roundingBound(*model, 53));
}

TEST_P(GPU, theBestLogitsAreThoseOfTheRow) {
  constexpr int64_t slots = 3;
  Session session = makeSession(model, slots);
  Ids ids = drawIds(*model, slots * 8);
  std::vector<cheems_segment> segments(slots);
  std::vector<int32_t> rows(slots);
  for (int32_t i = 0; i < slots; ++i) {
    segments[static_cast<size_t>(i)] = {i, 8 * i, 8, 0, 0, {}};
    rows[static_cast<size_t>(i)] = 8 * i + 7;
  }
  session.stepKeeping({ids, segments, rows});
  for (int64_t i = 0; i < slots; ++i) {
    const float *kept = session.keptLogits(i);
    std::vector<float> row(kept, kept + session.vocabulary());
    std::vector<int32_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      auto x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
      return x != y ? x > y : a < b;
    });
    for (size_t count :
         {size_t{1}, size_t{2}, std::min<size_t>(64, row.size())}) {
      auto best = session.topLogits(count, i);
      if (count > 1 && row.size() < 64) { // there is no entry for so few
        EXPECT_EQ(best, std::nullopt);
        continue;
      }
      ASSERT_TRUE(best);
      ASSERT_GE(best->count, count);
      for (size_t k = 0; k < best->count; ++k) {
        EXPECT_EQ(best->tokens[k], order[k]);
        EXPECT_EQ(best->values[k], row[static_cast<size_t>(order[k])]);
      }
    }
    EXPECT_EQ(session.topLogits(65, i), std::nullopt);
  }
}

} // namespace
