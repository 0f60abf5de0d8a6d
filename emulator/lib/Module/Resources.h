//===- Resources.h - What a kernel needs of a multiprocessor ----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MODULE_RESOURCES_H
#define CHEEMS_EMULATOR_MODULE_RESOURCES_H

#include "Machine/Launch.h"
#include "PTX/Syntax.h"

namespace cheems::emulator {

/// The fields of a kernel that its directives give (PTX ISA, "Performance-
/// Tuning Directives" and "Cluster Dimension Directives"), and its registers:
/// `live` 32-bit values at once. Throws Refusal or NotModelled.
void applyDirectives(const ptx::Function &entry, int live, Kernel &kernel);

} // namespace cheems::emulator

#endif
