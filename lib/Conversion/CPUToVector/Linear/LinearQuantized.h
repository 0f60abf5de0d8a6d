// What the kernels of cheems_cpu.linear with quantized weights share: how they
// lie, rows rounded to 8 bits, and sums of integers becoming f32.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARCODES_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARCODES_H

#include "LinearPack.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Weights [P, K / pair, 64 bytes] and scales [P, G, 16] of a matmul.
struct QuantizedForm {
  bool nibbles;   ///< two quantized values per byte, in groups; else bytes and
                  ///< one group
  int64_t zero;   ///< what is stored for 0
  int64_t groups; ///< G
  int64_t groupSize; ///< k of a group
  bool dots;         ///< the target has vpdpbusd
  bool words;        ///< rows are packed as words
  bool tiles;        ///< rows are read by tiles of 64 k, too

  explicit QuantizedForm(LinearKernel &kernel);
};

/// x as 8-bit integers a row, and after them what else the row is multiplied
/// by: -zero * the sum of its quantized values, i32, a group, and its scale,
/// f32.
///
/// Quantized values are in the order of k, or words, and then each four k are
/// 0, 2, 1, 3. With tiles each group is filled up with zeros to 64.
class QuantizedPack : public RowPack {
public:
  QuantizedPack(LinearKernel &kernel, const QuantizedForm &form);

  int64_t groupBytes; ///< from one group of a row to the next

  /// The four bytes from `column` on, in each of `lanes` i32.
  Value spread(Value packed, Value row, Value column, int64_t lanes);
  /// -zero * the sum of the row's quantized values in `group`, in each lane.
  Value start(Value packed, Value row, Value group, int64_t lanes);
  /// The row's scale, in each of 16 f32.
  Value scale(Value packed, Value row);

private:
  QuantizedForm form;
  int64_t startsAt, scaleAt;

  void packRow(Value x, Value row, Value target, Value into) override;
  Value load(Value x, Value row, Value column, int64_t there);
  Value greatest(Value x, Value row);
  Value packGroup(Value x, Value row, Value target, Value into, Value inverse,
                  Value group);
  void storeWord(Value word, Value target, Value row, Value column);
};

/// A quantized matmul.
struct QuantizedKernel {
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  QuantizedForm form;
  QuantizedPack pack;

  explicit QuantizedKernel(LinearKernel &kernel)
      : k(kernel), b(kernel.b), loc(kernel.loc), form(kernel),
        pack(kernel, form) {}

  /// Scales of `lanes` columns of a panel from `column` on, as f32.
  Value scales(int64_t weight, Value panel, Value group, int64_t column,
               int64_t lanes);

  /// Stores `count` rows from `row` on, packed from `at` on, of `panels`:
  /// scratch[(p * matrices + w) * height + r] is the product of row r with
  /// panel p of weight w but for the row's scale: of bytes the sum of what is
  /// stored, i32; of nibbles the f32 sum over groups.
  void storeRows(Value scratch, int64_t height, Value packed, Value at,
                 Value row, Value count, ArrayRef<Value> panels);

  /// `body` for the rows after `pack.blocks`, 1 to 16. If nothing is packed for
  /// all rows, it takes 16 at a time and packs these first.
  void rest(llvm::function_ref<void(Value row, Value count)> body);

  /// Multiplies by vectors: all rows that are packed in `pack.blocks`.
  void dotBlocks();
  /// Multiplies by vectors: `count` rows from `row` on, 1 to 16, packed in
  /// `pack.rest`.
  void dotFew(Value row, Value count);
};

/// Many rows by tiles, few by vectors. Of targets with tiles only.
LogicalResult lowerLinearQuantizedAMX(QuantizedKernel &codes);

} // namespace cheems

#endif
