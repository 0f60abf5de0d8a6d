//===- Statements.h - Instructions and their labels -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_STATEMENTS_H
#define CHEEMS_EMULATOR_PTX_STATEMENTS_H

#include "Cursor.h"
#include "Names.h"

namespace cheems::emulator::ptx {

/// One instruction, with its guard and its semicolon, after the others of
/// `function`.
void parseInstruction(Cursor &cursor, Names &names, Function &function);

} // namespace cheems::emulator::ptx

#endif
