// Which thread holds which element.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

// What all layouts have in common.

/// The extents are multiples of the least ones.
static LogicalResult verifyShape(TileLayoutAttrInterface layout,
                                 ArrayRef<int64_t> shape,
                                 function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<int64_t> least = layout.getLeastShape();
  if (shape.size() != least.size()) {
    return emitError() << "a tile with the layout " << layout << " has "
                       << least.size() << " dimensions, not " << shape.size();
  }
  for (auto [extent, unit] : llvm::zip_equal(shape, least)) {
    if (extent < 1 || extent % unit != 0) {
      return emitError() << "a tile with the layout " << layout
                         << " has extents that are multiples of [" << least
                         << "], not [" << shape << "]";
    }
  }
  return success();
}

TileLayoutAttrInterface tile::layoutOf(RankedTensorType tile) {
  return cast<TileLayoutAttrInterface>(tile.getEncoding());
}

bool tile::holdsPartialSums(RankedTensorType tile) {
  auto fragment = dyn_cast<FragmentAttr>(tile.getEncoding());
  return fragment && fragment.getRole() == FragmentRole::C &&
         fragment.getWarpsK() > 1;
}

int64_t tile::elementsPerThread(RankedTensorType tile) {
  return int64_t(layoutOf(tile).getElements(tile.getShape()).size());
}

SmallVector<SmallVector<int64_t>> tile::coordinatesOf(RankedTensorType tile,
                                                      int64_t thread) {
  TileLayoutAttrInterface layout = layoutOf(tile);
  SmallVector<int64_t> first =
      layout.getThreadMap(tile.getShape()).compose({thread});
  SmallVector<SmallVector<int64_t>> indices =
      layout.getElements(tile.getShape());
  for (SmallVector<int64_t> &place : indices) {
    for (auto [coordinate, start] : llvm::zip_equal(place, first)) {
      coordinate += start;
    }
  }
  return indices;
}

/// Products of a few such numbers do not overflow.
static bool arePowersOfTwo(ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t number) {
    return number > 0 && number <= kMostBlockThreads &&
           llvm::isPowerOf2_64(uint64_t(number));
  });
}

// Blocked.

LogicalResult BlockedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t rows, int64_t columns,
                                  int64_t width) {
  if (!arePowersOfTwo({rows, columns, width})) {
    return emitError()
           << "rows, columns and width are powers of two up to 1024, not "
           << rows << ", " << columns << " and " << width;
  }
  if (rows * columns % kWarpThreads != 0) {
    return emitError() << "rows * columns is a multiple of " << kWarpThreads
                       << ", not " << rows * columns;
  }
  return success();
}

LogicalResult BlockedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape(*this, shape, emitError);
}

int64_t BlockedAttr::getRank() const { return 2; }

SmallVector<int64_t> BlockedAttr::getLeastShape() const {
  return {getRows(), getColumns() * getWidth()};
}

int64_t BlockedAttr::getWarpCount() const {
  return getRows() * getColumns() / kWarpThreads;
}

AffineMap BlockedAttr::getThreadMap(ArrayRef<int64_t>) const {
  AffineExpr thread = getAffineDimExpr(0, getContext());
  int64_t columns = getColumns();
  return AffineMap::get(
      1, 0, {thread.floorDiv(columns), thread % columns * getWidth()},
      getContext());
}

SmallVector<SmallVector<int64_t>>
BlockedAttr::getElements(ArrayRef<int64_t> shape) const {
  SmallVector<SmallVector<int64_t>> elements;
  for (int64_t row = 0; row < shape[0]; row += getRows()) {
    for (int64_t column = 0; column < shape[1];
         column += getColumns() * getWidth()) {
      for (int64_t next = 0; next < getWidth(); ++next) {
        elements.push_back({row, column + next});
      }
    }
  }
  return elements;
}

int64_t BlockedAttr::getVectorWidth() const { return getWidth(); }

int64_t BlockedAttr::getThreadBits(int64_t axis) const {
  return axis == 1 ? getColumns() - 1 : (getRows() - 1) * getColumns();
}

// Fragments of mma.sync.m16n8k16, and of m16n8k32 for bytes.

/// Neighbours along k of 16-bit operands in one register.
constexpr int64_t kPair = 2;
/// 16 bytes hold so many numbers.
constexpr int64_t kVector = 8;
/// The same of bytes.
constexpr int64_t kFour = 4, kBytes = 16;

LogicalResult FragmentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   FragmentRole role, int64_t warpsM,
                                   int64_t warpsN, int64_t warpsK,
                                   int64_t kWidth) {
  if (!arePowersOfTwo({warpsM, warpsN, warpsK})) {
    return emitError() << "counts of warps are powers of two up to 1024, not "
                       << warpsM << ", " << warpsN << " and " << warpsK;
  }
  bool isOperand = llvm::is_contained({kVector, kFour, kBytes}, kWidth) &&
                   role != FragmentRole::C;
  if (kWidth != kPair && !isOperand) {
    return emitError()
           << "k_width is 2, or 4, 8 or 16 for the roles a and b, not "
           << kWidth;
  }
  return success();
}

LogicalResult FragmentAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape(*this, shape, emitError);
}

int64_t FragmentAttr::getRank() const { return 2; }

SmallVector<int64_t> FragmentAttr::getLeastShape() const {
  int64_t depth = getWarpsK() * (hasNeighbours() ? 4 : 8) * getKWidth();
  switch (getRole()) {
  case FragmentRole::A:
    return {16 * getWarpsM(), depth};
  case FragmentRole::B:
    return {8 * getWarpsN(), depth};
  case FragmentRole::C:
    return {16 * getWarpsM(), 8 * getWarpsN()};
  }
  llvm_unreachable("a role");
}

int64_t FragmentAttr::getWarpCount() const {
  return getWarpsM() * getWarpsN() * getWarpsK();
}

AffineMap FragmentAttr::getThreadMap(ArrayRef<int64_t> shape) const {
  AffineExpr thread = getAffineDimExpr(0, getContext());
  AffineExpr warp = thread.floorDiv(kWarpThreads);
  AffineExpr row = (thread % kWarpThreads).floorDiv(4);
  AffineExpr column = thread % 4;
  AffineExpr m = warp % getWarpsM();
  AffineExpr n = warp.floorDiv(getWarpsM()) % getWarpsN();
  AffineExpr k = warp.floorDiv(getWarpsM() * getWarpsN());
  auto at = [&](AffineExpr i, int64_t warpsI, AffineExpr j, int64_t warpsJ) {
    return AffineMap::get(1, 0,
                          {i * (shape[0] / warpsI) + row,
                           j * (shape[1] / warpsJ) + column * getKWidth()},
                          getContext());
  };
  switch (getRole()) {
  case FragmentRole::A:
    return at(m, getWarpsM(), k, getWarpsK());
  case FragmentRole::B:
    return at(n, getWarpsN(), k, getWarpsK());
  case FragmentRole::C:
    return at(m, getWarpsM(), n, getWarpsN());
  }
  llvm_unreachable("a role");
}

SmallVector<SmallVector<int64_t>>
FragmentAttr::getElements(ArrayRef<int64_t> shape) const {
  SmallVector<SmallVector<int64_t>> elements;
  auto add = [&](int64_t row, int64_t column, int64_t width) {
    for (int64_t next = 0; next < width; ++next) {
      elements.push_back({row, column + next});
    }
  };
  SmallVector<int64_t> least = getLeastShape();
  bool isB = getRole() == FragmentRole::B;
  bool isC = getRole() == FragmentRole::C;
  int64_t rows = shape[0] / (isB ? getWarpsN() : getWarpsM());
  int64_t columns = shape[1] / (isC ? getWarpsN() : getWarpsK());
  int64_t rowStep = isB ? 8 : 16;
  int64_t columnStep = least[1] / (isC ? getWarpsN() : getWarpsK());
  // The halves of 8 columns of an operand whose pairs are not neighbours.
  int64_t halves = isC || hasNeighbours() ? 1 : 2;
  for (int64_t row = 0; row < rows; row += rowStep) {
    for (int64_t column = 0; column < columns; column += columnStep) {
      for (int64_t half = 0; half < halves; ++half) {
        for (int64_t down = 0; down < rowStep; down += 8) {
          add(row + down, column + 4 * getKWidth() * half, getKWidth());
        }
      }
    }
  }
  return elements;
}

int64_t FragmentAttr::getVectorWidth() const { return getKWidth(); }

int64_t FragmentAttr::getThreadBits(int64_t axis) const {
  int64_t m = (getWarpsM() - 1) * kWarpThreads;
  int64_t n = (getWarpsN() - 1) * getWarpsM() * kWarpThreads;
  int64_t k = (getWarpsK() - 1) * getWarpsM() * getWarpsN() * kWarpThreads;
  if (axis == 0) {
    return 0b11100 | (getRole() == FragmentRole::B ? n : m);
  }
  return 0b00011 | (getRole() == FragmentRole::C ? n : k);
}

// Slices.

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t axis, TileLayoutAttrInterface of) {
  if (of.getRank() != 2 || axis < 0 || axis > 1) {
    return emitError() << "a slice is along axis 0 or 1 of a layout of two "
                          "dimensions";
  }
  return success();
}

LogicalResult
SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape(*this, shape, emitError);
}

int64_t SliceAttr::getRank() const { return 1; }

SmallVector<int64_t> SliceAttr::getLeastShape() const {
  return {getOf().getLeastShape()[size_t(1 - getAxis())]};
}

int64_t SliceAttr::getWarpCount() const { return getOf().getWarpCount(); }

/// The least tile of the layout that has the slice's extent.
static SmallVector<int64_t> leastTile(SliceAttr slice, int64_t extent) {
  SmallVector<int64_t> shape = slice.getOf().getLeastShape();
  shape[size_t(1 - slice.getAxis())] = extent;
  return shape;
}

AffineMap SliceAttr::getThreadMap(ArrayRef<int64_t> shape) const {
  return getOf()
      .getThreadMap(leastTile(*this, shape[0]))
      .getSubMap({unsigned(1 - getAxis())});
}

SmallVector<SmallVector<int64_t>>
SliceAttr::getElements(ArrayRef<int64_t> shape) const {
  SmallVector<SmallVector<int64_t>> elements;
  for (const auto &at : getOf().getElements(leastTile(*this, shape[0]))) {
    SmallVector<int64_t> kept = {at[size_t(1 - getAxis())]};
    if (!llvm::is_contained(elements, kept)) {
      elements.push_back(kept);
    }
  }
  return elements;
}

int64_t SliceAttr::getVectorWidth() const {
  return getAxis() == 0 ? getOf().getVectorWidth() : 1;
}

int64_t SliceAttr::getThreadBits(int64_t) const {
  return getOf().getThreadBits(1 - getAxis());
}
