// A sequence's logits do not depend on the run, the threads, the entry, or what
// else is in the step.
#include "Artefacts.h"
#include "Sequences.h"

using namespace cheems;
using namespace cheems::test;

namespace {

class Batch : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, Batch, over(allModels()), caseName);

TEST_P(Batch, RunsAndThreadsDoNotShow) {
  constexpr int64_t length = 150, more = 5;
  Ids ids = drawIds(*model, length), tail = drawIds(*model, more, 2);
  Logits prefilled, answered;
  for (int threads : {1, 1, 2, 3}) {
    SCOPED_TRACE("threads " + std::to_string(threads));
    Session session = makeSession(model, 1, threads);
    Logits first = whole(session, 0, ids), rest = decoded(session, 0, tail);
    if (prefilled.values.empty()) {
      prefilled = first;
      answered = rest;
    }
    EXPECT_TRUE(same(prefilled, first));
    EXPECT_TRUE(same(answered, rest));
  }
}

/// What a sequence is fed, step by step; 0 rows: it waits.
struct Plan {
  int64_t slot;
  std::vector<int64_t> lengths;
};

// Prefills of different lengths in one step, a prefill beside decoded tokens,
// new sequences beside old ones, one row each (the decode entry) for all and
// for some, and segments in another order than slots.
const std::vector<Plan> plans{{3, {70, 1, 1, 1, 20, 1}},
                              {0, {1, 1, 1, 0, 1, 1}},
                              {4, {0, 33, 1, 1, 1, 1}},
                              {1, {5, 1, 1, 66, 1, 1}},
                              {2, {17, 0, 1, 1, 3, 1}}};

TEST_P(Batch, AloneOrTogether) {
  constexpr int64_t longest = 128;
  size_t steps = plans[0].lengths.size();
  std::vector<Ids> ids;
  std::vector<std::vector<Logits>> alone;
  for (const Plan &plan : plans) {
    ids.push_back(drawIds(*model, longest, plan.slot + 1));
    alone.emplace_back();
    Session session = makeSession(model);
    int64_t at = 0;
    for (int64_t length : plan.lengths) {
      alone.back().push_back(
          length ? whole(session, 0, part(ids.back(), at, at + length))
                 : Logits());
      at += length;
    }
  }
  for (int threads : {1, 2}) {
    Session session = makeSession(model, 5, threads);
    for (size_t step = 0; step < steps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step) + ", threads " +
                   std::to_string(threads));
      std::vector<Piece> pieces;
      std::vector<size_t> who;
      for (size_t i = 0; i < plans.size(); ++i) {
        if (int64_t length = plans[i].lengths[step]) {
          int64_t at = session.position(plans[i].slot);
          pieces.push_back({plans[i].slot, part(ids[i], at, at + length)});
          who.push_back(i);
        }
      }
      std::vector<Logits> got = feed(session, pieces);
      for (size_t i = 0; i < who.size(); ++i) {
        EXPECT_TRUE(same(alone[who[i]][step], got[i])) << "sequence " << who[i];
      }
    }
  }
}

TEST_P(Batch, DecodeEntryIsTheGeneralEntryForOneRow) {
  constexpr int64_t prompt = 30, count = 40;
  Ids ids = drawIds(*model, prompt), tail = drawIds(*model, count, 2),
      other = drawIds(*model, 2 * count, 3);
  Session alone = makeSession(model), mixed = makeSession(model, 2);
  whole(alone, 0, ids);
  whole(mixed, 0, ids);
  for (int64_t i = 0; i < count; ++i) {
    Ids next = part(tail, i, i + 1);
    Logits fromDecode = whole(alone, 0, next);
    Logits fromGeneral =
        feed(mixed, {{1, part(other, 2 * i, 2 * i + 2)}, {0, next}})[1];
    ASSERT_TRUE(same(fromDecode, fromGeneral)) << "token " << i;
  }
}

TEST_P(Batch, WantedRowsDoNotShow) {
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
  // none wanted: the state is the same afterwards
  session.reset(1);
  session.step({ids, {&segment, 1}}, nullptr);
  Ids next = drawIds(*model, 1, 2);
  EXPECT_TRUE(same(whole(session, 0, next), whole(session, 1, next)));
}

TEST_P(Batch, LaterTokensDoNotReachEarlierRows) {
  constexpr int64_t length = 150;
  Ids ids = drawIds(*model, length), other = ids;
  other.back() = ids.back() == 0 ? 1 : 0;
  Session session = makeSession(model, 2);
  // the same rotary length for both, as a rule of the dynamic base
  Logits a = whole(session, 0, ids), b = whole(session, 1, other);
  EXPECT_TRUE(same(a.part(0, length - 1), b.part(0, length - 1)));
  EXPECT_FALSE(same(a.part(length - 1, length), b.part(length - 1, length)));
}

} // namespace
