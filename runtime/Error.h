// The runtime's one exception; the C API turns it into a status and a message.
#ifndef CHEEMS_RUNTIME_ERROR_H
#define CHEEMS_RUNTIME_ERROR_H

#include <stdexcept>
#include <string>

namespace cheems {

/// Values are the tools' exit codes.
enum class Status {
  ok = 0,
  failed = 1,
  usage = 2,
  unsupported = 3,
  interrupted = 130
};

struct Error : std::runtime_error {
  Status status;
  Error(Status status, const std::string &message)
      : std::runtime_error(message), status(status) {}
  /// A plain failure.
  explicit Error(const std::string &message) : Error(Status::failed, message) {}
};

/// What a file holds is at fault: it fails in any place and at any time until
/// it is made again. A failure, too.
struct DamagedFile : Error {
  explicit DamagedFile(const std::string &message) : Error(message) {}
};

/// The system cannot open, read or write a file. A failure, too.
struct FileUnusable : Error {
  explicit FileUnusable(const std::string &message) : Error(message) {}
};

/// There is less memory than is needed. A failure, too.
struct MemoryShort : Error {
  explicit MemoryShort(const std::string &message) : Error(message) {}
};

/// Biases and a mask leave no token to choose. A failure, too.
struct NothingToChoose : Error {
  explicit NothingToChoose(const std::string &message) : Error(message) {}
};

} // namespace cheems

#endif
