// #cheems.pool<name = ..., role = ..., type = ..., shape = [...]>
#include "Pool.h"

using namespace mlir;
using namespace cheems;

StringRef PoolAttr::nameOf(int64_t extent) {
  return extent == kSlots      ? "slots"
         : extent == kCapacity ? "capacity"
         : extent == kRing     ? "ring"
                               : "";
}

ParseResult cheems::parsePoolShape(AsmParser &parser,
                                   SmallVector<int64_t> &shape) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        StringRef name;
        constexpr int64_t named[] = {PoolAttr::kSlots, PoolAttr::kCapacity,
                                     PoolAttr::kRing};
        if (succeeded(parser.parseOptionalKeyword(
                &name, {PoolAttr::nameOf(named[0]), PoolAttr::nameOf(named[1]),
                        PoolAttr::nameOf(named[2])}))) {
          shape.push_back(*llvm::find_if(named, [&](int64_t extent) {
            return PoolAttr::nameOf(extent) == name;
          }));
          return success();
        }
        SMLoc at = parser.getCurrentLocation();
        if (failed(parser.parseInteger(shape.emplace_back()))) {
          return failure();
        }
        return shape.back() < 0
                   ? parser.emitError(at, "an extent is a number of at least "
                                          "0, slots, capacity or ring")
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
