// The GPUs of a machine, and what a program does on one of them.
#ifndef CHEEMS_RUNTIME_CUDA_DEVICE_H
#define CHEEMS_RUNTIME_CUDA_DEVICE_H

#include "runtime/CUDA/Driver.h"
#include <memory>
#include <sys/types.h>
#include <vector>

namespace cheems::cuda {

struct DeviceInfo {
  int index = 0;
  std::string name;         ///< "NVIDIA H100 80GB HBM3"
  int major = 0, minor = 0; ///< the compute capability
  int64_t memoryBytes = 0;
  bool software = false; ///< the software GPU of this project
};

/// All GPUs, in the driver's order. Throws as Driver::get, and DriverError.
std::vector<DeviceInfo> listDevices();
/// One of them. Throws Error (unsupported) where there is none of this index.
DeviceInfo describeDevice(int index);

/// The primary context of a GPU, which all parts of a program share. Whatever
/// is in it holds it.
class Context {
public:
  /// Throws as Driver::get, Error (unsupported) where there is no GPU of this
  /// index, and DriverError.
  explicit Context(int index);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const DeviceInfo &device() const { return info; }
  const Driver &driver() const { return cuda; }
  /// Whether this process made it: in the child of a fork it can do nothing.
  bool isOfThisProcess() const;

  /// Makes it current in the calling thread for as long as it lives.
  class Current {
  public:
    /// Throws Error: usage in the child of a fork; DriverError.
    explicit Current(const Context &context);
    ~Current();
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;

  private:
    const Context &context;
  };

  /// For destructors, which must not throw: calls `act` with the context
  /// current, where that can be.
  template <typename Act> void cleanUp(const Act &act) const noexcept {
    if (pushForCleanUp()) {
      act();
      pop();
    }
  }

private:
  bool pushForCleanUp() const noexcept;
  void pop() const noexcept;

  const Driver &cuda;
  DeviceInfo info;
  CUdevice gpu = 0;
  CUcontext handle = nullptr;
  pid_t process;
};

} // namespace cheems::cuda

#endif
