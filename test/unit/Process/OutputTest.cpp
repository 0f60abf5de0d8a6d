// Writes that nobody may be reading.
#include "runtime/Process/Output.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace cheems;
using std::chrono::milliseconds;

namespace {

class Pipe : public ::testing::Test {
protected:
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() override {
    close(ends[0]);
    close(ends[1]);
  }

  int ends[2];
};

TEST_F(Pipe, WritesWhatThereIsRoomForAndGivesTheRestUp) {
  size_t room = static_cast<size_t>(fcntl(ends[1], F_GETPIPE_SZ));
  std::string text(room + 100, 'x');
  size_t written = 0;
  while (size_t more =
             writeSome(ends[1], std::string_view(text).substr(written),
                       milliseconds(1))) {
    written += more;
  }
  EXPECT_EQ(written, room);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(writeSome(ends[1], "more", milliseconds(50)), 0u);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(49));
  std::string read(room, '\0');
  EXPECT_EQ(::read(ends[0], read.data(), room), static_cast<ssize_t>(room));
  EXPECT_EQ(writeSome(ends[1], "more", milliseconds(50)), 4u);
}

} // namespace
