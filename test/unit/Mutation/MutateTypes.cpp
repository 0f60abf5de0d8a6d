// Changes of types, of one value or throughout a module.
#include "Mutate.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"

namespace cheems::test {
using namespace mlir;

int64_t someExtent(Random &random) {
  static const std::vector<int64_t> extents{0,
                                            1,
                                            2,
                                            3,
                                            4,
                                            5,
                                            7,
                                            8,
                                            9,
                                            15,
                                            16,
                                            17,
                                            33,
                                            64,
                                            100,
                                            ShapedType::kDynamic,
                                            ShapedType::kDynamic};
  return random.of(extents);
}

namespace {

Type otherElement(MLIRContext *context, Random &random) {
  const std::vector<Type> types{
      Float32Type::get(context),    BFloat16Type::get(context),
      Float16Type::get(context),    Float64Type::get(context),
      IndexType::get(context),      IntegerType::get(context, 1),
      IntegerType::get(context, 8), IntegerType::get(context, 32),
      IntegerType::get(context, 64)};
  return random.of(types);
}

/// A vector cannot be of extent zero, nor dynamic.
bool mayHave(ShapedType type, int64_t extent) {
  return !isa<VectorType>(type) || extent > 0;
}

/// What a type or attribute that cannot be says. Mutations hear it nowhere, and
/// keep what was there.
struct Refusal {
  MLIRContext *context;
  InFlightDiagnostic operator()() const {
    return emitError(UnknownLoc::get(context));
  }
};

int64_t somePower(Random &random) { return int64_t(1) << random.below(6); }

/// Another place for each element of a tile.
Attribute otherLayout(MLIRContext *context, Attribute old, Random &random) {
  Refusal refusal{context};
  function_ref<InFlightDiagnostic()> refused = refusal;
  Attribute other;
  switch (random.below(4)) {
  case 0:
    return {};
  case 1:
    other = tile::BlockedAttr::getChecked(refused, context, somePower(random),
                                          somePower(random), somePower(random));
    break;
  case 2:
    other = tile::FragmentAttr::getChecked(
        refused, context, static_cast<tile::FragmentRole>(random.below(3)),
        somePower(random), somePower(random), int64_t(random.once(2) ? 1 : 2),
        int64_t(random.once(2) ? 2 : 8));
    break;
  default:
    if (auto layout = dyn_cast<tile::TileLayoutAttrInterface>(old)) {
      other = tile::SliceAttr::getChecked(
          refused, context, static_cast<int64_t>(random.below(2)), layout);
    }
  }
  return other ? other : old;
}

Type otherBuffer(tile::BufferType type, Random &random) {
  SmallVector<int64_t> shape(type.getShape());
  Type element = type.getElementType();
  bool swizzled = type.getSwizzled();
  switch (random.below(4)) {
  case 0:
    element = otherElement(type.getContext(), random);
    break;
  case 1:
    swizzled = !swizzled;
    break;
  default:
    shape[random.below(shape.size())] = someExtent(random);
  }
  Refusal refusal{type.getContext()};
  function_ref<InFlightDiagnostic()> refused = refusal;
  Type other = tile::BufferType::getChecked(
      refused, type.getContext(), ArrayRef<int64_t>(shape), element, swizzled);
  return other ? other : Type(type);
}

Type otherShaped(ShapedType type, Random &random) {
  SmallVector<int64_t> shape(type.getShape());
  Type element = type.getElementType();
  bool plain = !isa<VectorType>(type);
  switch (random.below(plain ? 6 : 4)) {
  case 0:
    element = otherElement(type.getContext(), random);
    break;
  case 1:
    if (shape.size() > 1) {
      shape.erase(shape.begin() + random.below(shape.size()));
    }
    break;
  case 2:
    shape.insert(shape.begin() + random.below(shape.size() + 1), 1);
    break;
  case 4: // between values and buffers
    return isa<TensorType>(type) ? Type(MemRefType::get(shape, element))
                                 : RankedTensorType::get(shape, element);
  default:
    if (!shape.empty()) {
      int64_t extent = someExtent(random);
      if (mayHave(type, extent)) {
        shape[random.below(shape.size())] = extent;
      }
    }
  }
  if (isa<VectorType>(type) && !VectorType::isValidElementType(element)) {
    return type;
  }
  if (auto buffer = dyn_cast<MemRefType>(type)) {
    return MemRefType::get(shape, element);
  }
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || !tile.getEncoding()) {
    return type.cloneWith(ArrayRef<int64_t>(shape), element);
  }
  Attribute layout = tile.getEncoding();
  if (random.once(3)) {
    shape.assign(tile.getShape().begin(), tile.getShape().end());
    layout = otherLayout(type.getContext(), layout, random);
  }
  Type other = RankedTensorType::getChecked(Refusal{type.getContext()}, shape,
                                            element, layout);
  return other ? other : Type(type);
}

} // namespace

Type otherType(Type type, Random &random) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && shaped.hasRank() &&
      isa<RankedTensorType, MemRefType, VectorType>(type)) {
    return otherShaped(shaped, random);
  }
  if (auto buffer = dyn_cast<tile::BufferType>(type)) {
    return otherBuffer(buffer, random);
  }
  Type element = otherElement(type.getContext(), random);
  return random.once(4) ? Type(RankedTensorType::get({4}, element)) : element;
}

static void rewrite(ModuleOp module, AttrTypeReplacer &replacer) {
  // Constants of another type than their bits would be no attributes at all.
  replacer.addReplacement(
      [](Attribute attribute)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        return isa<TypeAttr, ArrayAttr, DictionaryAttr>(attribute)
                   ? std::nullopt
                   : std::make_optional(
                         std::make_pair(attribute, WalkResult::skip()));
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

void replaceTypes(ModuleOp module, Type from, Type to) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [=](Type type) -> std::optional<std::pair<Type, WalkResult>> {
        // Its own parts are not searched: `to` may contain `from`.
        return type == from
                   ? std::make_optional(std::make_pair(to, WalkResult::skip()))
                   : std::nullopt;
      });
  rewrite(module, replacer);
}

void replaceExtents(ModuleOp module, int64_t from, int64_t to) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](ShapedType type) -> std::optional<Type> {
    if (!isa<RankedTensorType, MemRefType, VectorType>(type) ||
        !mayHave(type, to)) {
      return std::nullopt;
    }
    SmallVector<int64_t> shape(type.getShape());
    std::replace(shape.begin(), shape.end(), from, to);
    if (ArrayRef(shape) == type.getShape()) {
      return std::nullopt;
    }
    if (auto buffer = dyn_cast<MemRefType>(type)) {
      // A strided layout of other extents would often be none.
      return buffer.getLayout().isIdentity()
                 ? std::optional<Type>(
                       MemRefType::get(shape, type.getElementType()))
                 : std::optional<Type>(MemRefType::get(
                       shape, type.getElementType(), buffer.getLayout()));
    }
    if (auto tile = dyn_cast<RankedTensorType>(type)) {
      // A layout has a least tile.
      Type other = RankedTensorType::getChecked(Refusal{type.getContext()},
                                                shape, tile.getElementType(),
                                                tile.getEncoding());
      return other ? std::make_optional(other) : std::nullopt;
    }
    return type.clone(shape);
  });
  replacer.addReplacement([=](tile::BufferType type) -> std::optional<Type> {
    SmallVector<int64_t> shape(type.getShape());
    std::replace(shape.begin(), shape.end(), from, to);
    Refusal refusal{type.getContext()};
    function_ref<InFlightDiagnostic()> refused = refusal;
    Type other = tile::BufferType::getChecked(
        refused, type.getContext(), ArrayRef<int64_t>(shape),
        type.getElementType(), type.getSwizzled());
    return other ? std::make_optional(other) : std::nullopt;
  });
  rewrite(module, replacer);
}

} // namespace cheems::test
