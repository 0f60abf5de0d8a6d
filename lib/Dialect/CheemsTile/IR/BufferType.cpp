// Buffers in shared memory: their text, their verifier, and where swizzling
// moves pieces.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems::tile;

/// What one access of `ldmatrix` and of `cp.async` moves.
constexpr int64_t kPieceBytes = 16;
/// So many pieces lie in different banks: 8 * 16 bytes are all 32 banks.
constexpr int64_t kBankPieces = 8;

/// <SxRxCxT, swizzled>
Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  bool swizzled = false;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element)) {
    return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("swizzled")) {
      return {};
    }
    swizzled = true;
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<BufferType>(
      parser.getContext(), ArrayRef<int64_t>(shape), element, swizzled);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << (getSwizzled() ? ", swizzled>" : ">");
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type element,
                                 bool swizzled) {
  if (shape.size() != 3 ||
      llvm::any_of(shape, [](int64_t extent) { return extent < 1; })) {
    return emitError() << "a buffer has stages, rows and columns";
  }
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isInteger(32) && !element.isInteger(8)) {
    return emitError() << "a buffer has elements of f32, f16, bf16, i32 or i8, "
                          "not "
                       << element;
  }
  int64_t bytes = shape[2] * element.getIntOrFloatBitWidth() / 8;
  if (swizzled &&
      (bytes < kPieceBytes || !llvm::isPowerOf2_64(uint64_t(bytes)))) {
    return emitError() << "a swizzled row has a power of two of pieces of "
                       << kPieceBytes << " bytes, and this one has " << bytes
                       << " bytes";
  }
  return success();
}

int64_t BufferType::getElementBytes() const {
  return getElementType().getIntOrFloatBitWidth() / 8;
}

int64_t BufferType::getSwizzleRows() const {
  return std::max<int64_t>(1, kBankPieces * kPieceBytes / getRowBytes());
}

int64_t BufferType::getSwizzlePieces() const {
  return getSwizzled() ? std::min(kBankPieces, getRowBytes() / kPieceBytes) : 1;
}
