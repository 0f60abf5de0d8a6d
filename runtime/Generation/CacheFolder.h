// The folder of the model cache: a file for each compiled model, an index, and
// places to compile in.
#ifndef CHEEMS_RUNTIME_GENERATION_CACHEFOLDER_H
#define CHEEMS_RUNTIME_GENERATION_CACHEFOLDER_H

#include "runtime/Generation/CacheIndex.h"
#include "runtime/Generation/FileLock.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cheems {

struct CachedModel {
  std::string key, path;
  int64_t bytes = 0;
  int64_t used = 0;          ///< last; ns since 1970
  CacheIndex::Origin origin; ///< without a folder: not known
};

class CacheFolder {
public:
  explicit CacheFolder(std::string path) : path(std::move(path)) {}
  /// $XDG_CACHE_HOME/cheems, where that is unset ~/.cache/cheems. Throws
  /// Error if neither can be told.
  static std::string standard();
  /// $CHEEMS_CACHE_SIZE in bytes: a number with K, M, G or T after it, or
  /// nothing; 0: no limit. 20G where it is unset. Throws Error (usage).
  static int64_t standardLimit();

  /// Makes it, and parents that it lacks, for its user alone. What is loaded
  /// from it runs: throws Error where others may have written there.
  void prepare() const;

  std::string modelPath(const std::string &key) const;
  CacheIndex index() const;
  /// Changes the index; one process at a time.
  void update(const std::function<void(CacheIndex &)> &change) const;

  /// The one used last comes first. Nothing where there is no folder yet.
  std::vector<CachedModel> models() const;
  /// Processes that run it go on.
  void remove(const CachedModel &model) const;
  /// Removes models, the one not used for longest first, until the rest has at
  /// most `limit` bytes; but none that a process holds locked. Returns how
  /// many.
  int shrink(int64_t limit) const;
  /// Removes what a process left that ended in the middle of its work.
  void sweep() const;

  /// Returns where `key` is compiled; see Workplace.
  std::string workPath(const std::string &key) const;

private:
  std::string indexPath() const { return path + "/index.json"; }
  FileLock lock() const;

  std::string path;
};

} // namespace cheems

#endif
