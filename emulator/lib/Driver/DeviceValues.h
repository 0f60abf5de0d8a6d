//===- DeviceValues.h - Facts of the GPU ------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_DEVICEVALUES_H
#define CHEEMS_EMULATOR_DRIVER_DEVICEVALUES_H

#include "Enumerations.h"
#include "Support/Options.h"

namespace cheems::emulator::driver {

/// What cuDeviceGetAttribute answers. An unknown attribute is Failure 1.
int deviceValue(const Options &options, CUdevice_attribute attribute);

} // namespace cheems::emulator::driver

#endif
