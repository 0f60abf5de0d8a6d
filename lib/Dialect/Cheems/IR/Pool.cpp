// #cheems.pool<name = ..., role = ..., type = ..., shape = [...]>
#include "Pool.h"

using namespace mlir;
using namespace cheems;

StringRef PoolAttr::nameOf(int64_t extent) {
  return extent == kSlots ? "slots" : extent == kCapacity ? "capacity" : "";
}

ParseResult cheems::parsePoolShape(AsmParser &parser,
                                   SmallVector<int64_t> &shape) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        StringRef name;
        if (succeeded(parser.parseOptionalKeyword(
                &name, {PoolAttr::nameOf(PoolAttr::kSlots),
                        PoolAttr::nameOf(PoolAttr::kCapacity)}))) {
          shape.push_back(name == PoolAttr::nameOf(PoolAttr::kSlots)
                              ? PoolAttr::kSlots
                              : PoolAttr::kCapacity);
          return success();
        }
        SMLoc at = parser.getCurrentLocation();
        if (failed(parser.parseInteger(shape.emplace_back()))) {
          return failure();
        }
        return shape.back() < 0
                   ? parser.emitError(at, "an extent is a number of at least "
                                          "0, slots or capacity")
                   : ParseResult(success());
      });
}

void cheems::printPoolShape(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  printer << '[';
  llvm::interleaveComma(shape, printer, [&](int64_t extent) {
    StringRef name = PoolAttr::nameOf(extent);
    if (name.empty()) {
      printer << extent;
    } else {
      printer << name;
    }
  });
  printer << ']';
}

LogicalResult PoolAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringRef name, StateRole, Type type,
                               ArrayRef<int64_t>) {
  if (name.empty()) {
    return emitError() << "a pool has a name";
  }
  if (!isa<FloatType, IntegerType>(type)) {
    return emitError() << "a pool has numbers, not " << type;
  }
  return success();
}
