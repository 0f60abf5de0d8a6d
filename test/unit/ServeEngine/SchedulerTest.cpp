// Plans of steps: who comes first, where prompts are cut, how much fits.
#include "server/Engine/Scheduler.h"
#include "server/Engine/Checkpoints.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace cheems::serve;
using testing::ElementsAre;

namespace {

StepLimits limits(int64_t rows, int64_t promptRows, int64_t unit) {
  StepLimits result;
  result.rows = rows;
  result.promptRows = promptRows;
  result.chunk = result.wantedRows = rows;
  result.unit = unit;
  return result;
}

Wish decodes(int64_t position) { return {true, position, 0, false}; }
Wish reads(int64_t position, int64_t end) {
  return {false, position, end, false};
}

TEST(PlanStep, whatDecodesComesFirst) {
  EXPECT_THAT(
      planStep({reads(0, 100), decodes(5), decodes(9)}, limits(34, 32, 16), 0),
      ElementsAre(32, 1, 1));
  EXPECT_THAT(planStep({reads(0, 100), decodes(5)}, limits(1, 64, 16), 0),
              ElementsAre(0, 1));
}

TEST(PlanStep, promptsShareWhatIsLeft) {
  std::vector<Wish> wishes = {reads(0, 100), reads(0, 100), reads(0, 10)};
  EXPECT_THAT(planStep(wishes, limits(64, 58, 16), 0), ElementsAre(32, 16, 10));
  EXPECT_THAT(planStep(wishes, limits(64, 48, 16), 1), ElementsAre(16, 16, 10));
  EXPECT_THAT(planStep(wishes, limits(16, 16, 16), 1), ElementsAre(0, 16, 0));
}

TEST(PlanStep, aPromptIsCutAtMultiplesAndAtItsEnd) {
  EXPECT_THAT(planStep({reads(5, 100)}, limits(40, 40, 16), 0),
              ElementsAre(27)); // to 32
  EXPECT_THAT(planStep({reads(32, 37)}, limits(40, 40, 16), 0), ElementsAre(5));
}

TEST(PlanStep, promptsThatWantAllRowsAreBounded) {
  StepLimits bounded = limits(100, 100, 16);
  bounded.wantedRows = 32;
  Wish all = reads(0, 90);
  all.allRows = true;
  EXPECT_THAT(planStep({all, all, reads(0, 16)}, bounded, 0),
              ElementsAre(16, 16, 16));
}

TEST(PlanStep, anyPlanIsSound) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    int64_t unit = int64_t{1} << random() % 5;
    StepLimits some = limits(1 + random() % 80, 1 + random() % 80, unit);
    some.chunk = 1 + random() % 80;
    some.wantedRows = 1 + random() % 80;
    std::vector<Wish> wishes(1 + random() % 9);
    for (Wish &wish : wishes) {
      wish.decoding = random() % 2;
      wish.position = random() % 70;
      wish.end = wish.position + 1 + random() % 70;
      wish.allRows = random() % 3 == 0;
    }
    std::vector<int64_t> rows = planStep(wishes, some, random() % 20);
    int64_t all = std::accumulate(rows.begin(), rows.end(), int64_t{0});
    EXPECT_GE(all, 1);
    EXPECT_LE(all, some.rows);
    int64_t odd = 0;
    for (size_t i = 0; i < wishes.size(); ++i) {
      if (wishes[i].decoding) {
        EXPECT_LE(rows[i], 1);
        continue;
      }
      int64_t end = wishes[i].position + rows[i];
      EXPECT_LE(end, wishes[i].end);
      odd += rows[i] != 0 && end % unit != 0 && end != wishes[i].end;
    }
    // cut elsewhere only where a first piece has no room in the step
    EXPECT_LE(odd, some.promptRows < unit || some.chunk < unit ||
                       some.wantedRows < unit || some.rows < unit);
  }
}

TEST(StepPace, rowsOfPromptsFollowTheirTime) {
  StepPace pace(0.1);
  EXPECT_EQ(pace.promptRows(0, 64, 512), 512);
  EXPECT_EQ(pace.promptRows(3, 64, 512), 64); // nothing is known
  pace.took(0, 512, 0.512);                   // a millisecond a row
  EXPECT_EQ(pace.promptRows(3, 16, 512), 96);
  EXPECT_EQ(pace.promptRows(3, 64, 512), 64);
  EXPECT_EQ(pace.promptRows(200, 64, 512), 64);
  for (int i = 0; i < 30; ++i) {
    pace.took(4, 60, 0.0064); // a tenth of it
  }
  EXPECT_EQ(pace.promptRows(3, 64, 512), 512);
}

std::vector<int64_t> places(const GenerationRequest &request, int64_t cached,
                            int64_t common) {
  std::vector<int64_t> result;
  for (const Checkpoint &each :
       chooseCheckpoints(request, cached, common, 64)) {
    result.push_back(each.shared ? -each.position : each.position);
  }
  return result;
}

TEST(Checkpoints, areTheEndsThatOthersMayGoOnFrom) {
  GenerationRequest request;
  request.prompt.resize(300);
  EXPECT_THAT(places(request, 0, 0), ElementsAre(256));
  request.prompt.resize(320); // its last token must be fed again
  EXPECT_THAT(places(request, 0, 0), ElementsAre(256));
  request.prompt.resize(321);
  EXPECT_THAT(places(request, 0, 0), ElementsAre(320));
  EXPECT_THAT(places(request, 0, 200), ElementsAre(-192, 320));
  EXPECT_THAT(places(request, 192, 200), ElementsAre(320));
  request.boundaries = {100, 130, 319, 321};
  EXPECT_THAT(places(request, 0, 0), ElementsAre(-64, 128, 256, 320));
  request.prompt.resize(5000);
  request.boundaries.clear();
  EXPECT_THAT(places(request, 0, 0), ElementsAre(2048, 4096, 4992));
  request.prompt.resize(30);
  EXPECT_THAT(places(request, 0, 20), ElementsAre());
}

TEST(Checkpoints, ofManyBoundariesAreTheFirstAndTheLast) {
  GenerationRequest request;
  request.prompt.resize(2001);
  for (int64_t at = 64; at < 2000; at += 64) {
    request.boundaries.push_back(at);
  }
  EXPECT_THAT(places(request, 0, 0),
              ElementsAre(-64, 128, 1792, 1856, 1920, 1984));
}

} // namespace
