// What is going on, in a line of standard error that is rewritten in place; on
// a terminal only.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_PROGRESS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_PROGRESS_H

#include <string>

namespace cheems::bench {

class Progress {
public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void show(const std::string &text);
  void clear();

private:
  bool terminal, shown = false;
};

/// One line that stays, on standard error.
void say(const std::string &text);

} // namespace cheems::bench

#endif
