// A lock on a file, which the system takes back when its process ends, however
// that comes.
#ifndef CHEEMS_RUNTIME_GENERATION_FILELOCK_H
#define CHEEMS_RUNTIME_GENERATION_FILELOCK_H

#include <optional>
#include <string>

namespace cheems {

class FileLock {
public:
  enum class Kind { shared, exclusive };

  /// Opens `path` without locking it; nothing where it is not there. Throws
  /// Error.
  static std::optional<FileLock> open(const std::string &path);
  /// The same, but makes it; nothing where its folder is not there.
  static std::optional<FileLock> create(const std::string &path);
  FileLock(FileLock &&other) noexcept;
  FileLock &operator=(FileLock &&other) = delete;
  ~FileLock();

  /// False where another holds it. Throws Error.
  bool tryTake(Kind kind);
  /// Waits. Throws Error, interrupted on Ctrl-C.
  void take(Kind kind);

  int descriptor() const { return file; }
  /// Whether the file was removed since it was opened.
  bool gone() const;

private:
  FileLock(const std::string &path, int file) : path(path), file(file) {}
  static std::optional<FileLock> open(const std::string &path, int flags);

  std::string path;
  int file;
};

} // namespace cheems

#endif
