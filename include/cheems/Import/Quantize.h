// Rounding of matrices of weights to 8- or 4-bit integers and scales
// (#cheems.quantized): compiler and evaluator round by the same functions.
#ifndef CHEEMS_IMPORT_QUANTIZE_H
#define CHEEMS_IMPORT_QUANTIZE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>

namespace cheems {

struct QuantizedFormat {
  int64_t bits;  ///< 8: codes in [-127, 127]; 4: in [-8, 7]
  int64_t group; ///< neighbours in a row that share a scale; 0: the whole row
  int64_t groups(int64_t columns) const { return group ? columns / group : 1; }
};

/// What becomes of a matmul's matrix with rows of `columns`, if quantized
/// values of `bits` are asked for: 8, 4, or 0 for none. 4 bits come in groups
/// of 64, or of 32. If neither divides a row, it gets 8 bits. None, so that it
/// stays exact, if a row is no multiple of 4 long or longer than 65536.
std::optional<QuantizedFormat> matmulFormat(int64_t bits, int64_t columns);
/// The output head has 8 bits, whatever the others have.
std::optional<QuantizedFormat> headFormat(int64_t bits, int64_t columns);
/// So have experts' tables, of rows of any length.
std::optional<QuantizedFormat> tableFormat(int64_t bits);

/// Rounds a row: row[k] is near scales[k / group] * codes[k]. Scales of 8 bits
/// are max |row| / 127. Scales of 4 bits are bf16 numbers: the best of several
/// by squared error. Some of these take the greatest magnitude near -8,
/// and one is the least-squares solution for the quantized values of the best
/// of them. If nothing exceeds 2^-100, the scale is 0. False if a number is not
/// finite.
bool quantizeRow(llvm::ArrayRef<float> row, QuantizedFormat format,
                 llvm::MutableArrayRef<int8_t> codes,
                 llvm::MutableArrayRef<float> scales);

} // namespace cheems

#endif
