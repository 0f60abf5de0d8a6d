// The cheems_tile dialect: ops, layouts, types, and its registration.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEDIALECT_H
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEDIALECT_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/CheemsTile/IR/Hardware.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrInterfaces.h.inc"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h.inc"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.h.inc"

#include "cheems/Dialect/CheemsTile/IR/CheemsTileOpInterfaces.h.inc"
#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsTile/IR/CheemsTileOps.h.inc"

namespace cheems::tile {

/// An attribute of an op that becomes kernels: a StrategyAttrInterface.
inline constexpr llvm::StringLiteral kStrategy = "cheems_tile.strategy";
/// An attribute of a kernel's argument: memory that no kernel writes.
inline constexpr llvm::StringLiteral kConstant = "cheems_tile.constant";

/// A tile's layout.
TileLayoutAttrInterface layoutOf(RankedTensorType tile);
/// Whether each thread's numbers are sums over its own k alone.
bool holdsPartialSums(RankedTensorType tile);
/// How many elements of a tile a thread holds.
int64_t elementsPerThread(RankedTensorType tile);
/// The coordinates of the elements of thread `thread`, in the order of
/// `getElements`.
SmallVector<SmallVector<int64_t>> coordinatesOf(RankedTensorType tile,
                                                int64_t thread);

} // namespace cheems::tile

#endif
