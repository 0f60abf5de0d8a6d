#include "runtime/Generation/LogitsFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cheems {

Error LogitsFile::failure(const char *what) const {
  return Error(std::string("cannot ") + what + " " + path + ": " +
               std::strerror(errno));
}

LogitsFile::LogitsFile(const std::string &path, int64_t batch, int64_t tokens,
                       int64_t vocabulary)
    : path(path), temporary(path + ".XXXXXX"), vocabulary(vocabulary),
      missing(batch * tokens) {
  int64_t rows, bytes;
  if (__builtin_mul_overflow(batch, tokens, &rows) ||
      __builtin_mul_overflow(rows, vocabulary * int64_t(sizeof(float)),
                             &bytes)) {
    throw Error("logits for " + std::to_string(batch) + " rows of " +
                std::to_string(tokens) + " tokens fit in no file");
  }
  struct stat existing;
  if (stat(path.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode)) {
    errno = EISDIR;
    throw failure("write");
  }
  descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) {
    throw failure("write");
  }
  mode_t mask = umask(0); // mkostemp keeps the file to its owner
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);

  std::string header = "{\"logits\":{\"dtype\":\"F32\",\"shape\":[" +
                       std::to_string(batch) + "," + std::to_string(tokens) +
                       "," + std::to_string(vocabulary) +
                       "],\"data_offsets\":[0," + std::to_string(bytes) + "]}}";
  header.resize((header.size() + 7) / 8 * 8, ' '); // the data starts aligned
  uint64_t size = header.size();
  try {
    write(&size, sizeof(size));
    write(header.data(), header.size());
  } catch (const Error &) { // no destructor runs for what was never made
    close(descriptor);
    unlink(temporary.c_str());
    throw;
  }
}

LogitsFile::~LogitsFile() {
  if (descriptor >= 0) {
    close(descriptor);
    unlink(temporary.c_str());
  }
}

void LogitsFile::write(const void *bytes, size_t size) {
  const char *at = static_cast<const char *>(bytes);
  while (size != 0) {
    ssize_t written = ::write(descriptor, at, size);
    if (written < 0 && errno != EINTR) {
      throw failure("write");
    }
    if (written > 0) {
      at += written;
      size -= static_cast<size_t>(written);
    }
  }
}

void LogitsFile::append(const float *logits, int64_t rows) {
  if (rows > missing) {
    throw Error(path + ": more logits than the file was made for");
  }
  missing -= rows;
  write(logits, static_cast<size_t>(rows * vocabulary) * sizeof(float));
}

void LogitsFile::finish() {
  if (missing != 0) {
    throw Error(path + ": " + std::to_string(missing) +
                " rows of logits are missing");
  }
  bool closed = close(descriptor) == 0;
  descriptor = -1;
  if (!closed || rename(temporary.c_str(), path.c_str()) != 0) {
    Error error = failure("write");
    unlink(temporary.c_str());
    throw error;
  }
}

} // namespace cheems
