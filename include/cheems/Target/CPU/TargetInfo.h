// The CPUs that code is made for: their features, and what passes need to know
// of them.
#ifndef CHEEMS_TARGET_CPU_TARGETINFO_H
#define CHEEMS_TARGET_CPU_TARGETINFO_H

#include "cheems/Target/CPU/TargetDescription.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cheems {

/// One variant of the code in an artefact.
struct TargetInfo {
  /// "amx", "avx512bf16", "avx512vnni", "avx512", "avxvnni" or "avx2"
  std::string name;
  std::vector<std::string>
      features; ///< LLVM's names of what the code may use beyond x86-64, sorted
  /// What makes this variant the better choice where its features are there
  /// (docs/abi.md): "fast-bf16-dot".
  std::vector<std::string> wants;
  /// Code carries AddressSanitizer's checks, as this compiler itself does.
#ifdef CHEEMS_ADDRESS_SANITIZER
  bool addressSanitizer = true;
#else
  bool addressSanitizer = false;
#endif
  /// Code carries ThreadSanitizer's checks, instead.
  bool threadSanitizer = false;

  /// The variants that `cpu` asks for, best first: all for "portable",
  /// otherwise one. That is the best one for "native" (by the CPUID bits of
  /// this machine and what Linux permits, never by its model name) or for a CPU
  /// that LLVM knows, or the variant of that name. Variants that only models
  /// with quantized weights profit from are left out for other models, unless
  /// they are asked for by name. UnsupportedError if x86-64-v3 is not met; it
  /// names what is missing.
  static llvm::Expected<std::vector<TargetInfo>>
  variants(llvm::StringRef cpu, bool withQuantized = false);
  /// The last of them, which of all variants runs everywhere.
  static llvm::Expected<TargetInfo> find(llvm::StringRef cpu);

  bool has(llvm::StringRef feature) const;
  /// What passes need to know of it.
  TargetDescription describe(bool scalar) const;
};

} // namespace cheems

#endif
