// The cheems dialect: ops, attributes, and its registration.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSDIALECT_H
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSDIALECT_H

#include "cheems/Dialect/Cheems/IR/CheemsAttrs.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h.inc"
#include "cheems/Dialect/Cheems/IR/CheemsInterfaces.h.inc"
#define GET_OP_CLASSES
#include "cheems/Dialect/Cheems/IR/CheemsOps.h.inc"

namespace cheems {
/// Constants and elementwise ops on scalars: what the epilogue of a matmul may
/// hold.
bool isOnScalars(Operation *op);

/// The least f32 that is not below `bound`: x >= bound for just those f32 that
/// are at least this.
llvm::APFloat leastF32(llvm::APFloat bound);
} // namespace cheems

#endif
