#include "runtime/Generation/Output.h"
#include "runtime/Error.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace cheems {

void writeAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      throw OutputClosed();
    } else if (errno != EINTR) {
      throw Error(std::string("cannot write the output: ") +
                  std::strerror(errno));
    }
  }
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
  writeAll(STDOUT_FILENO, text);
  if (!text.empty()) {
    lineOpen = text.back() != '\n';
  }
}
bool outputIsTerminal() { return isatty(STDOUT_FILENO) != 0; }

void printMessage(const std::string &text) {
  std::string line;
  if (lineOpen && shareFile(STDOUT_FILENO, STDERR_FILENO)) {
    line = "\n";
    lineOpen = false;
  }
  for (char c : text) { // names and prompts in it may hold anything
    bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    line += control ? ' ' : c;
  }
  line += '\n';
  try {
    writeAll(STDERR_FILENO, line);
  } catch (const Error &) { // nobody is left to tell
  } catch (const OutputClosed &) {
  }
}

} // namespace cheems
