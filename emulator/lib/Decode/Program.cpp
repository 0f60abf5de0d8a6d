//===- Program.cpp - Memory of a decoded kernel --------------------------===//
#include "Program.h"

#include <cstring>
#include <new>

using namespace cheems::emulator;

namespace {
constexpr std::align_val_t cacheLine{64};
} // namespace

// Zeros, because a register that was never written has the same value in every
// run.
AlignedBytes::AlignedBytes(size_t bytes)
    : memory(bytes ? static_cast<std::byte *>(operator new(bytes, cacheLine))
                   : nullptr),
      begin(memory.get()), bytes(bytes) {
  if (bytes) {
    std::memset(begin, 0, bytes);
  }
}

void AlignedBytes::Free::operator()(std::byte *data) const {
  operator delete(data, cacheLine);
}
