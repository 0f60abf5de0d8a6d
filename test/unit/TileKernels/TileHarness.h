// Compiles modules of tile kernels for the software GPU, and runs the
// functions that launch them.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_TILEHARNESS_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_TILEHARNESS_H

#include "PlannedCall.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <optional>

namespace cheems::test {

class TileModule {
public:
  /// `text` has cheems_tile.kernels and functions with launches, or becomes so
  /// by the pipeline `passes`, as cheems-opt takes one. Then it is lowered to
  /// PTX for the GPU of this process. Null after a test failure that says why.
  static std::unique_ptr<TileModule> compile(const std::string &text,
                                             const std::string &passes = "");

  /// Runs `function`; arguments that are arrays are read back. Returns its
  /// results; nothing after a test failure with the findings.
  std::optional<std::vector<Array>> call(llvm::StringRef function,
                                         llvm::ArrayRef<Argument> arguments);

  const std::string &ptx() const { return code; }

private:
  TileModule();
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string code;
};

} // namespace cheems::test

#endif
