//===- DeviceEntries.cpp --------------------------------------------------===//
#include "DeviceValues.h"
#include "Functions.h"
#include "Process.h"

#include <algorithm>
#include <cstring>

namespace cheems::emulator::driver {
namespace {

constexpr const char *busId = "0000:01:00.0";

const Options &options() { return *process().options; }

void copyText(char *to, int bytes, const char *text) {
  require(to && bytes > 0);
  size_t length = std::min(std::strlen(text), size_t(bytes) - 1);
  std::memcpy(to, text, length);
  to[length] = 0;
}

CUresult uuidOf(CUuuid *uuid, CUdevice device) {
  return call([&] {
    require(uuid);
    requireDevice(device);
    std::memcpy(uuid->bytes, "cheems-emulator", 16);
  });
}

} // namespace

int deviceValue(const Options &options, CUdevice_attribute attribute) {
  bool isHopper = options.architecture >= 90;
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) {
    return options.multiprocessors;
  }
  switch (attribute) {
#define OTHER_NAME(name, number)
#define ATTRIBUTE(name, number, sm90, sm80)                                    \
  case number:                                                                 \
    return isHopper ? sm90 : sm80;
#include "DeviceAttributes.def"
  default:
    fail(CUDA_ERROR_INVALID_VALUE);
  }
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return call([&] {
    require(device);
    require(ordinal == 0, CUDA_ERROR_INVALID_DEVICE);
    *device = 0;
  });
}

CUresult cuDeviceGetCount(int *count) {
  return call([&] {
    require(count);
    *count = 1;
  });
}

CUresult cuDeviceGetName(char *name, int len, CUdevice device) {
  return call([&] {
    requireDevice(device);
    copyText(name, len,
             options().architecture >= 90 ? "Cheems emulator of sm_90a"
                                          : "Cheems emulator of sm_80");
  });
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return uuidOf(uuid, device);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return uuidOf(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return call([&] {
    require(bytes);
    requireDevice(device);
    *bytes = options().memoryBytes;
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  return call([&] {
    require(value);
    requireDevice(device);
    *value = deviceValue(options(), attribute);
  });
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device) {
  return call([&] {
    require(properties);
    requireDevice(device);
    auto value = [](CUdevice_attribute attribute) {
      return deviceValue(options(), attribute);
    };
    properties->maxThreadsPerBlock =
        value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    properties->maxThreadsDim[0] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    properties->maxThreadsDim[1] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    properties->maxThreadsDim[2] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    properties->maxGridSize[0] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
    properties->maxGridSize[1] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
    properties->maxGridSize[2] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
    properties->sharedMemPerBlock =
        value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    properties->totalConstantMemory =
        value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    properties->SIMDWidth = value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    properties->memPitch = value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    properties->regsPerBlock =
        value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    properties->clockRate = value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    properties->textureAlign = value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  });
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  return call([&] {
    require(major && minor);
    requireDevice(device);
    *major = options().architecture / 10;
    *minor = options().architecture % 10;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *pciBusId) {
  return call([&] {
    require(device && pciBusId);
    require(std::strcmp(pciBusId, busId) == 0 ||
                std::strcmp(pciBusId, busId + 5) == 0,
            CUDA_ERROR_INVALID_DEVICE);
    *device = 0;
  });
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice device) {
  return call([&] {
    requireDevice(device);
    copyText(pciBusId, len, busId);
  });
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice device,
                               CUdevice peerDevice) {
  return call([&] {
    require(canAccessPeer);
    requireDevice(device);
    requireDevice(peerDevice);
    *canAccessPeer = 0; // there is one GPU
  });
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute,
                                 CUdevice srcDevice, CUdevice dstDevice) {
  return call([&] {
    require(value);
    requireDevice(srcDevice);
    requireDevice(dstDevice);
    fail(CUDA_ERROR_INVALID_DEVICE); // two devices must differ
  });
}

CUresult cuDeviceGetExecAffinitySupport(int *value, CUexecAffinityType type,
                                        CUdevice device) {
  return call([&] {
    require(value && type == CU_EXEC_AFFINITY_TYPE_SM_COUNT);
    requireDevice(device);
    *value = 0;
  });
}

} // namespace cheems::emulator::driver
