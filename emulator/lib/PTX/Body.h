//===- Body.h - What is between a function's braces -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_BODY_H
#define CHEEMS_EMULATOR_PTX_BODY_H

#include "Cursor.h"
#include "Names.h"

namespace cheems::emulator::ptx {

/// From the opening brace to the closing one. The scope that has the parameters
/// is open, and is that of the body.
void parseBody(Cursor &cursor, Names &names, Function &function);

} // namespace cheems::emulator::ptx

#endif
