// The CPU that code is made for: its features, and the sizes that follow from
// them.
#ifndef CHEEMS_TARGET_CPU_TARGETINFO_H
#define CHEEMS_TARGET_CPU_TARGETINFO_H

#include "cheems/Pipelines/Pipelines.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cheems {

struct TargetInfo {
  std::string cpu; ///< as asked for
  std::vector<std::string>
      features; ///< LLVM's names of what the code may use beyond x86-64, sorted
  /// Code carries AddressSanitizer's checks, as this compiler itself does.
#ifdef CHEEMS_ADDRESS_SANITIZER
  bool addressSanitizer = true;
#else
  bool addressSanitizer = false;
#endif

  /// "portable", "native" (this machine's CPUID bits, never its model name), or
  /// a name LLVM knows. UnsupportedError where x86-64-v3 is not met, naming
  /// what is missing.
  static llvm::Expected<TargetInfo> find(llvm::StringRef cpu);

  bool has(llvm::StringRef feature) const;
  /// Register tile and task sizes. The one place that decides them.
  Strategy strategy(bool scalar) const;
};

} // namespace cheems

#endif
