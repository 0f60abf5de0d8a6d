//===- Linkage.h - How entry points are declared ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_LINKAGE_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_LINKAGE_H

/// The test against cuda.h declares the same functions as plain C++, because
/// two declarations of one C function must not differ in types.
#ifndef CHEEMS_DRIVER_API
#define CHEEMS_DRIVER_API extern "C" __attribute__((visibility("default")))
#endif

#endif
