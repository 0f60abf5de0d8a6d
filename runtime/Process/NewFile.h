// A file that appears under its name only when it is whole; until then the old
// one stays.
#ifndef CHEEMS_RUNTIME_PROCESS_NEWFILE_H
#define CHEEMS_RUNTIME_PROCESS_NEWFILE_H

#include "runtime/Error.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace cheems {

class NewFile {
public:
  /// Starts a temporary file beside `path`, or beside what `path` links to:
  /// links stay. It has the mode of the file that it will replace, or that of
  /// any new file. Throws Error, also where `path` is empty or something that
  /// a file must not replace: a folder, a device.
  explicit NewFile(const std::string &path);
  /// Removes the temporary file unless `finish` was reached; a second signal
  /// that ends a program at once does, too.
  ~NewFile();
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  /// Bytes from `offset` on; what lies between is zero. Throws Error.
  void write(const void *bytes, size_t size, int64_t offset);

  enum class Sync { none, disk };
  /// Puts the file in its place; with Sync::disk the bytes are on the disk
  /// before the name leads to them. Throws Error.
  void finish(Sync sync = Sync::none);

private:
  FileUnusable failure() const;

  std::string path, target, temporary;
  int descriptor;
};

} // namespace cheems

#endif
