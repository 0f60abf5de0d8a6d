//===- ConstantExpression.h - Numbers that PTX computes ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_CONSTANTEXPRESSION_H
#define CHEEMS_EMULATOR_PTX_CONSTANTEXPRESSION_H

#include "Cursor.h"
#include "Literals.h"

namespace cheems::emulator::ptx {

/// Whether a constant expression can start here. A minus or an exclamation mark
/// starts one only where no name follows it.
bool atConstant(const Cursor &cursor);

/// PTX ISA, "Constant Expressions" and "Integer Constant Expression
/// Evaluation". Throws Refusal.
Literal parseConstant(Cursor &cursor);

/// The same, but an integer: its 64 bits.
uint64_t parseInteger(Cursor &cursor);

/// One integer literal that is not negative: an extent, an alignment, a number
/// of a directive.
uint64_t parseNumber(Cursor &cursor, std::string_view what);

} // namespace cheems::emulator::ptx

#endif
