#include "runtime/Process/FileFault.h"
#include "runtime/Error.h"
#include "runtime/Process/Output.h"
#include "runtime/Process/PlainText.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace cheems::fault {

namespace {

struct Watched {
  std::string path;    ///< as the kernel shows it
  std::string message; ///< whole, with its line end
  const Watched *next;
};

/// Never freed: a fault may come at any time.
std::atomic<const Watched *> files{nullptr};
std::string *program = nullptr;
struct sigaction before;

/// The lines of /proc/self/maps, by what a signal handler may call.
class Maps {
public:
  Maps() : descriptor(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~Maps() { close(descriptor); }

  bool next(std::string_view &line) {
    for (;;) {
      std::string_view rest(buffer + at, filled - at);
      size_t end = rest.find('\n');
      if (end != rest.npos) {
        line = rest.substr(0, end);
        at += end + 1;
        return true;
      }
      std::memmove(buffer, buffer + at, rest.size());
      at = 0;
      filled = rest.size();
      ssize_t count =
          read(descriptor, buffer + filled, sizeof(buffer) - filled);
      if (count <= 0) {
        return false;
      }
      filled += static_cast<size_t>(count);
    }
  }

private:
  int descriptor;
  char buffer[8192]; ///< more than the longest line
  size_t at = 0, filled = 0;
};

/// "begin-end rights offset device inode path".
bool covers(std::string_view line, uintptr_t address) {
  uintptr_t begin = 0, end = 0;
  const char *first = line.data(), *last = first + line.size();
  const char *dash = std::from_chars(first, last, begin, 16).ptr;
  if (dash != last) {
    std::from_chars(dash + 1, last, end, 16);
  }
  return begin <= address && address < end;
}

/// The watched file that is mapped at `address`, or null.
const Watched *fileAt(const void *address) {
  Maps maps;
  for (std::string_view line; maps.next(line);) {
    if (!covers(line, reinterpret_cast<uintptr_t>(address))) {
      continue;
    }
    std::string_view path = line.substr(std::min(line.find('/'), line.size()));
    const Watched *file = files;
    while (file && path != file->path) {
      file = file->next;
    }
    return file;
  }
  return nullptr;
}

void handle(int, siginfo_t *info, void *) {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  bool sent = info->si_code <= 0;
  const Watched *file = sent ? nullptr : fileAt(info->si_addr);
  if (!file) {
    sigaction(SIGBUS, &before, nullptr); // the access is made again, and faults
    if (sent) {
      raise(SIGBUS);
    }
    return;
  }
  while (told.test_and_set()) { // another thread is about to end the process
    pause();
  }
  std::string_view message = file->message;
  if (!outputEndsInLine()) {
    message.remove_prefix(1);
  }
  if (write(STDERR_FILENO, message.data(), message.size()) < 0) {
    // nobody is left to tell
  }
  _exit(static_cast<int>(Status::failed));
}

} // namespace

void install(const std::string &name) {
  program = new std::string(name);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &before);
}

void watch(const std::string &path) {
  char *real = program ? realpath(path.c_str(), nullptr) : nullptr;
  if (!real) { // who opens it says so
    return;
  }
  const Watched *file = files;
  while (file && file->path != real) {
    file = file->next;
  }
  if (!file) {
    files = new Watched{
        real,
        "\n" + *program + ": " + withoutControls(path, "", " ") +
            ": became shorter, or its disk failed, while it was in use; put "
            "the whole file there again, and never write into a file in use: "
            "write a new one and rename it, as cheems-compile does\n",
        files};
  }
  std::free(real);
}

} // namespace cheems::fault
