//===- Run.h - One launch as a command line describes it --------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_RUN_H
#define CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_RUN_H

#include "Options.h"

namespace cheems::ptxrun {

/// Kernels with what a launch of them must fit: a line each.
std::string list(const emulator::Module &module);

/// The exit code. Throws Error; Refusal, NotModelled and Finding of the
/// emulator.
int run(const Options &options);

} // namespace cheems::ptxrun

#endif
