// How far a long prompt is, in words.
#include "runtime/Generation/ProgressLine.h"
#include <gtest/gtest.h>

using namespace cheems;

namespace {
TEST(ProgressLine, tellsTokensRateAndTimeLeft) {
  EXPECT_EQ(promptProgress(12800, 1000000, 10),
            "12800 of 1000000 tokens, 1280.0 tokens/s, 12 min 52 s left");
  EXPECT_EQ(promptProgress(512, 1024, 2),
            "512 of 1024 tokens, 256.0 tokens/s, 2 s left");
  EXPECT_EQ(promptProgress(1000, 1000000, 10),
            "1000 of 1000000 tokens, 100.0 tokens/s, 2 h 46 min left");
}
} // namespace
