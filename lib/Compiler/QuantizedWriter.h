// Writes quantized matrices and their scales.
#ifndef CHEEMS_LIB_COMPILER_QUANTIZEDWRITER_H
#define CHEEMS_LIB_COMPILER_QUANTIZEDWRITER_H

#include "cheems/Dialect/Cheems/IR/CheemsAttrs.h"
#include "cheems/Import/Quantize.h"
#include "cheems/Import/SafeTensors.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <vector>

namespace cheems {

/// How a target stores quantized values. Without one they are rows of signed
/// bytes.
class CodeLayout {
public:
  /// Rows that are placed together.
  static constexpr int64_t kHeight = 16;

  virtual ~CodeLayout() = default;
  /// Whether there are always kHeight rows, and scales of such rows: the last
  /// ones are integers of zero.
  virtual bool padsRows() const = 0;
  virtual int64_t rowBytes(int64_t columns, int64_t bits) const = 0;
  /// What a byte is if its quantized values are zero.
  virtual uint8_t zero(int64_t bits) const = 0;
  /// Places row `row` in the bytes of kHeight rows, which are of zeros.
  virtual void place(llvm::ArrayRef<int8_t> codes, int64_t row, int64_t bits,
                     llvm::MutableArrayRef<uint8_t> bytes) const = 0;
};

class QuantizedWriter {
public:
  explicit QuantizedWriter(llvm::raw_ostream &os) : os(os) {}

  /// Writes a parameter with `quantized`: rows of `parts` one below the other,
  /// or with `by_columns` row after row of all. An error names the tensor that
  /// holds a number that is not finite.
  /// \param layout null for a parameter without one.
  llvm::Error parameter(StoredParameterAttr parameter,
                        llvm::ArrayRef<const TensorView *> parts,
                        const CodeLayout *layout);

private:
  /// Rows of a matrix that lie in several tensors.
  struct Rows;

  llvm::Error round(const Rows &rows, QuantizedFormat format,
                    const CodeLayout *layout, bool writeCodes);
  const TensorView *roundPanel(const Rows &rows, int64_t panel,
                               QuantizedFormat format, const CodeLayout *layout,
                               llvm::MutableArrayRef<uint8_t> bytes);
  void writeScales(int64_t groups, bool panels, bool brain);

  llvm::raw_ostream &os;
  std::optional<llvm::DefaultThreadPool> pool; ///< from the first use on
  /// Scales of the last matrix: its quantized values come right before them.
  std::vector<float> scales;
  mlir::Attribute scalesOf; ///< what tells matrices apart
};

} // namespace cheems

#endif
