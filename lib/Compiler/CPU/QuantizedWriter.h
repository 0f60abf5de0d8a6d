// Writes matrices rounded to codes, and their scales.
#ifndef CHEEMS_LIB_COMPILER_CPU_QUANTIZEDWRITER_H
#define CHEEMS_LIB_COMPILER_CPU_QUANTIZEDWRITER_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Import/Quantize.h"
#include "cheems/Import/SafeTensors.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <vector>

namespace cheems {

class QuantizedWriter {
public:
  explicit QuantizedWriter(llvm::raw_ostream &os) : os(os) {}

  /// Writes an entry of the table with `quantized`, of `type`: rows of `parts`
  /// one below the other, or with `by_columns` row after row of all. An error
  /// names the tensor that holds a number that is not finite.
  llvm::Error parameter(mlir::DictionaryAttr entry, mlir::RankedTensorType type,
                        llvm::ArrayRef<const TensorView *> parts);

private:
  /// Rows of a matrix that lie in several tensors.
  struct Rows;

  llvm::Error round(const Rows &rows, QuantizedFormat format, bool panels,
                    bool writeCodes);
  const TensorView *roundPanel(const Rows &rows, int64_t panel,
                               QuantizedFormat format, bool panels,
                               llvm::MutableArrayRef<uint8_t> bytes);
  void writeScales(int64_t groups, bool panels, bool brain);

  llvm::raw_ostream &os;
  std::optional<llvm::DefaultThreadPool> pool; ///< from the first use on
  /// Scales of the last matrix: its codes come right before them.
  std::vector<float> scales;
  mlir::Attribute scalesOf; ///< what tells matrices apart
};

} // namespace cheems

#endif
