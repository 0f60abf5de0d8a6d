#include "runtime/Process/NewFile.h"
#include "runtime/Process/Interrupt.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace cheems;

namespace {

/// Returns where a chain of links leads, even if that file is not there yet.
/// The kernel has followed it before, so it ends.
std::string endOfLinks(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40; ++links) {
    auto next = std::filesystem::read_symlink(path, error);
    if (error) {
      break;
    }
    path = path.parent_path() / next;
  }
  return path.string();
}

} // namespace

FileUnusable NewFile::failure() const {
  return FileUnusable("cannot write " + path + ": " + std::strerror(errno));
}

NewFile::NewFile(const std::string &path) : path(path), descriptor(-1) {
  if (path.empty()) { // its temporary file could be made, in this folder
    throw FileUnusable(std::string("cannot write '': ") +
                       std::strerror(ENOENT));
  }
  struct stat existing;
  bool replaces = stat(path.c_str(), &existing) == 0;
  if (!replaces && errno != ENOENT) { // such as links in a circle
    throw failure();
  }
  if (replaces && !S_ISREG(existing.st_mode)) {
    throw FileUnusable("cannot write " + path + ": " +
                       (S_ISDIR(existing.st_mode)
                            ? std::strerror(EISDIR)
                            : "it is not a regular file"));
  }
  target = endOfLinks(path);
  // Not mkstemp: it keeps the file to its owner, and the process's mask, which
  // is to be applied, can only be asked for by changing it for all threads.
  std::random_device random;
  for (int attempt = 0; descriptor < 0; ++attempt) {
    temporary = target + "." + std::to_string(random()) + ".tmp";
    descriptor = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                      replaces ? 0600 : 0666);
    if (descriptor < 0 && (errno != EEXIST || attempt == 100)) {
      throw failure();
    }
  }
  interrupt::addUnfinished(temporary.c_str());
  if (replaces) {
    fchmod(descriptor, existing.st_mode & 0777);
  }
}

NewFile::~NewFile() {
  if (descriptor >= 0) {
    close(descriptor);
    unlink(temporary.c_str());
  }
  interrupt::dropUnfinished(temporary.c_str());
}

void NewFile::write(const void *bytes, size_t size, int64_t offset) {
  const char *at = static_cast<const char *>(bytes);
  while (size != 0) {
    ssize_t written = pwrite(descriptor, at, size, offset);
    if (written < 0 && errno != EINTR) {
      throw failure();
    }
    if (written > 0) {
      at += written;
      offset += written;
      size -= static_cast<size_t>(written);
    }
  }
}

void NewFile::finish(Sync sync) {
  if (sync == Sync::disk && fsync(descriptor) != 0) {
    throw failure(); // the destructor removes it
  }
  bool closed = close(descriptor) == 0;
  descriptor = -1;
  if (!closed || rename(temporary.c_str(), target.c_str()) != 0) {
    Error error = failure();
    unlink(temporary.c_str());
    throw error;
  }
  if (sync == Sync::disk) { // the new name too; a hint where it cannot be had
    size_t slash = target.find_last_of('/');
    std::string folder = slash == std::string::npos
                             ? "."
                             : target.substr(0, slash == 0 ? 1 : slash);
    int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      fsync(directory);
      close(directory);
    }
  }
}
