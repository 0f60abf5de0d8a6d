// The command line of cheems-bench.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_OPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_OPTIONS_H

#include "Operation.h"
#include "runtime/Artifact/DeviceChoice.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems::bench {

/// y [rows, columns] = x [rows, length] * W [columns, length]^T
struct MatmulShape {
  int64_t rows, columns, length;

  /// "matmul 1x4096x1024".
  std::string name() const {
    return "matmul " + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + std::to_string(length);
  }
};

/// Checked: numbers are in range, what is needed is there.
struct Options {
  std::vector<std::string> models;    ///< or nothing
  std::optional<std::string> compile; ///< model folder to compile first

  /// One test a combination; 0 tokens: no such test.
  std::vector<int64_t> prompts = {512}, generated = {128}, depths = {0},
                       sequences = {1};
  std::vector<int64_t> threads = {0}; ///< 0: the cores
  DeviceChoice device;                ///< of models
  int64_t repetitions = 5;
  int64_t context = 0;      ///< 0: what a test needs
  int64_t prefillChunk = 0; ///< 0: the session's default
  bool greedy = false;      ///< what is generated is fed, and not random tokens
  bool limits = true;       ///< the machine's are measured, too
  bool json = false;
  bool counts = false; ///< of the software GPU, instead of times

  /// "matmul" times matmuls instead of models, others an operation of the
  /// paper.
  std::string ops;
  std::vector<MatmulShape> shapes; ///< of matmuls; none: those of the model
  std::vector<OperationPointer> operations;
  std::string weights = "bf16";              ///< of matmuls and operations
  std::vector<std::string> compileArguments; ///< of model folders
  int64_t groupExperts = 0;                  ///< rows; 0: token by token
  std::string compiledFolder; ///< of compiled operations; empty: none is kept
  bool compileOnly = false;   ///< into compiledFolder
};

/// Nothing where the command line asked for help or the version, which are
/// then printed. Throws Error: usage.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace cheems::bench

#endif
