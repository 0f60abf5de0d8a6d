#include "runtime/State/HostPools.h"
#include <cstring>

using namespace cheems;

HostPools::HostPools(const Metadata &metadata, int64_t slots,
                     const PoolSizes &sizes)
    : StatePools(metadata, slots, sizes) {
  // Asked for at once and given back: the kernel might grant each pool alone
  // although this machine could never hold them all.
  {
    Memory all(bytes(), purpose());
  }
  for (const Kind &kind : kinds()) {
    pools.push_back(memory.emplace_back(kind.poolBytes, purpose()).data());
  }
}

template <typename Visitor>
void HostPools::visit(int64_t slot, int64_t entries,
                      const Visitor &visitor) const {
  for (size_t i = 0; i < kinds().size(); ++i) {
    const Kind &kind = kinds()[i];
    char *block = static_cast<char *>(pools[i]) + slot * kind.slotBytes;
    for (int64_t run = 0; run < kind.runs; ++run) {
      for (const Part &part : kind.parts(entries)) {
        visitor(block + run * kind.stride + part.offset, part.size,
                kind.counts);
      }
    }
  }
}

void HostPools::read(int64_t slot, int64_t entries,
                     const Reader &reader) const {
  visit(slot, entries, reader);
}

void HostPools::fill(int64_t slot, int64_t entries, const Writer &writer) {
  visit(slot, entries, writer);
}

void HostPools::copy(int64_t from, int64_t to, int64_t entries) {
  if (from == to) {
    return;
  }
  for (size_t i = 0; i < kinds().size(); ++i) {
    const Kind &kind = kinds()[i];
    char *base = static_cast<char *>(pools[i]);
    for (int64_t run = 0; run < kind.runs; ++run) {
      for (const Part &part : kind.parts(entries)) {
        int64_t offset = run * kind.stride + part.offset;
        std::memcpy(base + to * kind.slotBytes + offset,
                    base + from * kind.slotBytes + offset, part.size);
      }
    }
  }
}

void HostPools::release(int64_t slot) {
  for (size_t i = 0; i < kinds().size(); ++i) {
    memory[i].release(slot * kinds()[i].slotBytes, kinds()[i].slotBytes);
  }
}
