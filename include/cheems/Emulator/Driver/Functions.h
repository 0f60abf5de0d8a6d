//===- Functions.h - Entry points that this driver implements ---*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_H

/// Names with _ptds and _ptsz are for callers whose default stream is one of
/// their thread.
#include "cheems/Emulator/Driver/Functions/Context.h"
#include "cheems/Emulator/Driver/Functions/Graph.h"
#include "cheems/Emulator/Driver/Functions/Memory.h"
#include "cheems/Emulator/Driver/Functions/Module.h"
#include "cheems/Emulator/Driver/Functions/Stream.h"

#endif
