#include "runtime/Process/EndWhileLoading.h"
#include "runtime/Process/Interrupt.h"
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace cheems;
using std::chrono::milliseconds;

namespace {

/// A call that goes on after each signal.
void waitsLong() { std::this_thread::sleep_for(std::chrono::seconds(20)); }

TEST(EndWhileLoading, ASignalEndsAProcessThatDoesNotLookForIt) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (int signal : {SIGTERM, SIGINT}) {
    EXPECT_EXIT(
        {
          interrupt::install();
          EndWhileLoading end(milliseconds(100));
          (void)raise(signal);
          waitsLong();
          std::_Exit(1);
        },
        ::testing::ExitedWithCode(128 + signal), "");
  }
}

TEST(EndWhileLoading, LeavesOneAloneThatHasLoadedInTime) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        interrupt::install();
        {
          EndWhileLoading end(std::chrono::seconds(20));
          (void)raise(SIGTERM);
        }
        std::_Exit(interrupt::requested() ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

} // namespace
