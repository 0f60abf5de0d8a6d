// Matmuls on AMX tiles, whatever their elements are: 16 rows by 16 columns of
// sums a tile, four tiles of them at once.
//
// All tiles are 16 x 64 bytes: a tile register has one shape per function, and
// four sums, two inputs and two weights take all eight. So rows that are not
// there are multiplied, too, and not stored; and the last block of k is filled
// up with zeros.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARTILES_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_LINEAR_LINEARTILES_H

#include "LinearPack.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

namespace cheems {

class TileMatmuls {
public:
  static constexpr int64_t kTile = 16; ///< rows, and columns of sums
  static constexpr int64_t kSums = 4;  ///< tiles of sums

  /// Rows of packed inputs that one step multiplies.
  struct Rows {
    Value packed, at; ///< where they are packed
    Value row, count; ///< where they are in x, and how many there are
    int64_t tiles;    ///< 1 or 2
  };

  virtual ~TileMatmuls() = default;

  /// What is packed in `pack.blocks`.
  void whole();
  /// What is packed in `pack.rest`.
  void few(Value row, Value count) {
    panels({pack.rest, k.zero, row, count, 1});
  }
  /// Zeros after the weights of a last block that has less than 16 rows.
  void fillTails();

protected:
  TileMatmuls(LinearKernel &kernel, RowPack &pack, Type element, Type sum);

  /// What is added to a tile of sums.
  virtual Value product(Value input, Value weight, Value sum) = 0;
  /// Stores what `scratch` has for `panels` panels from n: sums of the panels'
  /// weights, a stream each, of rows.tiles * 16 rows each.
  virtual void storeRows(const Rows &rows, Value n, int64_t panels) = 0;
  /// Some panels from n of every weight.
  virtual void block(const Rows &rows, Value n, int64_t panels);

  /// One block of k: each input with each weight.
  SmallVector<Value> multiply(const Rows &rows, Value column, ValueRange before,
                              llvm::function_ref<Value(int64_t)> weight);
  /// Tiles of zeros.
  SmallVector<Value> none(int64_t count);
  void storeSums(const Rows &rows, ValueRange total);
  void prefetch(Value memref, ValueRange at, int64_t locality,
                bool write = false);

  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  RowPack &pack;
  Type element;
  int64_t width; ///< elements of a row of a tile
  amx::TileType inputs, sums;
  Value scratch; ///< [kSums * 16, 16]: finished sums

private:
  Value tails; ///< [kSums, 16, width]: weights of the last block of k, null
               ///< where K has whole blocks
  int64_t blocks, left; ///< whole blocks of k, and rows of weights after them

  void fetchInputs(const Rows &rows, Value n, int64_t panels, Value column);
  void fetchResults(const Rows &rows, Value n, int64_t panels, Value i);
  /// All panels, as many at once as there are tiles of sums.
  void panels(const Rows &rows);
};

} // namespace cheems

#endif
