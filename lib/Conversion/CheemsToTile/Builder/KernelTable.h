// The kernels of a module. Those that are the same are one.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_KERNELTABLE_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_KERNELTABLE_H

#include "TileBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace cheems::tile {

class KernelTable {
public:
  explicit KernelTable(ModuleOp module) : module(module), symbols(module) {}

  using Body = function_ref<void(TileBuilder &, ValueRange arguments)>;
  /// A kernel of this name, or one of the name and a number. `body` builds what
  /// it does; the end of the kernel is built after that.
  FlatSymbolRefAttr get(Location loc, StringRef name, TypeRange arguments,
                        int64_t warps, Body body);

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<SmallVector<KernelOp>> kernels; ///< by name without number
};

/// A memref for an operand of a launch: its static extents past the first
/// `dynamic` dimensions.
MemRefType argumentFor(Type shaped, int64_t dynamic);

} // namespace cheems::tile

#endif
