//===- Memory.h - Allocations of a context ----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_MEMORY_H
#define CHEEMS_EMULATOR_DRIVER_MEMORY_H

#include "Context.h"

namespace cheems::emulator::driver {

/// A new allocation, or Failure 2. If the GPU is full, what waits in streams
/// to be freed is freed first.
CUdeviceptr allocate(Context &context, Allocation::Kind kind, uint64_t bytes,
                     uint64_t alignment = 256);
/// Gives the memory back and forgets the allocation that starts there.
void release(Context &context, CUdeviceptr address);
/// The allocation that starts at `address`; Failure 1 if it is not of `kind`.
Allocation &allocationAt(Context &context, CUdeviceptr address,
                         Allocation::Kind kind);

} // namespace cheems::emulator::driver

#endif
