#include "runtime/State/StatePools.h"
#include "runtime/Error.h"
#include <cstring>

using namespace cheems;

namespace {

/// Bytes of one pool. Throws when they do not fit in 63 bits.
int64_t poolBytes(const StateKind &kind, int64_t slots, int64_t capacity) {
  int64_t bytes;
  if (__builtin_mul_overflow(kind.slotBytes(capacity), slots, &bytes)) {
    throw Error("the state is too large for any machine");
  }
  return bytes;
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
    : capacity(capacity), total(totalBytes(metadata, slots, capacity)) {
  std::string purpose = "the state of " + std::to_string(slots) +
                        " sequence(s) with " + std::to_string(capacity) +
                        " entries each; lower the context";
  // Asked for at once and given back: the kernel might grant each pool alone
  // although this machine could never hold them all.
  {
    Memory all(total, purpose);
  }
  for (const StateKind &kind : metadata.state) {
    Kind layout{kind.slotBytes(capacity), 1,
                kind.elementBytes,        kind.elementBytes,
                kind.hasCapacity(),       kind.holdsCounts()};
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
    pools.push_back(
        memory.emplace_back(poolBytes(kind, slots, capacity), purpose).data());
  }
}

int64_t StatePools::usedBytes(int64_t entries) const {
  int64_t total = 0;
  for (const Kind &kind : kinds) {
    total += kind.runs * kind.used(entries);
  }
  return total;
}

void StatePools::visit(int64_t slot, int64_t entries,
                       const Visitor &visitor) const {
  for (size_t i = 0; i < kinds.size(); ++i) {
    const Kind &kind = kinds[i];
    char *block = static_cast<char *>(pools[i]) + slot * kind.slotBytes;
    for (int64_t run = 0; run < kind.runs; ++run) {
      visitor(block + run * kind.stride, kind.used(entries), kind.counts);
    }
  }
}

void StatePools::save(int64_t slot, int64_t entries, SlotCopy &copy) const {
  copy.entries = entries;
  copy.bytes.resize(usedBytes(entries));
  char *out = copy.bytes.data();
  visit(slot, entries, [&](char *bytes, int64_t size, bool) {
    std::memcpy(out, bytes, size);
    out += size;
  });
}

void StatePools::restore(int64_t slot, const SlotCopy &copy) {
  if (copy.entries > capacity ||
      static_cast<int64_t>(copy.bytes.size()) != usedBytes(copy.entries)) {
    throw Error(Status::usage,
                "the saved state is of another model or does not fit");
  }
  const char *in = copy.bytes.data();
  visit(slot, copy.entries, [&](char *bytes, int64_t size, bool) {
    std::memcpy(bytes, in, size);
    in += size;
  });
}

void StatePools::copy(int64_t from, int64_t to, int64_t entries) {
  if (from == to) {
    return;
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    const Kind &kind = kinds[i];
    char *base = static_cast<char *>(pools[i]);
    for (int64_t run = 0; run < kind.runs; ++run) {
      int64_t offset = run * kind.stride;
      std::memcpy(base + to * kind.slotBytes + offset,
                  base + from * kind.slotBytes + offset, kind.used(entries));
    }
  }
}

void StatePools::release(int64_t slot) {
  for (size_t i = 0; i < kinds.size(); ++i) {
    memory[i].release(slot * kinds[i].slotBytes, kinds[i].slotBytes);
  }
}
