// Options of the target cpu.
#ifndef CHEEMS_LIB_COMPILER_CPU_OPTIONS_H
#define CHEEMS_LIB_COMPILER_CPU_OPTIONS_H

#include "cheems/Compiler/Backend.h"

namespace cheems {

struct CPUOptions {
  std::string cpu; ///< "portable", "native", or a name
  /// Tokens of a prompt for which experts' rows are read once, in the order of
  /// their ids; 0: token by token, the only way of scalar code.
  int64_t groupExperts;
  bool scalar;
  bool raceChecks; ///< code with the checks of ThreadSanitizer

  static std::vector<BackendOption> all();
  static llvm::Expected<CPUOptions> read(const Backend &backend,
                                         const CompileOptions &options);
};

} // namespace cheems

#endif
