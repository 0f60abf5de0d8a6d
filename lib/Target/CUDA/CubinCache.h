// Machine code that was assembled before, in files that are named by what it
// was made of.
#ifndef CHEEMS_LIB_TARGET_CUDA_CUBINCACHE_H
#define CHEEMS_LIB_TARGET_CUDA_CUBINCACHE_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cheems::cuda {

class CubinCache {
public:
  struct Entry {
    std::string report, code;
  };

  /// `folder` is made when something is kept; empty: nothing is.
  explicit CubinCache(std::string folder) : folder(std::move(folder)) {}

  /// XXH3-128 of all parts as 32 hexadecimal digits.
  static std::string keyOf(llvm::ArrayRef<llvm::StringRef> parts);
  /// Nothing where there is none, or a damaged one.
  std::optional<Entry> find(const std::string &key) const;
  /// Not being able to is no failure: the next compile assembles again.
  void keep(const std::string &key, const Entry &entry) const;

private:
  std::string pathOf(const std::string &key) const;
  void shrink() const;
  std::string folder;
};

} // namespace cheems::cuda

#endif
