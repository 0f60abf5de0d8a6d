#include "runtime/Generation/Workplace.h"
#include "runtime/Error.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace cheems {

namespace {

constexpr const char *lockName = "lock";

/// Removes all but the lock.
void clear(const fs::path &path) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().filename() != lockName) {
      found.push_back(it->path());
    }
  }
  for (const fs::path &each : found) {
    fs::remove_all(each, error);
  }
}

/// The lock goes last: who waited for it sees that it is gone and starts anew.
void discard(const fs::path &path) {
  clear(path);
  unlink((path / lockName).c_str());
  rmdir(path.c_str());
}

FileLock occupy(const std::string &path, const std::function<void()> &waits) {
  for (bool told = false;;) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      throw Error("cannot make " + path + ": " + std::strerror(errno) +
                  "; set XDG_CACHE_HOME to another place");
    }
    auto lock = FileLock::create(path + "/" + lockName);
    if (!lock) {
      continue; // the one before has just left
    }
    if (!lock->tryTake(FileLock::Kind::exclusive)) {
      if (!told) {
        waits();
        told = true;
      }
      lock->take(FileLock::Kind::exclusive);
    }
    if (!lock->gone()) {
      clear(path);
      return std::move(*lock);
    }
  }
}

} // namespace

Workplace::Workplace(const std::string &path,
                     const std::function<void()> &waits)
    : path(path), lock(occupy(path, waits)) {}

Workplace::~Workplace() { discard(path); }

void Workplace::removeIfLeft(const std::string &path) {
  auto lock = FileLock::create(path + "/" + lockName);
  if (lock && lock->tryTake(FileLock::Kind::exclusive) && !lock->gone()) {
    discard(path);
  }
}

} // namespace cheems
