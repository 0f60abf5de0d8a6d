// The kit of kernels: on buffers and vectors.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_KERNELBUILDER_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_KERNELBUILDER_H

#include "Kernels.h"
#include "cheems/Dialect/Cheems/IR/BaseBuilder.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cheems {

struct KernelBuilder : BaseBuilder<KernelBuilder> {
  OpBuilder &b;
  Location loc;

  KernelBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  Location location() { return loc; }

  Value extent(Value buffer, int64_t dimension) {
    return memref::DimOp::create(b, loc, buffer, index(dimension));
  }
  VectorType vectorOf(int64_t count) {
    return VectorType::get({count}, b.getF32Type());
  }
  Value spread(VectorType type, Value scalar) {
    return vector::BroadcastOp::create(b, loc, type, scalar);
  }
  /// The first `left` lanes of `width`.
  Value inside(int64_t width, Value left) {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({width}, b.getI1Type()), left);
  }
};

} // namespace cheems

#endif
