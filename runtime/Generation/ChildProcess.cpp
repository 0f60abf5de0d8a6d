#include "runtime/Generation/ChildProcess.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cheems {

namespace {

/// How the child's files and signals differ from ours.
struct Setup {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  explicit Setup(int output) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t defaults; // SIGPIPE is ignored here, and would stay so
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  }
  ~Setup() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

std::string readAll(int descriptor) {
  std::string text;
  char block[4096];
  for (;;) {
    ssize_t count = read(descriptor, block, sizeof(block));
    if (count > 0) {
      text.append(block, static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

/// A terminal told it already, others did not. One started in the background
/// ignores SIGINT; what is to end us is to end it.
void passSignal(pid_t child) {
  kill(child, interrupt::ending() ? SIGTERM : SIGINT);
}

/// What wait4 tells of the child. Throws Error where it tells nothing.
int waitFor(pid_t child, rusage &usage) {
  int state = 0;
  // no signal between asking and waiting
  int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (handle >= 0) {
    if (!interrupt::waitFor(handle, POLLIN, interrupt::requested)) {
      passSignal(child);
    }
    close(handle);
  }
  while (wait4(child, &state, 0, &usage) < 0) {
    if (errno != EINTR) { // SIGCHLD is ignored in this process
      throw Error(std::string("cannot find out how a program ended: ") +
                  std::strerror(errno));
    }
    if (interrupt::requested()) {
      passSignal(child);
    }
  }
  return state;
}

} // namespace

int runChild(const std::vector<std::string> &arguments, std::string *output,
             ChildCost *cost) {
  auto begin = std::chrono::steady_clock::now();
  std::vector<char *> words;
  words.reserve(arguments.size() + 1);
  for (const std::string &argument : arguments) {
    words.push_back(const_cast<char *>(argument.c_str()));
  }
  words.push_back(nullptr);

  int pipeEnds[2] = {-1, -1};
  if (output && pipe2(pipeEnds, O_CLOEXEC) != 0) {
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  pid_t child = 0;
  int failure;
  {
    Setup setup(output ? pipeEnds[1] : STDERR_FILENO);
    failure = posix_spawn(&child, words[0], &setup.files, &setup.attributes,
                          words.data(), environ);
  }
  if (output) {
    close(pipeEnds[1]);
    if (failure == 0) {
      *output = readAll(pipeEnds[0]);
    }
    close(pipeEnds[0]);
  }
  if (failure != 0) {
    throw Error("cannot start " + arguments[0] + ": " + std::strerror(failure));
  }
  rusage usage = {};
  int state = waitFor(child, usage);
  if (cost) {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    cost->seconds = passed.count();
    cost->peakBytes = int64_t(usage.ru_maxrss) * 1024;
  }
  if (state != 0 && interrupt::requested()) { // what is done stays done
    throw Error(Status::interrupted, "interrupted");
  }
  if (WIFEXITED(state)) {
    return WEXITSTATUS(state);
  }
  if (WTERMSIG(state) == SIGINT || WTERMSIG(state) == SIGTERM) {
    return static_cast<int>(Status::interrupted);
  }
  int signal = WTERMSIG(state);
  bool memory = signal == SIGKILL || signal == SIGABRT; // the kernel, LLVM
  throw Error(arguments[0] + " was ended by signal " + std::to_string(signal) +
              (memory ? "; memory may have run out" : ""));
}

} // namespace cheems
