// A process whose driver is the software GPU, with a GPU of 128 MiB.
#ifndef CHEEMS_TEST_UNIT_CUDA_SOFTWAREGPU_H
#define CHEEMS_TEST_UNIT_CUDA_SOFTWAREGPU_H

#include "FaultyDriver.h"
#include "runtime/CUDA/Device.h"
#include "test/unit/Support/TestPaths.h"
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

namespace cheems::test {

/// Pinned memory of the host is a part of it.
constexpr int64_t gpuBytes = int64_t{128} << 20;

/// Makes the process use the software GPU, by way of a driver that can be told
/// to fail. Call it before all else: a process opens one driver.
inline const FaultyDriver &useSoftwareGPU() {
  setenv("CHEEMS_CUDA_DRIVER", cheems::test_paths::faultyDriver, 1);
  setenv("FAULTY_DRIVER_BEHIND", cheems::test_paths::softwareGPU, 1);
  setenv("CHEEMS_EMULATOR_MEMORY", "128M", 1);
  void *library =
      dlopen(cheems::test_paths::faultyDriver, RTLD_NOW | RTLD_LOCAL);
  auto control = reinterpret_cast<const FaultyDriver *(*)()>(
      library ? dlsym(library, "faultyDriver") : nullptr);
  if (!control) {
    ADD_FAILURE() << dlerror();
    std::abort();
  }
  control()->failCall(0, 0);
  return *control();
}

/// What is refused, as the tools tell it.
template <typename Act> std::string refusal(const Act &act) {
  try {
    act();
  } catch (const Error &error) {
    return std::to_string(static_cast<int>(error.status)) + ": " + error.what();
  }
  return "nothing was refused";
}

} // namespace cheems::test

#endif
