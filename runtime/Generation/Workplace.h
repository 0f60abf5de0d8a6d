// A folder to work in, for one process at a time; it goes away with all that is
// in it.
#ifndef CHEEMS_RUNTIME_GENERATION_WORKPLACE_H
#define CHEEMS_RUNTIME_GENERATION_WORKPLACE_H

#include "runtime/Generation/FileLock.h"
#include <functional>
#include <string>

namespace cheems {

class Workplace {
public:
  /// Makes the folder, or takes over what another process left in the middle of
  /// its work. Where one works there now, calls `waits` and waits for it.
  /// Throws Error.
  Workplace(const std::string &path, const std::function<void()> &waits);
  ~Workplace();
  Workplace(const Workplace &) = delete;
  Workplace &operator=(const Workplace &) = delete;

  /// Removes such a folder unless a process works in it.
  static void removeIfLeft(const std::string &path);

private:
  std::string path;
  FileLock lock;
};

} // namespace cheems

#endif
