// Registration of the cheems_tile dialect, its attributes and types.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Dialect/Cheems/IR/WordFormat.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

#include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrInterfaces.cpp.inc"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.cpp.inc"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileEnums.cpp.inc"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileOpInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.cpp.inc"
#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsTile/IR/CheemsTileOps.cpp.inc"

namespace {
/// Layouts have short names before a module. They are in almost every
/// type, and long.
struct Names : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (auto fragment = dyn_cast<FragmentAttr>(attribute)) {
      os << "fragment_" << stringifyFragmentRole(fragment.getRole());
    } else if (isa<BlockedAttr>(attribute)) {
      os << "blocked";
    } else if (auto slice = dyn_cast<SliceAttr>(attribute)) {
      os << (slice.getAxis() == 0 ? "columns" : "rows");
    } else {
      return AliasResult::NoAlias;
    }
    return AliasResult::FinalAlias;
  }
};

/// Functions that launch kernels may be inlined. Nothing is inlined into a
/// kernel: it calls no function.
struct Inlining : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *, bool,
                       IRMapping &) const override {
    return isa<LaunchOp>(op);
  }
};
} // namespace

void CheemsTileDialect::initialize() {
  addInterfaces<Inlining, Names>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cheems/Dialect/CheemsTile/IR/CheemsTileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "cheems/Dialect/CheemsTile/IR/CheemsTileOps.cpp.inc"
      >();
}

LogicalResult
tile::TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         Architecture arch, int64_t multiprocessors,
                         int64_t shared, int64_t l2, int64_t bandwidth,
                         Unit unit, OperandCopy copy) {
  if (multiprocessors < 1 || shared < 1 || l2 < 1 || bandwidth < 1) {
    return emitError() << "a GPU's numbers are positive";
  }
  if (unit == Unit::Wgmma && arch != Architecture::SM90a) {
    return emitError() << "the unit wgmma is for sm_90a, not for "
                       << stringifyArchitecture(arch);
  }
  if (copy == OperandCopy::Bulk && unit != Unit::Wgmma) {
    return emitError() << "bulk copies are for the unit wgmma, not for "
                       << stringifyUnit(unit);
  }
  return success();
}

/// 4-bit integers: rows of bytes, 64 for each 128 quantized values.
bool NibblesAttr::mayHave(ArrayRef<int64_t> shape, bool stacked,
                          Attribute quantized) const {
  auto format = dyn_cast_or_null<QuantizedAttr>(quantized);
  return format && format.getBits() == 4 &&
         format.getPart() == QuantizedPart::Codes && !stacked &&
         shape.size() == 2 &&
         shape[1] % (QuantizedMatmulOp::kTogether / 2) == 0;
}

int64_t NibblesAttr::getFurtherDimensions() const { return 0; }

StringRef tile::TargetAttr::getBackend() const { return "cuda"; }
