// What code for a CPU is made for.
#ifndef CHEEMS_TARGET_CPU_TARGETDESCRIPTION_H
#define CHEEMS_TARGET_CPU_TARGETDESCRIPTION_H

#include "cheems/Dialect/CheemsCPU/IR/Options.h"

namespace cheems {

/// What code is made for; sizes follow from it in cheems-select-strategy.
struct TargetDescription {
  bool scalar = false;                ///< plain loops: the correctness baseline
  int64_t lanes = cpu::kDefaultLanes; ///< f32 lanes of a vector register
  int64_t registers = cpu::kDefaultRegisters; ///< vector registers
  /// How matmuls with weights of few bits are computed.
  cpu::MatmulUnit products = cpu::MatmulUnit::FMA;
  /// Rows of a prompt whose experts are read together, in the order of their
  /// ids; 0: token by token.
  int64_t groupExperts = 0;
};

} // namespace cheems

#endif
