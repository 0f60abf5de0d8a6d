#include "runtime/Process/Output.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/PlainText.h"
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cheems {

/// Whether the error of a write means that nobody reads any more. A terminal
/// that hung up says so by EIO.
static bool hasLeft(int descriptor, int error) {
  struct stat status;
  return error == EPIPE || (error == EIO && fstat(descriptor, &status) == 0 &&
                            S_ISCHR(status.st_mode));
}

/// Whether a write would not wait, in so many milliseconds.
static bool isReady(int descriptor, int patience = 0) {
  pollfd file = {descriptor, POLLOUT, 0};
  return poll(&file, 1, patience) > 0;
}

/// Writes to a file that is ready. Nothing where it has no room after all: a
/// terminal with little, or one that another process filled just now.
static std::optional<size_t> writeReady(int descriptor, std::string_view text) {
  // a pipe that is ready has room for so much
  std::string_view part = text.substr(0, PIPE_BUF);
  ssize_t written = write(descriptor, part.data(), part.size());
  if (written >= 0) {
    return static_cast<size_t>(written);
  }
  if (errno == EAGAIN || errno == EINTR) {
    return std::nullopt;
  }
  if (hasLeft(descriptor, errno)) {
    throw OutputClosed();
  }
  throw Error(std::string("cannot write the output: ") + std::strerror(errno));
}

void writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    // A write that waits would use a signal up, or begin after it; so all
    // waiting is here. A reader that waits for our end would wait for ever.
    if (!isReady(descriptor) &&
        !interrupt::waitFor(descriptor, POLLOUT, interrupt::ending)) {
      throw OutputClosed();
    }
    std::optional<size_t> written = writeReady(descriptor, text);
    if (!written && interrupt::ending()) {
      throw OutputClosed();
    }
    text.remove_prefix(written.value_or(0));
  }
}

size_t writeSome(int descriptor, std::string_view text,
                 std::chrono::milliseconds most) {
  return isReady(descriptor, static_cast<int>(most.count()))
             ? writeReady(descriptor, text).value_or(0)
             : 0;
}

namespace {
bool lineOpen = false; ///< standard output ends within a line

/// Whether what goes to one shows up in the other.
bool shareFile(int a, int b) {
  struct stat first, second;
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
} // namespace

void writeOutput(std::string_view text) {
  if (outputIsTerminal()) {
    writeAll(STDOUT_FILENO, withoutControls(text, "\n\t", "\ufffd"));
  } else {
    writeAll(STDOUT_FILENO, text);
  }
  if (!text.empty()) {
    lineOpen = text.back() != '\n';
  }
}
bool outputIsTerminal() { return isatty(STDOUT_FILENO) != 0; }
bool outputEndsInLine() {
  return lineOpen && shareFile(STDOUT_FILENO, STDERR_FILENO);
}

void printMessage(const std::string &text) {
  std::string line;
  if (outputEndsInLine()) {
    line = "\n";
    lineOpen = false;
  }
  line += withoutControls(text, "", " ") + '\n';
  try {
    writeAll(STDERR_FILENO, line);
  } catch (const Error &) {
    return; // nobody is left to tell
  } catch (const OutputClosed &) {
    return;
  }
}

} // namespace cheems
