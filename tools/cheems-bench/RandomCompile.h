// Compiles models of random weights, which have an operation to time alone.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_RANDOMCOMPILE_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_RANDOMCOMPILE_H

#include "Load.h"
#include "Options.h"
#include "RandomModel.h"
#include <functional>
#include <string>
#include <vector>

namespace cheems::bench {

using Tell = std::function<void(const std::string &)>;

/// What is compiled, and how.
struct RandomCompile {
  RandomModel model;
  std::string name;    ///< for messages: "ssd 8192x12x64x128"
  std::string kind;    ///< of what is loaded, for reports: "layer"
  std::string file;    ///< where it is kept: "ssd-12x64x128", without rows
  std::string weights; ///< --weights of the command line
  std::vector<std::string> flags; ///< for cheems-compile, besides the target
  double stateBytes = 0;          ///< of a session
};

/// Compiles it in a temporary folder, and loads it. With options.compiledFolder
/// it is kept there, and taken from there if it is there already. `tell` is
/// told what is being done, `announce` what takes much of the disk. Throws
/// Error, CompileFailed.
LoadedModel makeRandom(const RandomCompile &what, const Options &options,
                       int threads, const Tell &tell, const Tell &announce);

/// Puts into options.compiledFolder what options.operations and options.shapes
/// need and what is not there. Runs nothing. Throws Error, CompileFailed.
void compileOperations(const Options &options);

} // namespace cheems::bench

#endif
