// What a parallel loop hands to its body: a struct on the stack of the caller.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOLLVM_LOOPFRAME_H
#define CHEEMS_LIB_CONVERSION_CPUTOLLVM_LOOPFRAME_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/IRMapping.h"

namespace cheems {

/// A memref travels as what its type does not say: its address, and extents
/// and strides that are not constants. The rest of its descriptor would be
/// stored for each loop and loaded by each task, and no one would use it.
class LoopFrame {
public:
  explicit LoopFrame(mlir::MLIRContext *context) : converter(context) {}

  void capture(mlir::Value value);
  /// The struct.
  mlir::Type type() const;
  /// Stores what is captured, before the loop.
  void store(mlir::OpBuilder &b, mlir::Location loc, mlir::Value frame) const;
  /// Runs in the body: maps what was captured to what is in `frame`.
  void load(mlir::OpBuilder &b, mlir::Location loc, mlir::Value frame,
            mlir::IRMapping &map) const;

private:
  mlir::LLVMTypeConverter converter;
  llvm::SmallVector<mlir::Value> captured;
  llvm::SmallVector<mlir::Type> fields; ///< those of all values, in order
};

} // namespace cheems

#endif
