#include "runtime/Generation/FileLock.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace cheems {

static int operationOf(FileLock::Kind kind) {
  return kind == FileLock::Kind::shared ? LOCK_SH : LOCK_EX;
}

static Error cannot(const std::string &what, const std::string &path) {
  return Error("cannot " + what + " " + path + ": " + std::strerror(errno) +
               "; set XDG_CACHE_HOME to another place");
}

std::optional<FileLock> FileLock::open(const std::string &path, int flags) {
  constexpr int always = O_CLOEXEC | O_NOFOLLOW;
  int file = ::open(path.c_str(), O_RDWR | always | flags,
                    0600); // to lock exclusively, NFS wants it writable
  if (file < 0 && errno == EROFS && flags == 0) { // reading does, mostly
    file = ::open(path.c_str(), O_RDONLY | always);
  }
  if (file < 0 && errno != ENOENT) {
    throw cannot("open", path);
  }
  return file < 0 ? std::nullopt : std::optional(FileLock(path, file));
}

std::optional<FileLock> FileLock::open(const std::string &path) {
  return open(path, 0);
}

std::optional<FileLock> FileLock::create(const std::string &path) {
  return open(path, O_CREAT);
}

FileLock::FileLock(FileLock &&other) noexcept
    : path(std::move(other.path)), file(std::exchange(other.file, -1)) {}

FileLock::~FileLock() {
  if (file >= 0) {
    close(file);
  }
}

bool FileLock::tryTake(Kind kind) {
  if (flock(file, operationOf(kind) | LOCK_NB) == 0) {
    return true;
  }
  if (errno != EWOULDBLOCK) {
    throw cannot("lock", path);
  }
  return false;
}

void FileLock::take(Kind kind) {
  // A signal that comes just before a wait would not end it.
  while (!tryTake(kind)) {
    if (interrupt::requested()) {
      throw Error(Status::interrupted, "interrupted");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool FileLock::gone() const {
  struct stat found;
  return fstat(file, &found) != 0 || found.st_nlink == 0;
}

} // namespace cheems
