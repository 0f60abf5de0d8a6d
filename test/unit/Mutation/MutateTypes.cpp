// Changes of types, of one value or throughout a module.
#include "Mutate.h"
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
  return type.cloneWith(ArrayRef<int64_t>(shape), element);
}

} // namespace

Type otherType(Type type, Random &random) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && shaped.hasRank() &&
      isa<RankedTensorType, MemRefType, VectorType>(type)) {
    return otherShaped(shaped, random);
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
    return type.clone(shape);
  });
  rewrite(module, replacer);
}

} // namespace cheems::test
