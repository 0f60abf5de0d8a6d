// What options of the CPU's passes and pipelines are where nothing else is
// said.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_OPTIONS_H
#define CHEEMS_DIALECT_CHEEMSCPU_IR_OPTIONS_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"
#include "llvm/Support/CommandLine.h"

namespace cheems::cpu {

/// x86-64-v3, the least that code is made for.
constexpr int64_t kDefaultLanes = 8, kDefaultRegisters = 16;

/// The values that an option of products takes.
inline auto matmulsValues() {
  return llvm::cl::values(
      clEnumValN(MatmulUnit::FMA, "fma", "f32 multiply-adds"),
      clEnumValN(MatmulUnit::DotI8, "dot-i8", "vpdpbusd for quantized weights"),
      clEnumValN(MatmulUnit::DotBF16, "dot-bf16", "vdpbf16ps"),
      clEnumValN(MatmulUnit::AMX, "amx", "tdpbf16ps on tiles"));
}

} // namespace cheems::cpu

#endif
