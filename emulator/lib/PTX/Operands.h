//===- Operands.h - What an instruction works on ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_OPERANDS_H
#define CHEEMS_EMULATOR_PTX_OPERANDS_H

#include "Cursor.h"
#include "Names.h"

namespace cheems::emulator::ptx {

/// One operand of `opcode`, up to the comma or semicolon after it. It is no
/// label: Statements.cpp knows where these stand.
Operand parseOperand(Cursor &cursor, Names &names, std::string_view opcode);

/// A register, a variable or a function alone, as the callee of a call.
Operand parseName(Cursor &cursor, Names &names);

} // namespace cheems::emulator::ptx

#endif
