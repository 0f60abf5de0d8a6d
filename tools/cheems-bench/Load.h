// A model to time: what is to be told about it, how long it takes to load.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_LOAD_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_LOAD_H

#include "Progress.h"
#include "runtime/Artifact/Model.h"
#include "runtime/Generation/ChildProcess.h"
#include "runtime/Generation/ModelCache.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cheems::bench {

/// From nothing to the first token, the file being in the page cache; seconds.
struct LoadTime {
  double open = 0, session = 0, decode = 0;
  double total() const { return open + session + decode; }
};

/// What the rows of a model have in common.
struct ModelFacts {
  std::string path; ///< empty: made for a moment
  std::string name, type, weights, variant, pipeline, compiler;
  int64_t fileBytes = 0;
  std::optional<int64_t> parameters; ///< where the compiler told
  std::string productUnit;           ///< empty: on a GPU
  std::string device;                ///< "cpu", "cuda:0"
  std::string gpu;                   ///< its name, if it is a GPU
  LoadTime load;
  std::optional<ChildCost> compile; ///< where --compile asked for it
};

struct LoadedModel {
  std::shared_ptr<const Model> model;
  ModelFacts facts;
};

/// Loads it twice for `device`, with a session of `context` tokens (0: the
/// model's default); the second time is told. `name` is for reports,
/// `arguments` are for cheems-compile where `path` is a model folder. Throws
/// Error, CompileFailed.
LoadedModel loadModel(const std::string &path, const std::string &name,
                      int threads, int64_t context = 0,
                      const std::vector<std::string> &arguments = {},
                      const Notify &notify = say,
                      const DeviceChoice &device = {});

} // namespace cheems::bench

#endif
