//===- Functions.h - Entry points that this driver implements ---*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_H

/// Names with _ptds and _ptsz are for callers whose default stream is one of
/// their thread.
#include "Driver/Functions/Context.h"
#include "Driver/Functions/Graph.h"
#include "Driver/Functions/Memory.h"
#include "Driver/Functions/Module.h"
#include "Driver/Functions/Stream.h"

#endif
