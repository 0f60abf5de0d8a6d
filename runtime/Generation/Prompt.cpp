#include "runtime/Generation/Prompt.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace cheems {

static Error unreadable(const std::string &name) {
  return Error("cannot read " + name + ": " + std::strerror(errno));
}

static Error stopped() { return Error(Status::interrupted, "interrupted"); }

/// Acts as open(2), which waits if `path` is a pipe without a writer.
static int openFile(const std::string &path) {
  int descriptor;
  do {
    if (interrupt::requested()) {
      throw stopped();
    }
    descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) {
    throw unreadable(path);
  }
  return descriptor;
}

/// The byte order mark, as UTF-8 spells it.
static constexpr std::string_view mark = "\xEF\xBB\xBF";

static void dropMark(std::string &text) {
  if (text.compare(0, mark.size(), mark) == 0) {
    text.erase(0, mark.size());
  }
}

std::string readText(const std::string &path) {
  std::string text = readBytes(path);
  dropMark(text);
  return text;
}

std::string readBytes(const std::string &path) {
  bool standard = path == "-";
  struct File {
    int descriptor;
    ~File() {
      if (descriptor != STDIN_FILENO) {
        close(descriptor);
      }
    }
  } file{standard ? STDIN_FILENO : openFile(path)};
  std::string text;
  char block[65536];
  for (;;) {
    if (!interrupt::waitFor(file.descriptor, POLLIN, interrupt::requested)) {
      throw stopped();
    }
    ssize_t count = read(file.descriptor, block, sizeof(block));
    if (count == 0) {
      return text;
    }
    if (count > 0) {
      text.append(block, static_cast<size_t>(count));
    } else if (errno != EINTR && errno != EAGAIN) {
      throw unreadable(standard ? "standard input" : path);
    }
  }
}

LineReader::Event LineReader::next(std::string &line, bool pending) {
  auto stops = [&] {
    return interrupt::ending() || (interrupt::requested() && !pending);
  };
  for (;;) {
    size_t end = buffer.find('\n', searched);
    if (end == std::string::npos && ended && !buffer.empty()) {
      end = buffer.size();
    }
    if (end != std::string::npos) {
      line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      searched = 0;
      if (!line.empty() && line.back() == '\r') {
        line.pop_back();
      }
      if (!begun) {
        dropMark(line);
      }
      begun = true;
      return Event::line;
    }
    if (ended) {
      return Event::end;
    }
    searched = buffer.size();
    if (!interrupt::waitFor(STDIN_FILENO, POLLIN, stops)) {
      return interrupt::ending() ? Event::end : Event::interrupted;
    }
    char block[4096];
    ssize_t count = read(STDIN_FILENO, block, sizeof(block));
    if (count > 0) {
      buffer.append(block, static_cast<size_t>(count));
    } else if (count == 0) {
      ended = true;
    } else if (errno != EINTR && errno != EAGAIN) {
      throw unreadable("standard input");
    }
  }
}

} // namespace cheems
