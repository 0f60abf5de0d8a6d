// The GPUs that kernels are compiled for.
#include "cheems/Target/CUDA/Architecture.h"

namespace cheems::cuda {

llvm::ArrayRef<Architecture> Architecture::all() {
  // 7.1 is CUDA 11.1, the first with all that sm_80 has; 8.0 is CUDA 12.0, the
  // first with sm_90a.
  static constexpr Architecture known[] = {{"sm_80", 71}, {"sm_90a", 80}};
  return known;
}

llvm::Expected<Architecture> Architecture::find(llvm::StringRef name) {
  std::string names;
  for (const Architecture &each : all()) {
    if (each.name == name) {
      return each;
    }
    names += (names.empty() ? "" : ", ") + each.name.str();
  }
  return llvm::createStringError("no kernels are made for '" + name +
                                 "': choose one of " + names);
}

} // namespace cheems::cuda
