// Attention on AMX tiles: its buffers and steps.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_ATTENTION_ATTENTIONTILES_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_ATTENTION_ATTENTIONTILES_H

#include "Attention.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

namespace cheems {

/// Rows of one head, 16 per tile, or one row's heads that share a key head. All
/// tiles are 16 x 64 bytes; `width` is P filled up to blocks of 32.
class AttentionTiles : AttentionKernel {
public:
  AttentionTiles(OpBuilder &b, cpu::OnlineAttentionOp op,
                 const VectorUnit &unit);

  void lower();

private:
  static constexpr int64_t kTile = 16;  ///< rows, and columns of f32
  static constexpr int64_t kBlock = 32; ///< bf16 of a tile's row
  static constexpr int64_t kGroups = kEntries / kTile;

  int64_t width;
  amx::TileType numbers, sums;
  Value pairedValues; ///< [kEntries / 2, 2 * width] bf16: two entries side by
                      ///< side
  Value products;     ///< [16, width] f32: weights * values
  // These hold packed rows.
  Value packedQueries; ///< [16, width] bf16
  Value pairedKeys;    ///< [width / 2, 2 * kEntries] bf16: two p side by side
  // These hold packed heads.
  Value pairedQueries; ///< [width / 2, 2 * 16] bf16: two p side by side
  Value copiedKeys;    ///< [kEntries, width] bf16
  Value columns;       ///< [kEntries, 16] f32: scores, a column per head

  VectorType bf16s(int64_t count) {
    return VectorType::get({count}, b.getBF16Type());
  }
  Value loadNumbers(Value from, ValueRange at) {
    return amx::TileLoadOp::create(b, loc, numbers, from, at);
  }
  /// Whether half of a block's values are fetched while those before are
  /// multiplied.
  bool fetchesEarly() const { return size % (4 * kTile) == 0; }
  Value half(Value a) { return arith::DivUIOp::create(b, loc, a, index(2)); }
  void eachBlock(llvm::function_ref<void(Value p, int64_t count)> body);
  SmallVector<Value>
  multiply(int64_t count, int64_t extent,
           llvm::function_ref<void(Value p, MutableArrayRef<Value>)> step);

  // AttentionTileScores.cpp
  Value query(Value row, Value head, Value p, int64_t count);
  Value stored(Value entries, Value keyHead, Value j, Value p, int64_t count);
  void transposeWords(SmallVector<Value> rows, Value into, Value row,
                      Value column);
  void packQueries(const Tile &of);
  void pairKeys(Value keyHead, Value base, Value count);
  void scoreRows();
  void pairQueries(Value row, Value head, int64_t count);
  void copyKeys(Value keyHead, Value base, Value count);
  void scoreHeads(const Tile &of);
  void scoreHeads(Value keys, ValueRange place, const Tile *fetches);

  // AttentionTiles.cpp
  void pairValues(Value keyHead, Value base, Value count);
  void multiplyValues(const Tile &of);
  void update(const Tile &of);
  void attend(const Tile &of, llvm::function_ref<void()> score);
  void attendRows(Value all, Value end);
  void attendHeads(Value row, Value firstHead, int64_t count, Value keyHead);
};

} // namespace cheems

#endif
