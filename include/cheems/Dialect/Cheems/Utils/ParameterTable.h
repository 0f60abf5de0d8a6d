// Where weights lie in the weight section. Header-only and of MLIR's own
// attributes alone, for back ends from outside, too.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_PARAMETERTABLE_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_PARAMETERTABLE_H

#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Support/MLIR.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace cheems {

/// Gives parameters their offsets. At first, `cheems.parameters` of a module
/// lists those of images that were made before. A parameter that is the same as
/// one of them gets its offset.
class ParameterTable {
public:
  explicit ParameterTable(ModuleOp module) : module(module) {
    auto earlier = module->getAttrOfType<ArrayAttr>(kParameters);
    for (Attribute entry :
         earlier ? earlier.getValue() : ArrayRef<Attribute>()) {
      auto fields = cast<DictionaryAttr>(entry);
      known[without(fields)] = fields.getAs<IntegerAttr>("offset").getInt();
    }
    if (auto bytes = module->getAttrOfType<IntegerAttr>(kParameterBytes)) {
      end = bytes.getInt();
    }
  }

  /// The offset of a parameter, given by its fields without one: `names`,
  /// `type` and more. The same fields are the same parameter.
  int64_t add(DictionaryAttr fields) {
    auto [used, fresh] = offsets.try_emplace(fields, 0);
    if (fresh) {
      auto [place, unknown] = known.try_emplace(fields, end);
      if (unknown) {
        auto type = cast<ShapedType>(fields.getAs<TypeAttr>("type").getValue());
        end = llvm::alignTo(end + type.getNumElements() *
                                      type.getElementTypeBitWidth() / 8,
                            64);
      }
      used->second = place->second;
    }
    return used->second;
  }

  /// The parameters that were added, in this order, as the module's
  /// `cheems.parameters`; returns them.
  ArrayAttr attach() {
    Builder b(module.getContext());
    SmallVector<Attribute> table;
    for (auto &[fields, offset] : offsets) {
      NamedAttrList entry(fields);
      entry.append("offset", b.getI64IntegerAttr(offset));
      table.push_back(entry.getDictionary(module.getContext()));
    }
    ArrayAttr entries = b.getArrayAttr(table);
    module->setAttr(kParameters, entries);
    module->setAttr(kParameterBytes, b.getI64IntegerAttr(end));
    return entries;
  }

private:
  static DictionaryAttr without(DictionaryAttr entry) {
    NamedAttrList fields(entry);
    fields.erase("offset");
    return fields.getDictionary(entry.getContext());
  }

  ModuleOp module;
  llvm::MapVector<DictionaryAttr, int64_t> offsets; ///< of those added
  llvm::DenseMap<DictionaryAttr, int64_t> known;
  int64_t end = 0;
};

} // namespace cheems

#endif
