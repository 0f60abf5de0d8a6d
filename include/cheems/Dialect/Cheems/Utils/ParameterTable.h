// Says where weights lie in the weight section. Header-only, for back ends from
// outside, too.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_PARAMETERTABLE_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_PARAMETERTABLE_H

#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

namespace cheems {

/// `cheems.parameters` of a module; empty where it has none.
inline std::vector<StoredParameterAttr> parametersOf(ModuleOp module) {
  std::vector<StoredParameterAttr> parameters;
  if (auto rows = module->getAttrOfType<ArrayAttr>(kParameters)) {
    llvm::append_range(parameters, rows.getAsRange<StoredParameterAttr>());
  }
  return parameters;
}

/// Gives parameters their offsets. At first, `cheems.parameters` of a module
/// lists those of images that were made before. A parameter that is the same as
/// one of them gets its offset.
class ParameterTable {
public:
  explicit ParameterTable(ModuleOp module) : module(module) {
    for (StoredParameterAttr earlier : parametersOf(module)) {
      known[earlier.withOffset(0)] = earlier.getOffset();
    }
    if (auto bytes = module->getAttrOfType<IntegerAttr>(kParameterBytes)) {
      end = bytes.getInt();
    }
  }

  /// The offset of a parameter, which has 0 until then. All else the same is
  /// the same parameter.
  int64_t add(StoredParameterAttr parameter) {
    auto [used, fresh] = offsets.try_emplace(parameter, 0);
    if (fresh) {
      auto [place, unknown] = known.try_emplace(parameter, end);
      if (unknown) {
        end = llvm::alignTo(end + parameter.getBytes(),
                            StoredParameterAttr::kAlignment);
      }
      used->second = place->second;
    }
    return used->second;
  }

  /// Makes the parameters that were added the module's `cheems.parameters`, in
  /// this order.
  void attach() {
    Builder b(module.getContext());
    SmallVector<Attribute> rows;
    for (auto &[parameter, offset] : offsets) {
      rows.push_back(parameter.withOffset(offset));
    }
    module->setAttr(kParameters, b.getArrayAttr(rows));
    module->setAttr(kParameterBytes, b.getI64IntegerAttr(end));
  }

private:
  ModuleOp module;
  llvm::MapVector<StoredParameterAttr, int64_t> offsets; ///< of those added
  llvm::DenseMap<StoredParameterAttr, int64_t> known;
  int64_t end = 0;
};

} // namespace cheems

#endif
