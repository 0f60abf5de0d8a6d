// Files on the way to their name.
#ifndef CHEEMS_LIB_SUPPORT_TEMPORARYFILE_H
#define CHEEMS_LIB_SUPPORT_TEMPORARYFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include <string>
#include <system_error>
#include <utility>

namespace cheems {

/// A file that goes away with this, or on a signal, unless it is kept. Unlike
/// LLVM's it takes a name with '%' for what it is.
class TemporaryFile {
public:
  /// A new, empty file, named `before`, a number, `after`; its permissions are
  /// those that the process's mask leaves of all to read and write.
  static llvm::ErrorOr<TemporaryFile> create(llvm::StringRef before,
                                             llvm::StringRef after);
  TemporaryFile(TemporaryFile &&other) noexcept
      : name(std::exchange(other.name, std::string())) {}
  ~TemporaryFile();

  const std::string &path() const { return name; }
  /// Gives the file its name, in the same file system, once what is in it is on
  /// the disk. After an error it is still temporary.
  std::error_code keep(const std::string &as);

private:
  explicit TemporaryFile(std::string name) : name(std::move(name)) {}
  std::string name; ///< empty once kept or moved from
};

} // namespace cheems

#endif
