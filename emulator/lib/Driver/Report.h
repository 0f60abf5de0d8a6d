//===- Report.h - Where findings are written --------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_REPORT_H
#define CHEEMS_EMULATOR_DRIVER_REPORT_H

#include "Machine/Launch.h"
#include "Support/Error.h"
#include "Support/Options.h"

#include <string>

namespace cheems::emulator::driver {

/// Appends to CHEEMS_EMULATOR_REPORT, else prints on stderr.
void write(const Options &options, const std::string &text);
void report(const Options &options, const Finding &finding);
/// Reports the device's warnings, each text once in the life of the process,
/// and counts them in Process::warnings.
void reportWarnings(Device &device);

} // namespace cheems::emulator::driver

#endif
