//===- DebugInformation.h - What debuggers read, left out -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_DEBUGINFORMATION_H
#define CHEEMS_EMULATOR_PTX_DEBUGINFORMATION_H

#include "Cursor.h"

namespace cheems::emulator::ptx {

/// Takes a `.file`, `.loc` or `.section` directive that comes next (PTX ISA,
/// "Debugging Directives"), or does nothing and returns false.
bool skipDebugInformation(Cursor &cursor);

/// Takes a `.pragma`: hints for an optimizer.
bool skipPragma(Cursor &cursor);

} // namespace cheems::emulator::ptx

#endif
