// What rows of the table of parameters must be. Passes and the metadata's
// writer read them without a further look.
#include "ModuleTables.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

namespace cheems {
using namespace mlir;
namespace {
/// One field's law.
struct Field {
  StringRef name, text;
  bool (*holds)(Attribute value);
  bool mayMiss = false;
};

bool isElement(Type type) { return isa<FloatType, IntegerType>(type); }

/// None of what has no static shape, or more bytes than 63 bits can count.
std::optional<int64_t> bytesOf(Attribute value) {
  auto given = dyn_cast<TypeAttr>(value);
  auto type =
      given ? dyn_cast<RankedTensorType>(given.getValue()) : RankedTensorType();
  if (!type || !type.hasStaticShape() || !isElement(type.getElementType())) {
    return std::nullopt;
  }
  int64_t bits = type.getElementTypeBitWidth();
  for (int64_t extent : type.getShape()) {
    if (llvm::MulOverflow(bits, extent, bits)) {
      return std::nullopt;
    }
  }
  return bits / 8;
}

bool isNames(Attribute value) {
  auto names = dyn_cast<ArrayAttr>(value);
  return names && !names.empty() && llvm::all_of(names, isText);
}

bool isPermutation(Attribute value) {
  auto order = dyn_cast<DenseI64ArrayAttr>(value);
  return order && isPermutationVector(order.asArrayRef());
}

constexpr int64_t kAlignment = 64; // bytes; of each parameter in the section

constexpr Field parameterFields[] = {
    {"names", "a list of texts, at least one", isNames},
    {"type", "a tensor type with a static shape",
     [](Attribute value) { return bytesOf(value).has_value(); }},
    {"offset", "an i64 of at least 0 and a multiple of 64",
     [](Attribute value) {
       return isNumber(value, 0) &&
              cast<IntegerAttr>(value).getInt() % kAlignment == 0;
     }},
    {"layout", "a layout",
     [](Attribute value) { return isa<LayoutAttrInterface>(value); }, true},
    {"permute", "an array of i64 that permutes dimensions", isPermutation,
     true},
    {"by_columns", "unit", [](Attribute value) { return isa<UnitAttr>(value); },
     true},
    {"quantized", "a #cheems.quantized",
     [](Attribute value) { return isa<QuantizedAttr>(value); }, true}};

LogicalResult verifyTable(Operation *op, StringRef table, Attribute value,
                          ArrayRef<Field> fields) {
  auto rows = dyn_cast<ArrayAttr>(value);
  if (!rows || !isa<ModuleOp>(op) || !llvm::all_of(rows, [](Attribute row) {
        return isa<DictionaryAttr>(row);
      })) {
    return op->emitOpError()
           << table << " is a list of dictionaries on a module, not " << value;
  }
  for (auto [i, row] : llvm::enumerate(rows.getAsRange<DictionaryAttr>())) {
    for (const Field &field : fields) {
      Attribute given = row.get(field.name);
      if (!given && !field.mayMiss) {
        return op->emitOpError()
               << "row " << i << " of " << table << " has no " << field.name;
      }
      if (given && !field.holds(given)) {
        return op->emitOpError()
               << field.name << " in row " << i << " of " << table << " is "
               << field.text << ", not " << given;
      }
    }
  }
  return success();
}
} // namespace

bool isNumber(Attribute value, int64_t least) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= least;
}

bool isText(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  return text && !text.empty();
}

LogicalResult verifyParameters(Operation *op, Attribute value) {
  if (failed(verifyTable(op, kParameters, value, parameterFields))) {
    return failure();
  }
  auto end = op->getAttrOfType<IntegerAttr>(kParameterBytes);
  auto rows = cast<ArrayAttr>(value).getAsRange<DictionaryAttr>();
  for (auto [i, row] : llvm::enumerate(rows)) {
    auto offset = row.getAs<IntegerAttr>("offset");
    int64_t last = 0;
    if (!end ||
        llvm::AddOverflow(offset.getInt(), *bytesOf(row.get("type")), last) ||
        last > end.getInt()) {
      return op->emitOpError()
             << "row " << i << " of " << kParameters << " ends past "
             << kParameterBytes << ", which counts the bytes of all rows";
    }
  }
  return success();
}

} // namespace cheems
