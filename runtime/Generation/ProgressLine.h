// What is going on, in a line of standard error that is rewritten in place; on
// a terminal only.
#ifndef CHEEMS_RUNTIME_GENERATION_PROGRESSLINE_H
#define CHEEMS_RUNTIME_GENERATION_PROGRESSLINE_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace cheems {

class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void show(const std::string &text);
  void clear();

private:
  bool terminal, shown = false;
};

/// How far a prompt is that takes longer than a second, as long as this lives.
class PromptProgress {
public:
  explicit PromptProgress(int64_t count) : count(count) {}
  /// So many of its tokens are fed.
  void report(int64_t done);

private:
  using Clock = std::chrono::steady_clock;

  ProgressLine line;
  int64_t count;
  Clock::time_point begin = Clock::now(), last{};
};

/// The same of weights on their way to a GPU, for SessionOptions::uploading.
/// Throws Error (interrupted) when the program is to stop.
class UploadProgress {
public:
  void operator()(int64_t done, int64_t all);

private:
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<ProgressLine> line = std::make_shared<ProgressLine>();
  Clock::time_point begin = Clock::now(), last{};
};

/// "12800 of 1000000 tokens, 1280.0 tokens/s, 12 min 51 s left".
std::string promptProgress(int64_t done, int64_t count, double seconds);

} // namespace cheems

#endif
