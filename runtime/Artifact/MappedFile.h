// A file mapped read-only for as long as the object lives.
#ifndef CHEEMS_RUNTIME_ARTIFACT_MAPPEDFILE_H
#define CHEEMS_RUNTIME_ARTIFACT_MAPPEDFILE_H

#include <string>
#include <string_view>

namespace cheems {

class MappedFile {
public:
  /// Throws Error when the path cannot be opened or is no regular file (links
  /// to one are fine).
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return {base, size}; }
  /// Open for as long as the object lives.
  int descriptor() const { return fd; }

private:
  int fd = -1;
  const char *base = nullptr;
  size_t size = 0;
};

} // namespace cheems

#endif
