// Sequences of several splits of entries, each with a softmax of its own: in
// which entry, beside whom and on how many threads splits were computed does
// not show. Of a window of 500 keys, of all keys, of those that are counted,
// of the 500 last ones.
#include "Artefacts.h"
#include "Sequences.h"
#include "runtime/Profile/Profile.h"

using namespace cheems;
using namespace cheems::test;

namespace {

class Piece : public Compiled {};
std::vector<std::tuple<std::string, std::string>> cases() {
  std::vector<std::tuple<std::string, std::string>> result;
  for (const char *model :
       {"bf16-window-500", "bf16-all-keys", "smollm3-window-500"}) {
    for (const char *kind : {"avx2", "scalar", "avx512", "amx"}) {
      result.emplace_back(model, kind);
    }
  }
  for (const char *kind : {"avx2", "scalar"}) {
    result.emplace_back("cheems-threshold", kind);
    result.emplace_back("cheems-scale", kind);
  }
  return result;
}
INSTANTIATE_TEST_SUITE_P(Models, Piece, testing::ValuesIn(cases()), caseName);

TEST_P(Piece, DecodedAloneTogetherAndByTheGeneralEntry) {
  constexpr int64_t length = 900, count = 6;
  Ids ids = drawIds(*model, length), tail = drawIds(*model, count, 2),
      other = drawIds(*model, 500, 3);
  Session alone = makeSession(model);
  whole(alone, 0, ids);
  Logits want = decoded(alone, 0, tail);
  for (int threads : {1, 2, 3}) {
    SCOPED_TRACE("threads " + std::to_string(threads));
    Session together = makeSession(model, 3, threads, 2048),
            mixed = makeSession(model, 2, threads);
    feed(together, {{1, part(other, 0, 400)}, {0, ids}, {2, {other[0]}}});
    whole(mixed, 0, ids);
    for (int64_t i = 0; i < count; ++i) {
      Ids next = part(tail, i, i + 1);
      Logits one = want.part(i, i + 1);
      EXPECT_TRUE(
          same(one, feed(together,
                         {{1, {other[400 + i]}}, {0, next}, {2, next}})[1]))
          << "token " << i << " together";
      EXPECT_TRUE(same(
          one, feed(mixed, {{1, part(other, 2 * i, 2 * i + 2)}, {0, next}})[1]))
          << "token " << i << " by the general entry";
    }
  }
}

TEST_P(Piece, CutsAtMultiplesOfTheBlockDoNotShow) {
  constexpr int64_t length = 900;
  Ids ids = drawIds(*model, length);
  Session session = makeSession(model, 1, 2);
  Logits want = whole(session, 0, ids);
  session.reset(0);
  EXPECT_TRUE(same(want, chunked(session, 0, ids, {320, 64, 192})));
}

// Splits of 384 entries, of 768 (from 12,288 on) and of 1,536 (from 24,576 on):
// rows around the first entry of a split and of what follows within one.
class Grown : public Compiled {};
INSTANTIATE_TEST_SUITE_P(
    Models, Grown,
    testing::Values(std::make_tuple("bf16-all-keys", "avx2"),
                    std::make_tuple("bf16-all-keys", "avx512"),
                    std::make_tuple("bf16-all-keys", "amx")),
    caseName);

TEST_P(Grown, DecodedAloneBesideOthersAndByTheGeneralEntry) {
  constexpr int64_t length = 26200, count = 6;
  Ids ids = drawIds(*model, length);
  Session session = makeSession(model, 2, 3, length, length);
  Logits want = whole(session, 0, ids);
  for (int64_t entries : {26112, 24960, 24576, 13056, 12672, 12288, 6144}) {
    SCOPED_TRACE(std::to_string(entries) + " entries");
    int64_t from = entries - count / 2;
    Ids next = part(ids, from, from + count);
    Logits logits = want.part(from, from + count);
    ASSERT_TRUE(session.rewind(0, from));
    EXPECT_TRUE(same(logits, decoded(session, 0, next))) << "alone";
    ASSERT_TRUE(session.rewind(0, from));
    session.reset(1);
    whole(session, 1, part(ids, 0, 700));
    for (int64_t i = 0; i < count; ++i) {
      Ids one = part(next, i, i + 1);
      EXPECT_TRUE(
          same(logits.part(i, i + 1), feed(session, {{1, one}, {0, one}})[1]))
          << "token " << i << " beside a short sequence";
    }
  }
}

// However many splits there are, threads meet once to share them.
TEST(Pieces, AreOneRegionAtAnyDepth) {
  constexpr int64_t length = 12700;
  constexpr int most = 6;
  SessionOptions options;
  options.threads = 1; // each region is one range
  options.context = options.prefillChunk = length + 1;
  options.profile = std::make_shared<Profile>();
  std::shared_ptr<const Model> model = openArtefact("all-keys-wide", "avx2");
  Session session(model, options);
  Ids ids = drawIds(*model, length);
  whole(session, 0, ids);
  options.profile->take(); // that was the prompt
  decoded(session, 0, {ids[0]});
  Trace trace = options.profile->take();
  int layers = 0;
  for (const TraceEvent &layer : trace.events) {
    if (layer.kind != TraceEvent::Kind::part ||
        trace.names[layer.name].rfind("layer ", 0) != 0) {
      continue;
    }
    ++layers;
    int regions = 0, attention = 0;
    for (const TraceEvent &event : trace.events) {
      if (event.kind == TraceEvent::Kind::region &&
          event.begin >= layer.begin && event.end <= layer.end) {
        ++regions;
        attention +=
            trace.names[event.name].rfind("online_attention (", 0) == 0;
      }
    }
    EXPECT_LE(regions, most) << trace.names[layer.name];
    EXPECT_EQ(attention, 1) << trace.names[layer.name];
  }
  EXPECT_EQ(layers, model->metadata().layers);
}

} // namespace
