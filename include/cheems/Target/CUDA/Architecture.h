// The GPUs that kernels are compiled for.
#ifndef CHEEMS_TARGET_CUDA_ARCHITECTURE_H
#define CHEEMS_TARGET_CUDA_ARCHITECTURE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace cheems::cuda {

/// What PTX is made for. A driver finishes text for "sm_80" for that GPU and
/// any later one. Text for "sm_90a" is for compute capability 9.0 alone
/// (PTX ISA, "PTX Module Directives: .target").
struct Architecture {
  llvm::StringRef name; ///< of `.target`: "sm_80" or "sm_90a"
  /// `.version` times ten, as low as the text allows: a driver takes what it
  /// knows, and older ones know less.
  unsigned version;

  /// All, the oldest first.
  static llvm::ArrayRef<Architecture> all();
  /// An error lists the names.
  static llvm::Expected<Architecture> find(llvm::StringRef name);
};

} // namespace cheems::cuda

#endif
