// Locations that name what an op or argument came from: the checkpoint's
// tensors, and parts of layers.
#ifndef CHEEMS_LIB_IMPORT_MODULE_LOCATIONS_H
#define CHEEMS_LIB_IMPORT_MODULE_LOCATIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cheems {

/// `layers.3.ssd.c_proj` of the tensor model.layers.3.ssd.c_proj.weight.
mlir::Location tensorLocation(mlir::MLIRContext *context, llvm::StringRef name);
/// `ssd.c_proj` of it: layers of one kind share a function.
mlir::Location partLocation(mlir::MLIRContext *context, llvm::StringRef name);
/// `ssd`, of ssd.c_proj.
mlir::Location parentLocation(mlir::Location part);
mlir::Location namedLocation(mlir::MLIRContext *context,
                             const llvm::Twine &name);

/// Ops that a builder makes until this goes out of scope are at `location`.
class LocationScope {
public:
  LocationScope(mlir::ImplicitLocOpBuilder &b, mlir::Location location)
      : b(b), before(b.getLoc()) {
    b.setLoc(location);
  }
  ~LocationScope() { b.setLoc(before); }
  LocationScope(const LocationScope &) = delete;
  LocationScope &operator=(const LocationScope &) = delete;

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::Location before;
};

} // namespace cheems

#endif
