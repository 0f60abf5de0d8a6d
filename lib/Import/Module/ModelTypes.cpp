// Element types, state pools and the segment table of a module.
#include "ModelTypes.h"
#include "cheems/Dialect/Cheems/IR/Segments.h"
#include "cheems/Import/Quantize.h"

namespace cheems {
using namespace mlir;

Type ModelTypes::matrixElement() const {
  switch (options.matrices) {
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  default:
    return f32();
  }
}
Type ModelTypes::stateElement() const {
  if (options.stateInt8) {
    return IntegerType::get(context, 8);
  }
  return options.stateBF16 ? Type(BFloat16Type::get(context)) : f32();
}

bool ModelTypes::counted() const {
  return llvm::any_of(model.layers, [](const Layer &layer) {
    const Attention *attention = layer.find<Attention>();
    return attention && attention->computesMasks() &&
           attention->mask->kind == MaskKind::Threshold;
  });
}

RankedTensorType ModelTypes::rowsOf(int64_t columns) const {
  return RankedTensorType::get({ShapedType::kDynamic, columns}, f32());
}
RankedTensorType ModelTypes::matrix(int64_t rows, int64_t columns) const {
  return RankedTensorType::get({rows, columns}, matrixElement());
}
RankedTensorType ModelTypes::vector(int64_t size) const {
  return RankedTensorType::get({size}, f32());
}
static QuantizedAttr markOf(MLIRContext *context,
                            std::optional<QuantizedFormat> format) {
  return format ? QuantizedAttr::get(context, format->bits, format->group,
                                     QuantizedPart::Matrix)
                : QuantizedAttr();
}

QuantizedAttr ModelTypes::quantized(int64_t columns) const {
  return markOf(context, matmulFormat(options.weightBits, columns));
}
QuantizedAttr ModelTypes::quantizedHead() const {
  return markOf(context, headFormat(options.weightBits, model.hidden));
}
QuantizedAttr ModelTypes::quantizedTable() const {
  return markOf(context, tableFormat(options.weightBits));
}

RankedTensorType ModelTypes::segments() const {
  return RankedTensorType::get({ShapedType::kDynamic, kSegmentFields}, i32());
}

SmallVector<ModelTypes::Pool> ModelTypes::ringPools() const {
  constexpr int64_t any = ShapedType::kDynamic;
  int64_t layers = attentionLayers(/*windows=*/true);
  if (layers == 0) {
    return {};
  }
  int64_t heads = attention()->keyValueHeads;
  auto entries = RankedTensorType::get(
      {any, layers, heads, any, attention()->headSize}, stateElement());
  SmallVector<Pool> result{{"ring_keys", StateRole::Keys, entries, true},
                           {"ring_values", StateRole::Values, entries, true}};
  if (options.stateInt8) {
    auto scales = RankedTensorType::get({any, layers, heads, any}, f32());
    result.push_back({"ring_key_scales", StateRole::Scales, scales, true});
    result.push_back({"ring_value_scales", StateRole::Scales, scales, true});
  }
  return result;
}

int64_t ModelTypes::attentionLayers(bool windows) const {
  int64_t count = 0;
  for (const Layer &layer : model.layers) {
    for (const Branch &branch : layer.branches) {
      count += llvm::count_if(branch.mixers, [&](const Mixer &mixer) {
        const auto *attention = std::get_if<Attention>(&mixer.what);
        return attention && attention->window.has_value() == windows;
      });
    }
  }
  return count;
}

SmallVector<ModelTypes::Pool> ModelTypes::attentionPools() const {
  constexpr int64_t any = ShapedType::kDynamic;
  int64_t layers = attentionLayers(/*windows=*/false);
  if (layers == 0) {
    return {};
  }
  int64_t heads = stateHeads();
  auto entries = RankedTensorType::get(
      {any, layers, heads, any, attention()->headSize}, stateElement());
  SmallVector<Pool> result{{"keys", StateRole::Keys, entries},
                           {"values", StateRole::Values, entries}};
  // Without a window the masks of every head of A go with the key head they
  // share.
  if (attention()->mask) {
    result.push_back(
        {"masks", StateRole::Masks,
         RankedTensorType::get({any, layers, attention()->mask->heads, any},
                               f32())});
  }
  auto numbers = [&](Type element) {
    return RankedTensorType::get({any, layers, heads, any}, element);
  };
  if (windowed()) {
    result.push_back({"positions", StateRole::Positions, numbers(i32())});
  }
  if (options.stateInt8) {
    result.push_back({"key_scales", StateRole::Scales, numbers(f32())});
    result.push_back({"value_scales", StateRole::Scales, numbers(f32())});
  }
  if (counted()) {
    result.push_back({"counts", StateRole::Counts,
                      RankedTensorType::get({any, layers, heads}, i32())});
  }
  return result;
}

SmallVector<ModelTypes::Pool> ModelTypes::ssdPools() const {
  const SSD *first = ssd();
  if (!first) {
    return {};
  }
  return {
      {"ssd", StateRole::Running,
       RankedTensorType::get({ShapedType::kDynamic, model.count<SSD>(),
                              first->heads, first->stateSize, first->headSize},
                             f32())}};
}

SmallVector<ModelTypes::Pool> ModelTypes::pools() const {
  SmallVector<Pool> result = attentionPools();
  llvm::append_range(result, ringPools());
  llvm::append_range(result, ssdPools());
  return result;
}
} // namespace cheems
