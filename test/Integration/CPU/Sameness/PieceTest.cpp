// Sequences of several pieces of entries, each with a softmax of its own: in
// which entry, beside whom and on how many threads pieces were computed does
// not show. Of a window of 500 keys, of all keys, of those that are counted.
#include "Artefacts.h"
#include "Sequences.h"

using namespace cheems;
using namespace cheems::test;

namespace {

class Piece : public Compiled {};
std::vector<std::tuple<std::string, std::string>> cases() {
  std::vector<std::tuple<std::string, std::string>> result;
  for (const char *model : {"bf16-window-500", "bf16-all-keys"}) {
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

// More pieces than threads share at a time.
TEST(Pieces, ManyOfThemOneByOneOrAtOnce) {
  constexpr int64_t length = 6200, last = 20;
  std::shared_ptr<const Model> model = openArtefact("bf16-all-keys", "avx2");
  Ids ids = drawIds(*model, length);
  Session session = makeSession(model, 1, 2, length, length);
  Logits want = whole(session, 0, ids).part(length - last, length);
  session.reset(0);
  whole(session, 0, part(ids, 0, length - last));
  EXPECT_TRUE(
      same(want, decoded(session, 0, part(ids, length - last, length))));
}

} // namespace
