// How a sequence may be cut.
//
// Equal bit for bit: at multiples of the block (64 rows) for every model; at
// any place, decode included, as long as no key has been evicted. Past that the
// kept keys lie in another order, sums run in another order, and the same keys
// give the same logits up to rounding. So do chunks of SSD cut elsewhere: rows
// of a chunk are computed as matmuls, a single row as the recurrence.
#include "Artefacts.h"
#include "Sequences.h"
#include "cheems/Reference/Model.h"
#include <algorithm>
#include <cmath>

using namespace cheems;
using namespace cheems::test;

namespace {

class Chunk : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, Chunk, over(allModels()), caseName);

TEST_P(Chunk, CutsAtMultiplesOfTheBlockDoNotShow) {
  int64_t block = model->metadata().block, length = 4 * block + 45;
  Ids ids = drawIds(*model, length), tail = drawIds(*model, 3, 2);
  Session session = makeSession(model);
  Logits want = whole(session, 0, ids), answer = chunked(session, 0, tail, {3});
  std::vector<std::vector<int64_t>> cuts{
      {block}, {2 * block}, {block, 3 * block}, {3 * block, block}};
  for (const std::vector<int64_t> &lengths : cuts) {
    session.reset(0);
    EXPECT_TRUE(same(want, chunked(session, 0, ids, lengths)));
    EXPECT_TRUE(same(answer, chunked(session, 0, tail, {3})));
  }
  Session configured =
      makeSession(model, 1, 2, block); // the session's own cutting
  Logits got;
  configured.prefillAll(
      0, ids, [&](int64_t, int64_t rows, const float *logits) {
        got.append(
            {want.vocabulary, {logits, logits + rows * want.vocabulary}});
      });
  EXPECT_TRUE(same(want, got));
}

TEST_P(Chunk, NoCutShowsWhileAllKeysAreKept) {
  if (hasChunks(*model)) {
    GTEST_SKIP() << "its chunks begin where they are cut";
  }
  constexpr int64_t some = 150;
  int64_t window = model->metadata().keepWindow,
          length = window ? std::min(window, some) : some;
  Ids ids = drawIds(*model, length);
  Session session = makeSession(model);
  Logits want = whole(session, 0, ids);
  std::vector<std::vector<int64_t>> cuts{
      {1}, {2}, {7}, {50, 1, 1, 30}, {1, 64, 3}};
  for (const std::vector<int64_t> &lengths : cuts) {
    session.reset(0);
    EXPECT_TRUE(same(want, chunked(session, 0, ids, lengths))) << lengths[0];
  }
}

reference::ModelEvaluation evaluate(const std::string &name, const Ids &ids) {
  auto checkpoint =
      Checkpoint::open(checkpointFolder(name).string(), [](llvm::StringRef) {});
  if (!checkpoint) {
    throw std::runtime_error(llvm::toString(checkpoint.takeError()));
  }
  std::vector<int64_t> wide(ids.begin(), ids.end());
  return reference::evaluateModelWithMargins(*checkpoint, wide);
}

/// The bound has as many f32 roundings as the longest sum has terms, in every
/// layer and the head.
double roundingBound(const Model &model, int64_t length) {
  const Metadata &data = model.metadata();
  constexpr int64_t longestSum = 256;
  return static_cast<double>(std::max(longestSum, length) * (data.layers + 1)) *
         0x1p-24;
}

class Eviction : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, Eviction,
                         over({"doge-window", "window-1", "window-7",
                               "window-64", "window-100", "dynamic-window-9"}),
                         caseName);

// Several windows long, against the evaluator, which sorts all keys anew for
// every row. Where two masks are closer than rounding either may be kept, so
// rows count up to the first such tie.
TEST_P(Eviction, KeepsTheEvaluatorsKeysHoweverItIsCut) {
  constexpr int64_t windows = 4, least = 260;
  int64_t window = model->metadata().keepWindow,
          length = std::max(windows * window + 30, least);
  double bound = roundingBound(*model, length);
  Ids ids;
  reference::ModelEvaluation expected;
  int64_t firm = 0;
  constexpr uint64_t draws = 40;
  for (uint64_t seed = 1; seed <= draws && firm < length; ++seed) {
    Ids candidate = drawIds(*model, length, seed);
    reference::ModelEvaluation evaluated = evaluate(name(), candidate);
    int64_t rows =
        std::count_if(evaluated.keepMargin.begin(), evaluated.keepMargin.end(),
                      [&](double margin) { return margin >= 2.0 * bound; });
    if (rows > firm) {
      firm = rows;
      ids = candidate;
      expected = std::move(evaluated);
    }
  }
  ASSERT_GE(firm, std::min(length, 2 * window + 1)) << "no sequence tells more";
  Logits want{model->metadata().vocabulary, {}};
  for (int64_t i = 0; i < firm * want.vocabulary; ++i) {
    want.values.push_back(static_cast<float>(expected.logits.data[i]));
  }
  Session session = makeSession(model);
  for (const std::vector<int64_t> &lengths : std::vector<std::vector<int64_t>>{
           {length}, {64}, {7}, {1}, {100, 1, 1, 63}}) {
    session.reset(0);
    Logits got = chunked(session, 0, ids, lengths).part(0, firm);
    double error = distance(want, got);
    EXPECT_LE(error, bound) << "cuts of " << lengths[0];
    printf("%s: cuts of %d: %.1e of %.1e over %d of %d rows\n", name().c_str(),
           int(lengths[0]), error, bound, int(firm), int(length));
  }
}

class Dynamic : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, Dynamic, over({"dynamic", "dynamic-window-9"}),
                         caseName);

TEST_P(Dynamic, BaseIsThePromptsInEveryChunkAndASequencesOwn) {
  const Metadata &data = model->metadata();
  ASSERT_TRUE(data.dynamicRope);
  constexpr int64_t length = 200, shorter = 12, answer = 20;
  ASSERT_GT(length, data.maxPositions);
  ASSERT_LT(shorter, data.maxPositions);
  Ids ids = drawIds(*model, length), small = drawIds(*model, shorter, 2);
  Session session = makeSession(model, 2);
  Logits want = whole(session, 0, ids), wantSmall = whole(session, 1, small);
  session.reset(0);
  session.reset(1);
  std::vector<Logits> both = feed(session, {{1, small}, {0, ids}});
  EXPECT_TRUE(same(wantSmall, both[0]));
  EXPECT_TRUE(same(want, both[1]));

  Session configured = makeSession(model, 1, 1, data.block);
  Logits last{want.vocabulary, std::vector<float>(want.vocabulary)};
  configured.prefill(0, ids, last.values.data());
  EXPECT_TRUE(same(want.part(length - 1, length), last));
  // had every chunk its own length's base, the first chunk would differ
  configured.reset(0);
  EXPECT_FALSE(same(want.part(0, 64), whole(configured, 0, part(ids, 0, 64))));

  Ids tail = drawIds(*model, answer, 3);
  for (int32_t token : tail) {
    session.decode(0, token, last.values.data());
    EXPECT_TRUE(same(last, last)) << "not finite";
  }
}

} // namespace
