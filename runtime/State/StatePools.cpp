#include "runtime/State/StatePools.h"
#include "runtime/Error.h"
#include <cstring>

using namespace cheems;

namespace {

constexpr int64_t poolAlignment = 64;

/// Bytes of one pool, rounded up so that the next one is aligned. Throws when
/// they do not fit in 63 bits.
int64_t poolBytes(const StateKind &kind, int64_t slots, int64_t capacity) {
  int64_t bytes;
  if (__builtin_mul_overflow(kind.slotBytes(capacity), slots, &bytes) ||
      __builtin_add_overflow(bytes, poolAlignment - 1, &bytes)) {
    throw Error("the state is too large for any machine");
  }
  return bytes / poolAlignment * poolAlignment;
}

} // namespace

int64_t StatePools::totalBytes(const Metadata &metadata, int64_t slots,
                               int64_t capacity) {
  int64_t total = 0;
  for (const StateKind &kind : metadata.state) {
    if (__builtin_add_overflow(total, poolBytes(kind, slots, capacity),
                               &total)) {
      throw Error("the state is too large for any machine");
    }
  }
  return total;
}

StatePools::StatePools(const Metadata &metadata, int64_t slots,
                       int64_t capacity)
    : capacity(capacity),
      memory(totalBytes(metadata, slots, capacity),
             "the state of " + std::to_string(slots) + " sequence(s) with " +
                 std::to_string(capacity) +
                 " entries each; lower the context") {
  char *next = memory.data();
  for (const StateKind &kind : metadata.state) {
    Kind layout{kind.slotBytes(capacity), 1, kind.elementBytes,
                kind.elementBytes, kind.hasCapacity()};
    bool behind = !layout.hasCapacity;
    for (int64_t extent : kind.extents) {
      if (extent == StateKind::capacityExtent) {
        behind = true;
      } else {
        (behind ? layout.entry : layout.runs) *= extent;
      }
    }
    layout.stride =
        layout.hasCapacity ? layout.entry * capacity : layout.slotBytes;
    kinds.push_back(layout);
    pools.push_back(next);
    next += poolBytes(kind, slots, capacity);
  }
}

int64_t StatePools::copyBytes(int64_t entries) const {
  int64_t total = 0;
  for (const Kind &kind : kinds) {
    total += kind.runs * kind.used(entries);
  }
  return total;
}

void StatePools::save(int64_t slot, int64_t entries, SlotCopy &copy) const {
  copy.entries = entries;
  copy.capacity = capacity;
  copy.bytes.resize(copyBytes(entries));
  char *out = copy.bytes.data();
  for (size_t i = 0; i < kinds.size(); ++i) {
    const Kind &kind = kinds[i];
    const char *block =
        static_cast<const char *>(pools[i]) + slot * kind.slotBytes;
    for (int64_t run = 0; run < kind.runs; ++run, out += kind.used(entries)) {
      std::memcpy(out, block + run * kind.stride, kind.used(entries));
    }
  }
}

void StatePools::restore(int64_t slot, const SlotCopy &copy) {
  if (copy.capacity != capacity ||
      static_cast<int64_t>(copy.bytes.size()) != copyBytes(copy.entries)) {
    throw Error(Status::usage,
                "the saved state is of another model or context length");
  }
  const char *in = copy.bytes.data();
  for (size_t i = 0; i < kinds.size(); ++i) {
    const Kind &kind = kinds[i];
    char *block = static_cast<char *>(pools[i]) + slot * kind.slotBytes;
    for (int64_t run = 0; run < kind.runs;
         ++run, in += kind.used(copy.entries)) {
      std::memcpy(block + run * kind.stride, in, kind.used(copy.entries));
    }
  }
}
