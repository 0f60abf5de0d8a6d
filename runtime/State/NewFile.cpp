#include "runtime/State/NewFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cheems;

Error NewFile::failure() const {
  return Error("cannot write " + path + ": " + std::strerror(errno));
}

NewFile::NewFile(const std::string &path)
    : path(path), temporary(path + ".XXXXXX") {
  struct stat existing;
  if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    throw Error("cannot write " + path + ": " +
                (S_ISDIR(existing.st_mode) ? std::strerror(EISDIR)
                                           : "it is not a regular file"));
  }
  descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) {
    throw failure();
  }
  mode_t mask = umask(0); // mkostemp keeps the file to its owner
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
}

NewFile::~NewFile() {
  if (descriptor >= 0) {
    close(descriptor);
    unlink(temporary.c_str());
  }
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
  if (!closed || rename(temporary.c_str(), path.c_str()) != 0) {
    Error error = failure();
    unlink(temporary.c_str());
    throw error;
  }
  if (sync == Sync::disk) { // the new name too; a hint where it cannot be had
    size_t slash = path.find_last_of('/');
    std::string folder = slash == std::string::npos
                             ? "."
                             : path.substr(0, slash == 0 ? 1 : slash);
    int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      fsync(directory);
      close(directory);
    }
  }
}
