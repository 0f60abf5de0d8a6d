// What is told of how a program ended.
#include "runtime/Generation/ChildProcess.h"
#include "runtime/Error.h"
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::HasSubstr;

namespace {

int runShell(const std::string &script) {
  return runChild({"/bin/sh", "-c", script});
}

TEST(ChildProcess, itsExitCodeIsReturned) {
  EXPECT_EQ(runShell("exit 0"), 0);
  EXPECT_EQ(runShell("exit 3"), 3);
}

TEST(ChildProcess, whatASignalToEndEndedWasInterrupted) {
  EXPECT_EQ(runShell("kill -TERM $$"), 130);
  EXPECT_THROW(runShell("kill -KILL $$"), Error);
}

TEST(ChildProcess, anEndThatCannotBeKnownIsAnError) {
  auto before = std::signal(SIGCHLD, SIG_IGN);
  std::string message;
  try {
    runShell("exit 3");
  } catch (const Error &error) {
    message = error.what();
  }
  std::signal(SIGCHLD, before);
  EXPECT_THAT(message, HasSubstr("cannot find out how"));
}

} // namespace
