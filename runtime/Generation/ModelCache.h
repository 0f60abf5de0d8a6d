// Model folders given where a compiled model is expected: compiled once, kept
// in the user's cache (docs/cache.md).
#ifndef CHEEMS_RUNTIME_GENERATION_MODELCACHE_H
#define CHEEMS_RUNTIME_GENERATION_MODELCACHE_H

#include "runtime/Artifact/Model.h"
#include "runtime/Generation/CacheFolder.h"
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cheems {

/// The compiler ended with this exit code, having said why.
struct CompileFailed {
  int code;
};

/// Called with one line for people.
using Notify = std::function<void(const std::string &)>;

class ModelCache {
public:
  struct Settings {
    std::string compiler;  ///< path of cheems-compile
    std::string directory; ///< where compiled models are kept
    int64_t limit = 0;     ///< bytes of them; 0: none
    /// A file that changed less long ago is read again each time: its next
    /// change might have the same time.
    std::chrono::nanoseconds settling = std::chrono::seconds(2);
    /// Features of the CPU that a process may use: they decide which code
    /// "--cpu native" makes.
    std::vector<std::string> cpu = {};
  };

  explicit ModelCache(Settings settings);
  /// The path of the cheems-compile beside this program. Throws Error.
  static std::string standardCompiler();
  /// With `standardCompiler()`, `CacheFolder::standard()`,
  /// `CacheFolder::standardLimit()` and the features of this CPU.
  static ModelCache standard();

  /// The compiled model of a folder, compiled now with `arguments` if it is not
  /// there, and opened for `device`. Several processes may do so at once: one
  /// compiles. Throws Error, CompileFailed.
  std::shared_ptr<const Model>
  open(const std::string &folder, const Notify &notify,
       const std::vector<std::string> &arguments = {},
       const DeviceChoice &device = {}) const;

  /// Returns where that model is kept. The name changes with the contents of
  /// the configuration, the tokenizer and the weight files; `arguments`; the
  /// compiler; and this machine's CPU.
  std::string path(const std::string &folder,
                   const std::vector<std::string> &arguments = {}) const;

private:
  struct Source;
  Source read(const std::string &folder,
              const std::vector<std::string> &arguments,
              const Notify &notify) const;
  /// Changes the index. It only saves time: where it cannot be written that is
  /// said, and models run all the same.
  void remember(const std::function<void(CacheIndex &)> &change,
                const Notify &notify) const;
  std::shared_ptr<const Model> openKept(const Source &source,
                                        const Notify &notify) const;
  std::shared_ptr<const Model> compile(const Source &source,
                                       const Notify &notify) const;

  Settings settings;
  CacheFolder cache;
};

/// MODEL of a command line: a compiled file, or a model folder by way of
/// `ModelCache::standard()`, compiled for `device`. A file takes no
/// `arguments`: throws Error (usage).
std::shared_ptr<const Model>
openModel(const std::string &path, const Notify &notify,
          const std::vector<std::string> &arguments = {},
          const DeviceChoice &device = {});

/// Those of cheems-compile for a model folder that is to run on `device` of
/// this machine. "--target cuda" comes to them where a GPU was asked for and
/// they name no target. "--cpu native" comes to them where code for CPUs is
/// made and they do not say for which. Where CHEEMS_CPU names a variant it does
/// not: that variant need not be this machine's best, and one file then serves
/// all names.
std::vector<std::string> compileArguments(std::vector<std::string> arguments,
                                          const DeviceChoice &device);

} // namespace cheems

#endif
