//===- Literals.h - Numbers as PTX writes them ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_LITERALS_H
#define CHEEMS_EMULATOR_PTX_LITERALS_H

#include "Lexer.h"

#include <cstdint>

namespace cheems::emulator::ptx {

/// PTX ISA, "Constants".
struct Literal {
  enum class Kind {
    signedInteger,
    unsignedInteger, ///< with a U, or above the largest .s64
    real,            ///< decimal, or `0d` and 16 digits: bits of a double
    single,          ///< `0f` and 8 digits: bits of a float
  };
  Kind kind = Kind::signedInteger;
  uint64_t bits = 0;
};

/// Throws Refusal.
Literal readLiteral(const Token &token);

} // namespace cheems::emulator::ptx

#endif
