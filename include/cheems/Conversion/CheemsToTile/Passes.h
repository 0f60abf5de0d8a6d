// Kernels on tiles as passes.
#ifndef CHEEMS_CONVERSION_CHEEMSTOTILE_PASSES_H
#define CHEEMS_CONVERSION_CHEEMSTOTILE_PASSES_H

#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/CommandLine.h"

namespace cheems::tile {
/// What an option may say: sm_80 or sm_90a.
inline auto architectureValues() {
  return llvm::cl::values(clEnumValN(Architecture::SM80, "sm_80", "Ampere"),
                          clEnumValN(Architecture::SM90a, "sm_90a", "Hopper"));
}
/// What an option may say: mma or wgmma.
inline auto unitValues() {
  return llvm::cl::values(
      clEnumValN(Unit::Mma, "mma", "instructions of a warp"),
      clEnumValN(Unit::Wgmma, "wgmma",
                 "those of four warps, where the architecture has them"));
}
/// What an option may say: threads or bulk.
inline auto copyValues() {
  return llvm::cl::values(
      clEnumValN(OperandCopy::Threads, "threads",
                 "copies of all threads of a block"),
      clEnumValN(OperandCopy::Bulk, "bulk",
                 "those of the hardware, where the architecture has them"));
}
} // namespace cheems::tile

namespace cheems {

#define GEN_PASS_DECL
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"

} // namespace cheems

#endif
