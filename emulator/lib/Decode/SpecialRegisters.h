//===- SpecialRegisters.h - %tid and its kin --------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_SPECIALREGISTERS_H
#define CHEEMS_EMULATOR_DECODE_SPECIALREGISTERS_H

#include "Family.h"

#include <optional>
#include <string_view>

namespace cheems::emulator {

/// How a special register is read (PTX ISA, "Special Registers").
struct SpecialRegister {
  enum class Kind {
    slot,        ///< of the block's or the warp's values
    clock,       ///< an opcode of this name, "%clock64", reads it
    notModelled, ///< PTX has it, this emulator does not
  } kind = Kind::slot;
  int bits = 32; ///< 1: a predicate
  Slot slot;
};

/// `name` has no percent sign: "tid.x". Nothing: PTX has no such register.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

/// Whether `name` is a vector: "tid" of "tid.x". PTX lets all of it be moved.
bool isSpecialVector(std::string_view name);

} // namespace cheems::emulator

#endif
