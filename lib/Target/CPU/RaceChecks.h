// ThreadSanitizer's checks of compiled code.
#ifndef CHEEMS_LIB_TARGET_CPU_RACECHECKS_H
#define CHEEMS_LIB_TARGET_CPU_RACECHECKS_H

#include "llvm/IR/Module.h"

namespace cheems {

/// Tells ThreadSanitizer of the accesses that its own pass passes over: vectors
/// of more than 16 bytes, and masked ones, lane by lane. Tiles stay unchecked.
void announceVectorAccesses(llvm::Module &module);

} // namespace cheems

#endif
