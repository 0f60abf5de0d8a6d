#include "runtime/State/DevicePools.h"
#include <algorithm>
#include <numeric>

using namespace cheems;
using cuda::DeviceMemory;

/// A multiple of every number's bytes: what is longer is parted there.
constexpr int64_t bufferBytes = 1 << 20;

DevicePools::DevicePools(const std::shared_ptr<const cuda::Context> &context,
                         const Metadata &metadata, int64_t slots,
                         const PoolSizes &sizes)
    : StatePools(metadata, slots, sizes),
      buffer(context, std::min(bufferBytes, bytes()), "copies of states"),
      stream(context) {
  cuda::requireFree(*context, bytes(), purpose());
  for (const Kind &kind : kinds()) {
    pools.push_back(memory
                        .emplace_back(context, kind.poolBytes, purpose(),
                                      DeviceMemory::Content::zero)
                        .address());
  }
  for (size_t i = 0; i < pools.size(); ++i) {
    if (metadata.state[i].role == PoolRole::positions) {
      number(pools[i], kinds()[i].poolBytes);
    }
  }
}

void DevicePools::number(cuda::CUdeviceptr pool, int64_t bytes) const {
  cuda::Context::Current current(*stream.context());
  std::vector<int32_t> positions(static_cast<size_t>(entryLimit()));
  std::iota(positions.begin(), positions.end(), 0);
  auto done = static_cast<int64_t>(positions.size() * sizeof(int32_t));
  stream.copyToDevice(pool, positions.data(), done);
  while (done < bytes) { // twice as much each time
    int64_t size = std::min(done, bytes - done);
    stream.copyOnDevice(pool + static_cast<uint64_t>(done), pool, size);
    done += size;
  }
  stream.synchronize();
}

/// Hands as many parts on at a time as the buffer holds.
template <typename Handle>
void DevicePools::inParts(int64_t slot, int64_t entries,
                          const Handle &handle) const {
  std::vector<Address> parts;
  int64_t room = buffer.bytes();
  auto flush = [&] {
    handle(parts);
    parts.clear();
    room = buffer.bytes();
  };
  for (size_t i = 0; i < kinds().size(); ++i) {
    const Kind &kind = kinds()[i];
    for (int64_t run = 0; run < kind.runs; ++run) {
      cuda::CUdeviceptr block =
          pools[i] + slot * kind.slotBytes + run * kind.stride;
      for (const StatePools::Part &used : kind.parts(entries)) {
        cuda::CUdeviceptr address = block + used.offset;
        for (int64_t rest = used.size; rest != 0;) {
          if (rest > room && !parts.empty()) {
            flush(); // numbers stay whole
          }
          int64_t size = std::min(rest, room);
          parts.push_back({address, size, kind.counts});
          address += size;
          rest -= size;
          room -= size;
        }
      }
    }
  }
  if (!parts.empty()) {
    flush();
  }
}

void DevicePools::read(int64_t slot, int64_t entries,
                       const Reader &reader) const {
  inParts(slot, entries, [&](const std::vector<Address> &parts) {
    char *at = buffer.data();
    for (const Address &part : parts) {
      stream.copyToHost(at, part.address, part.size);
      at += part.size;
    }
    stream.synchronize();
    at = buffer.data();
    for (const Address &part : parts) {
      reader(at, part.size, part.counts);
      at += part.size;
    }
  });
}

void DevicePools::fill(int64_t slot, int64_t entries, const Writer &writer) {
  inParts(slot, entries, [&](const std::vector<Address> &parts) {
    char *at = buffer.data();
    for (const Address &part : parts) {
      writer(at, part.size, part.counts);
      stream.copyToDevice(part.address, at, part.size);
      at += part.size;
    }
    stream.synchronize(); // the next parts take the same places
  });
}

void DevicePools::copy(int64_t from, int64_t to, int64_t entries) {
  if (from == to) {
    return;
  }
  for (size_t i = 0; i < kinds().size(); ++i) {
    const Kind &kind = kinds()[i];
    for (int64_t run = 0; run < kind.runs; ++run) {
      for (const StatePools::Part &part : kind.parts(entries)) {
        cuda::CUdeviceptr base = pools[i] + run * kind.stride + part.offset;
        if (part.size != 0) {
          stream.copyOnDevice(base + to * kind.slotBytes,
                              base + from * kind.slotBytes, part.size);
        }
      }
    }
  }
  stream.synchronize();
}
