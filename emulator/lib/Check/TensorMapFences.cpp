//===- TensorMapFences.cpp - Tensor maps that kernels change -------------===//
#include "TensorMapFences.h"

#include "AsyncCopy/TensorMap.h"
#include "Lanes/Loop.h"
#include "Machine/Block.h"

using namespace cheems::emulator;

void TensorMapFences::access(const Warp &warp, const Access &access) {
  // Only what changes a map writes so many bytes.
  if (access.space != Space::global || !access.kind.writes() ||
      access.kind.bytes != sizeof(TensorMap)) {
    return;
  }
  forLanes(access.lanes, [&](int lane) {
    changes[access.addresses[lane]] = {
        warp.place(access.instruction, lane), warp.block.number, false, {}};
  });
}

void TensorMapFences::fence(const Block &block, LaneMask lanes,
                            const Fence &fence) {
  if (fence.kind != Fence::Kind::proxyTensorMap) {
    return;
  }
  if (fence.semantics == Semantics::release) {
    for (auto &[_, change] : changes) {
      change.isReleased |= change.block == block.number;
    }
    return;
  }
  forLanes(lanes, [&](int lane) {
    auto found = changes.find(fence.addresses[lane]);
    if (found != changes.end() && found->second.isReleased) {
      found->second.acquirers.insert(block.number);
    }
  });
}

void TensorMapFences::use(const Warp &warp, const Instruction &instruction,
                          const AsyncRange &range) const {
  if (range.proxy != Proxy::tensorMap || range.space != Space::global) {
    return;
  }
  auto found = changes.find(range.address);
  if (found == changes.end() ||
      found->second.acquirers.contains(warp.block.number)) {
    return;
  }
  throw Finding("missing-proxy-fence",
                found->second.isReleased
                    ? "uses a tensor map that was changed, without "
                      "fence.proxy.tensormap::generic.acquire between them"
                    : "uses a tensor map that was changed, without "
                      "fence.proxy.tensormap::generic.release and .acquire "
                      "between them",
                warp.place(instruction, range.lane), range.address,
                found->second.place);
}
