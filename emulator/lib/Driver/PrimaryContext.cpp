//===- PrimaryContext.cpp -------------------------------------------------===//
#include "Functions.h"
#include "Process.h"

#include <utility>

namespace cheems::emulator::driver {
namespace {

CUresult release(CUdevice device) {
  return call([&] {
    requireDevice(device);
    Process &all = process();
    require(all.primary && all.primaryUses > 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--all.primaryUses == 0) {
      destroy(std::exchange(all.primary, nullptr));
    }
  });
}

CUresult reset(CUdevice device) {
  return call([&] {
    requireDevice(device);
    Process &all = process();
    all.primaryUses = 0;
    if (auto context = std::exchange(all.primary, nullptr)) {
      destroy(context);
    }
  });
}

CUresult setFlags(CUdevice device, unsigned flags) {
  return call([&] {
    requireDevice(device);
    require(!(flags & ~unsigned(CU_CTX_FLAGS_MASK)));
    process().primaryFlags = flags;
    if (process().primary) {
      process().primary->flags = flags;
    }
  });
}

} // namespace

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return call([&] {
    require(context);
    requireDevice(device);
    Process &all = process();
    if (!all.primary) {
      all.primary = makeContext(all.primaryFlags);
      all.primary->isPrimary = true;
      // One handle for all the lives of the primary context.
      if (!all.primaryHandle) {
        all.primaryHandle = all.contexts.add(all.primary);
      }
      all.contexts.put(all.primaryHandle, all.primary);
      all.primary->handle = all.primaryHandle;
    }
    ++all.primaryUses;
    *context = all.primaryHandle;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return release(device); }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return release(device);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) { return reset(device); }
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) { return reset(device); }

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return setFlags(device, flags);
}
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return setFlags(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                    int *active) {
  return call([&] {
    requireDevice(device);
    require(flags && active);
    *flags = process().primaryFlags;
    *active = process().primary != nullptr;
  });
}

} // namespace cheems::emulator::driver
