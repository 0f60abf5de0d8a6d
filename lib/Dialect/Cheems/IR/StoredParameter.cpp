// #cheems.stored_parameter<names = [...], type = ..., offset = ..., ...>
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;

/// None where they are more than 63 bits can count.
static std::optional<int64_t> bitsOf(RankedTensorType type) {
  int64_t bits = type.getElementTypeBitWidth();
  for (int64_t extent : type.getShape()) {
    if (llvm::MulOverflow(bits, extent, bits)) {
      return std::nullopt;
    }
  }
  return bits;
}

static bool isName(Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  return name && !name.empty();
}

LogicalResult
StoredParameterAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            ArrayAttr names, RankedTensorType type,
                            int64_t offset, LayoutAttrInterface,
                            DenseI64ArrayAttr permute, bool, QuantizedAttr) {
  if (names.empty() || !llvm::all_of(names, isName)) {
    return emitError() << "names of a stored parameter are texts, at least "
                          "one, not "
                       << names;
  }
  if (!type.hasStaticShape() ||
      !isa<FloatType, IntegerType>(type.getElementType()) || !bitsOf(type)) {
    return emitError() << "a stored parameter has a static shape of numbers "
                          "whose bits an i64 counts, not "
                       << type;
  }
  if (offset < 0 || offset % kAlignment != 0) {
    return emitError() << "the offset of a stored parameter is at least 0 and "
                          "a multiple of "
                       << kAlignment << ", not " << offset;
  }
  if (permute &&
      (!isPermutationVector(permute.asArrayRef()) || names.size() != 1)) {
    return emitError() << "permute of a stored parameter is a permutation of "
                          "the dimensions of one name, not "
                       << permute << " of " << names;
  }
  return success();
}

int64_t StoredParameterAttr::getBytes() const { return *bitsOf(getType()) / 8; }

StoredParameterAttr StoredParameterAttr::withOffset(int64_t offset) const {
  return get(getContext(), getNames(), getType(), offset, getLayout(),
             getPermute(), getByColumns(), getQuantized());
}
