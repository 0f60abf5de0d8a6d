// A file mapped read-only for as long as the object lives.
#ifndef CHEEMS_RUNTIME_ARTIFACT_MAPPEDFILE_H
#define CHEEMS_RUNTIME_ARTIFACT_MAPPEDFILE_H

#include <string>
#include <string_view>

namespace cheems {

class MappedFile {
public:
  /// The file that is open as `given`, which `path` only names; where that is
  /// negative, that of `path`. Throws FileUnusable when it cannot be opened or
  /// is no regular file (links to one are fine).
  explicit MappedFile(const std::string &path, int given = -1);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return {base, size}; }
  /// Open for as long as the object lives.
  int descriptor() const { return fd; }

private:
  int fd;
  const char *base = nullptr;
  size_t size = 0;
};

} // namespace cheems

#endif
