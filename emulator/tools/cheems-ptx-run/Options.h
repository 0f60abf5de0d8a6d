//===- Options.h - The command line of cheems-ptx-run -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_OPTIONS_H
#define CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_OPTIONS_H

#include "Buffer.h"
#include "Machine/Launch.h"

#include <optional>
#include <string>
#include <vector>

namespace cheems::ptxrun {

/// A parameter of the kernel.
struct Parameter {
  std::string text;             ///< as it was given, for messages
  std::vector<std::byte> value; ///< a number; else empty
  /// The address of a buffer, or a tensor map of it.
  size_t buffer = 0;
  std::vector<uint64_t> box; ///< of a tensor map, outermost first
  uint32_t swizzle = 0;      ///< bytes, of a tensor map
};

/// NAME=VALUES or NAME=FILE
struct Named {
  size_t buffer;
  std::string text;
};

struct Options {
  std::string file = "-";
  std::string kernel; ///< empty: the only one
  bool list = false;
  emulator::Extent grid, block, cluster;
  uint32_t sharedBytes = 0;
  bool cooperative = false;
  std::vector<Buffer> buffers;
  std::vector<Parameter> parameters; ///< in the kernel's order
  std::vector<size_t> printed;
  std::vector<Named> expected, saved;
  std::optional<double> tolerance;
  uint64_t dataSeed = 1;
  std::string counts; ///< a file, - for tables on stdout, empty for neither
  emulator::Options emulator;
};

/// Nothing where --help or --version has said all. Throws Error (usage).
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace cheems::ptxrun

#endif
