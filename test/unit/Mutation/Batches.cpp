// Runs numbered jobs in child processes, so that a crash or a hang of one is an
// observation.
#include "Batches.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cheems::test {

namespace {

/// What a child leaves behind, in memory that its parent sees.
struct Board {
  std::atomic<int64_t> next; ///< the job it is at
  int64_t counted;
  char stage[64];
  char frames[4096];
  size_t inputSize;
  char input[1 << 20];
};

void copyText(char *to, size_t room, const std::string &text) {
  size_t size = std::min(room - 1, text.size());
  std::memcpy(to, text.data(), size);
  to[size] = 0;
}

Board *board = nullptr; // this child's

/// Writes down where it happened; then the signal takes its course.
void onSignal(int signal) {
  constexpr int most = 24;
  void *addresses[most];
  int depth = backtrace(addresses, most);
  std::string text;
  for (int i = 2; i < depth; ++i) { // after this function and the trampoline
    Dl_info info;
    if (dladdr(addresses[i], &info) == 0) {
      continue;
    }
    const char *file = std::strrchr(info.dli_fname, '/');
    text += file != nullptr ? file + 1 : info.dli_fname;
    text += ' ';
    text += info.dli_sname != nullptr ? info.dli_sname : "?";
    text += '\n';
  }
  copyText(board->frames, sizeof board->frames, text);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void catchSignals() {
  // A stack that overflows cannot hold its own handler.
  constexpr size_t stackBytes = 1 << 18;
  static char stack[stackBytes];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = stackBytes;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM}) {
    sigaction(signal, &action, nullptr);
  }
}

class BoardNotes : public Notes {
public:
  void stage(const std::string &name) override {
    copyText(board->stage, sizeof board->stage, name);
  }
  void keep(const std::string &input) override {
    copyText(board->input, sizeof board->input, input);
    board->inputSize = std::min(sizeof board->input - 1, input.size());
  }
  void count(int64_t sound) override { board->counted += sound; }
};

struct Child {
  pid_t pid = 0;
  int64_t end = 0; ///< of its jobs
  Board *board = nullptr;
};

std::string describe(int status) {
  return WIFSIGNALED(status)
             ? std::string(WTERMSIG(status) == SIGALRM
                               ? "hangs"
                               : strsignal(WTERMSIG(status)))
             : "exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

Summary runJobs(int64_t count, unsigned seconds, int processes,
                const std::function<void()> &start,
                const std::function<void(int64_t, Notes &)> &job) {
  Summary summary;
  constexpr int64_t batch = 200; // then a fresh process, whose memory is small
  std::vector<std::pair<int64_t, int64_t>> open;
  for (int64_t from = 0; from < count; from += batch) {
    open.emplace_back(from, std::min(count, from + batch));
  }
  std::reverse(open.begin(), open.end());
  std::vector<Child> children(processes);
  for (Child &child : children) {
    void *shared = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
      throw std::bad_alloc();
    }
    child.board = new (shared) Board();
  }
  int running = 0;
  auto launch = [&](Child &child) {
    auto [from, to] = open.back();
    open.pop_back();
    child.end = to;
    child.board->next = from;
    child.board->counted = 0;
    child.pid = fork();
    if (child.pid < 0) {
      throw std::runtime_error("cannot fork");
    }
    if (child.pid == 0) {
      board = child.board;
      catchSignals();
      BoardNotes notes;
      start();
      for (int64_t i = from; i < to; ++i) {
        board->next = i;
        board->frames[0] = 0;
        board->stage[0] = 0;
        alarm(seconds);
        job(i, notes);
      }
      board->next = to;
      _exit(0);
    }
    ++running;
  };
  while (running > 0 || !open.empty()) {
    for (Child &child : children) {
      if (child.pid == 0 && !open.empty()) {
        launch(child);
      }
    }
    int status = 0;
    pid_t ended = wait(&status);
    auto child =
        std::find_if(children.begin(), children.end(),
                     [&](const Child &one) { return one.pid == ended; });
    if (child == children.end()) {
      throw std::runtime_error("lost a child process");
    }
    child->pid = 0;
    --running;
    Board &left = *child->board;
    summary.counted += left.counted;
    if (left.next < child->end) {
      summary.crashes.push_back({left.next, left.stage, describe(status),
                                 std::string(left.input, left.inputSize),
                                 left.frames});
      if (left.next + 1 < child->end) {
        open.emplace_back(left.next + 1, child->end);
      }
    }
  }
  for (Child &child : children) {
    munmap(child.board, sizeof(Board));
  }
  return summary;
}

} // namespace cheems::test
