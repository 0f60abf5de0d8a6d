#include "runtime/State/StatePools.h"
#include "runtime/Error.h"
#include <cstring>

using namespace cheems;

namespace {

/// Bytes of one pool.
int64_t poolBytes(const StateKind &kind, int64_t slots,
                  const PoolSizes &sizes) {
  int64_t bytes;
  if (__builtin_mul_overflow(kind.slotBytes(sizes), slots, &bytes)) {
    throw MemoryShort("the state is too large for any machine");
  }
  return bytes;
}

} // namespace

int64_t StatePools::bytesOf(const Metadata &metadata, int64_t slots,
                            const PoolSizes &sizes) {
  int64_t total = 0;
  for (const StateKind &kind : metadata.state) {
    if (__builtin_add_overflow(total, poolBytes(kind, slots, sizes), &total)) {
      throw MemoryShort("the state is too large for any machine");
    }
  }
  return total;
}

StatePools::StatePools(const Metadata &metadata, int64_t slots,
                       const PoolSizes &sizes)
    : sizes(sizes), total(bytesOf(metadata, slots, sizes)),
      what("the state of " + std::to_string(slots) + " sequence(s) with " +
           std::to_string(sizes.capacity) +
           " entries each; lower the context") {
  for (const StateKind &kind : metadata.state) {
    Kind shape{kind.slotBytes(sizes),
               1,
               kind.elementBytes,
               kind.elementBytes,
               poolBytes(kind, slots, sizes),
               kind.hasCapacity(),
               kind.holdsCounts(),
               kind.isRing() ? metadata.ringRows(INT32_MAX) : 0};
    bool after = !shape.hasCapacity;
    for (int64_t extent : kind.extents) {
      if (extent < 0) {
        after = true;
      } else {
        (after ? shape.entry : shape.runs) *= extent;
      }
    }
    int64_t stored = kind.isRing() ? sizes.ring : sizes.capacity;
    shape.stride = shape.hasCapacity ? shape.entry * stored : shape.slotBytes;
    layout.push_back(shape);
  }
}

std::array<StatePools::Part, 2> StatePools::Kind::parts(int64_t entries) const {
  if (ringRows == 0) {
    return {{{0, used(entries)}, {0, 0}}};
  }
  int64_t size = used(entries), from = (entries * entry - size) % stride,
          first = std::min(size, stride - from);
  return {{{from, first}, {0, size - first}}};
}

int64_t StatePools::usedBytes(int64_t entries) const {
  int64_t sum = 0;
  for (const Kind &kind : layout) {
    sum += kind.runs * kind.used(entries);
  }
  return sum;
}

void StatePools::pieces(
    int64_t entries,
    const std::function<void(int64_t size, bool counts)> &visitor) const {
  for (const Kind &kind : layout) {
    for (int64_t run = 0; run < kind.runs; ++run) {
      visitor(kind.used(entries), kind.counts);
    }
  }
}

void StatePools::save(int64_t slot, int64_t entries, SlotCopy &copy) const {
  copy.entries = entries;
  copy.bytes.resize(usedBytes(entries));
  char *out = copy.bytes.data();
  read(slot, entries, [&](const char *bytes, int64_t size, bool) {
    std::memcpy(out, bytes, size);
    out += size;
  });
}

bool StatePools::takes(const SlotCopy &copy) const {
  return copy.entries <= sizes.capacity &&
         static_cast<int64_t>(copy.bytes.size()) == usedBytes(copy.entries);
}

void StatePools::restore(int64_t slot, const SlotCopy &copy) {
  if (!takes(copy)) {
    throw Error(Status::usage,
                "the saved state is of another model or does not fit");
  }
  const char *in = copy.bytes.data();
  fill(slot, copy.entries, [&](char *bytes, int64_t size, bool) {
    std::memcpy(bytes, in, size);
    in += size;
  });
}
