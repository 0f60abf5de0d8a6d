//===- Declare.h - Names of what is compiled several times ------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LANES_DECLARE_H
#define CHEEMS_EMULATOR_LANES_DECLARE_H

#include "Decode/Family.h"

#include <span>

/// Declares the table of a family that is compiled once per instruction set
/// (Lanes/Multiversion.h), for FOLDER/Families.h:
///
///     CHEEMS_LANES_FAMILY(negation)
///
/// Not all of them need be linked: a developer's build may have one alone.
#define CHEEMS_LANES_FAMILY(name)                                              \
  namespace cheems::emulator::baseline {                                       \
  std::span<const Opcode> name();                                              \
  }                                                                            \
  namespace cheems::emulator::avx2 {                                           \
  std::span<const Opcode> name();                                              \
  }                                                                            \
  namespace cheems::emulator::avx512 {                                         \
  std::span<const Opcode> name();                                              \
  }

#endif
