// The trie of kept states against a plain list of them.
#include "server/Engine/StateCache.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace cheems;
using namespace cheems::serve;

namespace {

using Tokens = StateCache::Tokens;

KeptState whole(int64_t position, size_t bytes) {
  KeptState state;
  state.position = position;
  state.exact = true;
  state.whole.state.bytes.resize(bytes);
  return state;
}

KeptState partial(int64_t position, int64_t slot) {
  KeptState state;
  state.position = position;
  state.exact = true;
  state.slot = slot;
  state.partial = "partial";
  return state;
}

TEST(StateCache, findsWhatBeginsAlike) {
  StateCache cache(1 << 20);
  cache.keep("", {1, 2, 3, 4, 5}, whole(5, 10));
  cache.keep("", {1, 2, 3, 9}, whole(3, 10));
  cache.keep("", {1, 2, 7, 7}, whole(4, 10));
  StateCache::Match match = cache.find("", {1, 2, 3, 4, 6, 6});
  EXPECT_EQ(match.common, 4);
  ASSERT_EQ(match.states.size(), 1u);
  EXPECT_EQ(match.states[0]->position, 3);
  ASSERT_TRUE(match.longer);
  EXPECT_EQ(match.longer->position, 5);
  EXPECT_EQ(cache.find("", {1, 2, 7, 7, 7}).states.size(), 1u);
  EXPECT_EQ(cache.find("", {5}).common, 0);
  EXPECT_FALSE(cache.find("", {5}).longer);
  EXPECT_EQ(cache.find("other", {1, 2, 3}).common, 0);
}

TEST(StateCache, aWholeStateReplacesAPartialOne) {
  StateCache cache(1 << 20);
  cache.keep("", {1, 2}, partial(2, 3));
  EXPECT_EQ(cache.partialOf(3, 0)->position, 2);
  EXPECT_FALSE(cache.partialOf(3, 2));
  EXPECT_FALSE(cache.partialOf(1, 0));
  cache.keep("", {1, 2}, whole(2, 10));
  EXPECT_EQ(cache.count(), 1u);
  EXPECT_FALSE(cache.partialOf(3, 0));
  cache.keep("", {1, 2}, partial(2, 3));
  EXPECT_FALSE(cache.find("", {1, 2}).states[0]->isPartial());
}

TEST(StateCache, whatIsPinnedStays) {
  StateCache cache(2000);
  cache.keep("", {1, 2}, whole(2, 500));
  KeptState *first = cache.find("", {1, 2}).states[0];
  cache.pin(first);
  for (int32_t i = 10; i < 20; ++i) {
    cache.keep("", {i, i}, whole(2, 500));
  }
  ASSERT_EQ(cache.find("", {1, 2}).states.size(), 1u);
  EXPECT_EQ(cache.find("", {1, 2}).states[0], first);
  EXPECT_FALSE(cache.makeRoom(1900));
  cache.pin(nullptr);
  EXPECT_TRUE(cache.makeRoom(1900));
  EXPECT_EQ(cache.count(), 0u);
}

TEST(StateCache, aNameUnderWhichNothingIsKeptIsForgotten) {
  StateCache cache(3000);
  cache.keep("one", {1, 2}, whole(2, 500));
  cache.keep("two", {1, 2, 3}, whole(2, 500));
  cache.keep("two", {1, 2, 3}, whole(3, 500));
  ASSERT_EQ(cache.count(), 3u);
  EXPECT_EQ(cache.isolations(), 2u);
  cache.drop(cache.find("one", {1, 2}).states[0]);
  EXPECT_EQ(cache.isolations(), 1u);
  cache.drop(cache.find("two", {1, 2}).states[0]);
  EXPECT_EQ(cache.find("two", {1, 2, 3}).states.size(), 1u);
  EXPECT_TRUE(cache.makeRoom(3000));
  EXPECT_EQ(cache.isolations(), 0u);
  for (int i = 0; i < 100; ++i) { // as clients with a key each
    cache.keep("name " + std::to_string(i), {1}, whole(1, 500));
  }
  EXPECT_EQ(cache.isolations(), cache.count());
  EXPECT_EQ(cache.find("name 99", {1}).states.size(), 1u);
}

TEST(StateCache, isTheListThatItStandsFor) {
  struct Kept {
    Tokens tokens;
    int64_t used;
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    constexpr int64_t budget = 8000;
    StateCache cache(budget);
    std::vector<Kept> list;
    int64_t clock = 0;
    auto tokens = [&] {
      Tokens result(1 + random() % 12);
      for (int32_t &token : result) {
        token = static_cast<int32_t>(random() % 3);
      }
      return result;
    };
    for (int step = 0; step < 400; ++step) {
      Tokens some = tokens();
      if (random() % 3 != 0) {
        auto position = static_cast<int64_t>(1 + random() % some.size());
        int64_t before = cache.evictions();
        cache.keep("", some, whole(position, 100 + random() % 300));
        some.resize(static_cast<size_t>(position));
        auto same = [&](const Kept &each) { return each.tokens == some; };
        // room is made before the old one of the same tokens goes
        for (int64_t gone = cache.evictions() - before; gone > 0; --gone) {
          list.erase(std::min_element(
              list.begin(), list.end(),
              [](const Kept &a, const Kept &b) { return a.used < b.used; }));
        }
        list.erase(std::remove_if(list.begin(), list.end(), same), list.end());
        list.push_back({some, ++clock});
      }
      EXPECT_LE(cache.bytes(), budget);
      EXPECT_EQ(cache.count(), list.size());
      Tokens asked = tokens();
      StateCache::Match match = cache.find("", asked);
      int64_t common = 0;
      std::vector<int64_t> positions;
      for (const Kept &each : list) {
        auto same = static_cast<int64_t>(
            std::mismatch(each.tokens.begin(), each.tokens.end(), asked.begin(),
                          asked.end())
                .first -
            each.tokens.begin());
        common = std::max(common, same);
        if (same == static_cast<int64_t>(each.tokens.size())) {
          positions.push_back(same);
        }
      }
      std::sort(positions.begin(), positions.end());
      EXPECT_EQ(match.common, common);
      std::vector<int64_t> found;
      for (KeptState *state : match.states) {
        found.push_back(state->position);
      }
      EXPECT_EQ(found, positions);
      EXPECT_EQ(match.longer != nullptr, common != 0);
      if (!match.states.empty() && random() % 2) {
        KeptState *state = match.states[random() % match.states.size()];
        Tokens its(asked.begin(), asked.begin() + state->position);
        cache.touch(state);
        ++clock;
        for (Kept &each : list) {
          each.used = each.tokens == its ? clock : each.used;
        }
        if (random() % 4 == 0) {
          EXPECT_EQ(cache.drop(state).position,
                    static_cast<int64_t>(its.size()));
          list.erase(
              std::find_if(list.begin(), list.end(), [&](const Kept &each) {
                return each.tokens == its;
              }));
        }
      }
    }
  }
}

} // namespace
