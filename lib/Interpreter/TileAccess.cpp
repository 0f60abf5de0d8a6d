#include "TileAccess.h"
#include "Elements.h"

namespace cheems::interpreter {

std::string inBlock(Frame &f) {
  return " in block " + shapeText(f.tileBlock->at);
}

bool holds(const Access &access, int64_t aligned, int64_t bytes, Frame &f) {
  ArrayRef<int64_t> shape = access.memory.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (access.offsets[d] < 0 ||
        (!llvm::is_contained(access.dims, int64_t(d)) &&
         access.offsets[d] >= shape[d])) {
      f.fail() << "has the offsets " << shapeText(access.offsets) << " into "
               << shapeText(shape) << inBlock(f);
      return false;
    }
  }
  if (aligned <= bytes) {
    return true;
  }
  bool rows = shape.size() == 1 || shape.back() * bytes % aligned == 0;
  if (access.offsets.back() * bytes % aligned != 0 ||
      access.extents.back() * bytes % aligned != 0 || !rows) {
    f.fail() << "is aligned to " << aligned << " bytes, but of elements of "
             << bytes << " bytes its offset along the last dimension is "
             << access.offsets.back() << ", its extent "
             << access.extents.back() << ", and that of the memory "
             << shape.back() << inBlock(f);
    return false;
  }
  return true;
}

void forEachInside(
    const Access &access, ArrayRef<int64_t> tile, Frame &f,
    llvm::function_ref<void(size_t element, int64_t place)> visit) {
  size_t element = 0;
  forEachIndex(tile, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> at = access.offsets;
    bool isInside = true;
    if (access.along) {
      at[size_t(*access.along)] += index[0] / *access.parts;
    }
    for (size_t e = 0; e < index.size(); ++e) {
      int64_t &along = at[size_t(access.dims[e])];
      along += e == 0 && access.parts ? index[0] % *access.parts : index[e];
      isInside &= along < access.extents[e];
    }
    if (isInside) {
      std::optional<int64_t> place = offsetOf(access.memory.shape, at);
      if (!place) {
        f.fail() << "asks for element " << shapeText(at) << " of "
                 << shapeText(access.memory.shape) << inBlock(f);
        return false;
      }
      visit(element, *place);
    }
    ++element;
    return !f.failed();
  });
}

int64_t bytesOf(Value memory) {
  return cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
}

double readElement(Memory &memory, int64_t place, Frame &f) {
  double element = memory.contents().data[size_t(place)];
  if (!memory.read(place, f.tileBlock->number)) {
    f.fail() << "reads element " << indexText(memory.contents().shape, place)
             << inBlock(f) << ", which another block has written";
  } else if (isUninitialised(element)) {
    f.fail() << "reads element " << indexText(memory.contents().shape, place)
             << inBlock(f) << ", which nothing has written";
  }
  return element;
}

std::optional<int64_t> firstOf(tile::BufferType buffer, int64_t stage,
                               Frame &f) {
  if (stage < 0 || stage >= buffer.getStages()) {
    f.fail() << "takes stage " << stage << " of " << buffer.getStages()
             << inBlock(f);
    return std::nullopt;
  }
  return stage * buffer.getRows() * buffer.getColumns();
}

void begin(Value buffer, int64_t first, Tensor stage, Frame &f) {
  Memory &into = f.memory(buffer);
  for (size_t element = 0; element < stage.data.size(); ++element) {
    into.write(first + int64_t(element), uninitialised(), f.tileBlock->number);
  }
  f.tileBlock->begun.push_back(
      {f.value(buffer).memory(), first, std::move(stage)});
}

} // namespace cheems::interpreter
