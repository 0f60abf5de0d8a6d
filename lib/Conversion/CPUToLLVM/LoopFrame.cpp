// What a parallel loop hands to its body.
#include "LoopFrame.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace {
/// What the type of a memref says of its descriptor.
struct View {
  MemRefType type;
  SmallVector<int64_t> strides;
  int64_t offset = 0;

  /// Nothing for other values, and for memrefs whose layout has no strides.
  static std::optional<View> of(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.isStrided()) {
      return std::nullopt;
    }
    View view{memref, {}, 0};
    (void)memref.getStridesAndOffset(view.strides, view.offset);
    return view;
  }
  /// An address that is moved by the offset needs no offset beside it.
  bool movesAddress() const { return ShapedType::isDynamic(offset); }
};
} // namespace

void cheems::LoopFrame::capture(Value value) {
  captured.push_back(value);
  std::optional<View> view = View::of(value.getType());
  if (!view) {
    fields.push_back(converter.convertType(value.getType()));
    return;
  }
  fields.push_back(LLVM::LLVMPointerType::get(&converter.getContext()));
  for (ArrayRef<int64_t> numbers :
       {view->type.getShape(), ArrayRef<int64_t>(view->strides)}) {
    fields.append(llvm::count_if(numbers, ShapedType::isDynamic),
                  converter.getIndexType());
  }
}

Type cheems::LoopFrame::type() const {
  return LLVM::LLVMStructType::getLiteral(&converter.getContext(), fields);
}

void cheems::LoopFrame::store(OpBuilder &b, Location loc, Value frame) const {
  int32_t next = 0;
  auto put = [&](Value field) {
    Value address = LLVM::GEPOp::create(b, loc, frame.getType(), type(), frame,
                                        ArrayRef<LLVM::GEPArg>{0, next++});
    LLVM::StoreOp::create(b, loc, field, address);
  };
  for (Value value : captured) {
    std::optional<View> view = View::of(value.getType());
    Type converted = converter.convertType(value.getType());
    if (converted != value.getType()) {
      value = UnrealizedConversionCastOp::create(b, loc, converted, value)
                  .getResult(0);
    }
    if (!view) {
      put(value);
      continue;
    }
    MemRefDescriptor descriptor(value);
    put(view->movesAddress()
            ? descriptor.bufferPtr(b, loc, converter, view->type)
            : descriptor.alignedPtr(b, loc));
    for (auto [i, extent] : llvm::enumerate(view->type.getShape())) {
      if (ShapedType::isDynamic(extent)) {
        put(descriptor.size(b, loc, i));
      }
    }
    for (auto [i, stride] : llvm::enumerate(view->strides)) {
      if (ShapedType::isDynamic(stride)) {
        put(descriptor.stride(b, loc, i));
      }
    }
  }
}

void cheems::LoopFrame::load(OpBuilder &b, Location loc, Value frame,
                             IRMapping &map) const {
  int32_t next = 0;
  auto take = [&]() -> Value {
    Value address = LLVM::GEPOp::create(b, loc, frame.getType(), type(), frame,
                                        ArrayRef<LLVM::GEPArg>{0, next});
    return LLVM::LoadOp::create(b, loc, fields[next++], address);
  };
  for (Value value : captured) {
    Value loaded = take();
    if (std::optional<View> view = View::of(value.getType())) {
      auto descriptor =
          MemRefDescriptor::poison(b, loc, converter.convertType(view->type));
      descriptor.setAllocatedPtr(b, loc, loaded);
      descriptor.setAlignedPtr(b, loc, loaded);
      descriptor.setConstantOffset(b, loc,
                                   view->movesAddress() ? 0 : view->offset);
      for (auto [i, extent] : llvm::enumerate(view->type.getShape())) {
        if (ShapedType::isDynamic(extent)) {
          descriptor.setSize(b, loc, i, take());
        } else {
          descriptor.setConstantSize(b, loc, i, extent);
        }
      }
      for (auto [i, stride] : llvm::enumerate(view->strides)) {
        if (ShapedType::isDynamic(stride)) {
          descriptor.setStride(b, loc, i, take());
        } else {
          descriptor.setConstantStride(b, loc, i, stride);
        }
      }
      loaded = descriptor;
    }
    if (loaded.getType() != value.getType()) {
      loaded =
          UnrealizedConversionCastOp::create(b, loc, value.getType(), loaded)
              .getResult(0);
    }
    map.map(value, loaded);
  }
}
