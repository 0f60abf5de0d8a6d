// What the model cache remembers beside the models: hashes of files that have
// not changed since they were read, and what each model was made from. Losing
// it costs reading files again.
#ifndef CHEEMS_RUNTIME_GENERATION_CACHEINDEX_H
#define CHEEMS_RUNTIME_GENERATION_CACHEINDEX_H

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace cheems {

/// What tells one state of a file from another without reading it.
struct FileStamp {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, modified = 0, changed = 0; ///< times in ns since 1970

  FileStamp() = default;
  explicit FileStamp(const struct stat &found);
  /// Throws Error.
  static FileStamp of(const std::string &path);
  bool operator==(const FileStamp &other) const;
  /// Whether the last change is so long ago that a later one has another time.
  bool settled(std::chrono::nanoseconds since) const;
};

/// XXH3-128 of a file's contents as 32 hexadecimal digits. Throws Error,
/// interrupted on Ctrl-C.
std::string hashOfFile(const std::string &path);
std::string hashOfText(const std::string &text);

struct CacheIndex {
  struct File {
    FileStamp stamp;
    std::string hash;
  };
  struct Origin {
    std::string folder;
    std::vector<std::string> arguments; ///< of cheems-compile
    bool operator==(const Origin &other) const {
      return folder == other.folder && arguments == other.arguments;
    }
  };
  std::map<std::string, File> files;    ///< by path
  std::map<std::string, Origin> models; ///< by key

  /// Empty where there is none that can be read.
  static CacheIndex load(const std::string &path);
  /// Files that are no more are left out. Throws Error.
  void save(const std::string &path) const;
};

} // namespace cheems

#endif
