#include "runtime/Generation/Prompt.h"
#include "runtime/Error.h"
#include "runtime/Generation/Interrupt.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace cheems {

static Error unreadable(const std::string &name) {
  return Error("cannot read " + name + ": " + std::strerror(errno));
}

std::string readText(const std::string &path) {
  bool standard = path == "-";
  std::string name = standard ? "standard input" : path;
  int descriptor =
      standard ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw unreadable(name);
  }
  std::string text;
  char block[65536];
  ssize_t count;
  do {
    count = read(descriptor, block, sizeof(block));
    if (count > 0) {
      text.append(block, static_cast<size_t>(count));
    }
  } while (count > 0 ||
           (count < 0 && errno == EINTR && !interrupt::requested()));
  int reason = count < 0 ? errno : 0;
  if (!standard) {
    close(descriptor);
  }
  if (reason == EINTR) {
    throw Error(Status::interrupted, "interrupted");
  }
  if (reason != 0) {
    errno = reason;
    throw unreadable(name);
  }
  return text;
}

/// Until there is input; false for a Ctrl-C. The signal is let in by ppoll
/// alone, so none can arrive unnoticed between looking for it and waiting.
bool LineReader::wait(bool pending) {
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGINT);
  sigaddset(&held, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  int ready = 0;
  bool interrupted = false;
  do {
    interrupted = interrupt::requested() && !pending;
    ready = interrupted ? 0 : ppoll(&input, 1, nullptr, &before);
  } while (ready < 0 && errno == EINTR);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !interrupted;
}

LineReader::Event LineReader::next(std::string &line, bool pending) {
  for (;;) {
    size_t end = buffer.find('\n');
    if (end == std::string::npos && ended && !buffer.empty()) {
      end = buffer.size();
    }
    if (end != std::string::npos) {
      line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return Event::line;
    }
    if (ended) {
      return Event::end;
    }
    if (!wait(pending)) {
      return Event::interrupted;
    }
    char block[4096];
    ssize_t count = read(STDIN_FILENO, block, sizeof(block));
    if (count > 0) {
      buffer.append(block, static_cast<size_t>(count));
    } else if (count == 0) {
      ended = true;
    } else if (errno != EINTR) {
      throw unreadable("standard input");
    }
  }
}

} // namespace cheems
