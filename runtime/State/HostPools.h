// State pools in the memory of the host.
#ifndef CHEEMS_RUNTIME_STATE_HOSTPOOLS_H
#define CHEEMS_RUNTIME_STATE_HOSTPOOLS_H

#include "runtime/State/Memory.h"
#include "runtime/State/StatePools.h"
#include <deque>

namespace cheems {

class HostPools : public StatePools {
public:
  /// Throws Error naming the bytes when they cannot be had.
  HostPools(const Metadata &metadata, int64_t slots, const PoolSizes &sizes);

  /// One 64-byte aligned base per kind, in the artefact's order.
  void *const *bases() const { return pools.data(); }

  void read(int64_t slot, int64_t entries, const Reader &reader) const override;
  void fill(int64_t slot, int64_t entries, const Writer &writer) override;
  void copy(int64_t from, int64_t to, int64_t entries) override;
  void release(int64_t slot) override;

private:
  template <typename Visitor>
  void visit(int64_t slot, int64_t entries, const Visitor &visitor) const;

  std::deque<Memory> memory; ///< one per pool, in place
  std::vector<void *> pools;
};

} // namespace cheems

#endif
