// Model folders given where a compiled model is expected: compiled once, kept
// in the user's cache.
#ifndef CHEEMS_RUNTIME_GENERATION_MODELCACHE_H
#define CHEEMS_RUNTIME_GENERATION_MODELCACHE_H

#include "runtime/Artifact/Model.h"
#include <functional>
#include <memory>
#include <string>

namespace cheems {

/// The compiler ended with this exit code, having said why.
struct CompileFailed {
  int code;
};

class ModelCache {
public:
  /// `compiler` is the path of cheems-compile, `directory` where compiled
  /// models are kept; it is made when needed.
  ModelCache(std::string compiler, std::string directory);
  /// The path of the cheems-compile beside this program. Throws Error.
  static std::string standardCompiler();
  /// `standardCompiler()` and `defaultDirectory()`.
  static ModelCache standard();
  /// $XDG_CACHE_HOME/cheems, where that is unset ~/.cache/cheems. Throws
  /// Error if neither can be told.
  static std::string defaultDirectory();

  /// The compiled model of a folder, compiled now if it is not there. Several
  /// processes may do so at once. Throws Error, CompileFailed.
  std::shared_ptr<const Model>
  open(const std::string &folder,
       const std::function<void(const std::string &)> &notify) const;

  /// Where that model is kept. The name changes with the configuration's and
  /// tokenizer's contents; each weight file's path, size and time; the
  /// compiler; and this machine's CPU.
  std::string path(const std::string &folder) const;

private:
  void compile(const std::string &folder, const std::string &target) const;

  std::string compiler, directory;
};

/// MODEL of a command line: a compiled file, or a model folder by way of
/// `ModelCache::standard()`.
std::shared_ptr<const Model>
openModel(const std::string &path,
          const std::function<void(const std::string &)> &notify);

} // namespace cheems

#endif
