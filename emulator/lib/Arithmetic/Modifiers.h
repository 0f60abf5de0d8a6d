//===- Modifiers.h - Modifiers of arithmetic instructions -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_MODIFIERS_H
#define CHEEMS_EMULATOR_ARITHMETIC_MODIFIERS_H

#include "Decode/Family.h"
#include "Formats.h"

#include <optional>
#include <span>
#include <string>

namespace cheems::emulator::lanes {

/// The handler of an instruction for one of its types.
struct Typed {
  Type type;
  Handler handler;
};

inline Handler find(std::span<const Typed> handlers, Type type) {
  for (const Typed &entry : handlers) {
    if (entry.type == type) {
      return entry.handler;
    }
  }
  return nullptr;
}

/// Takes the type, which must be one of the table.
inline Typed takeTyped(Statement &statement, std::span<const Typed> handlers) {
  std::optional<Type> type = statement.takeAnyType();
  if (!type) {
    statement.refuse("a type is missing");
  }
  Handler handler = find(handlers, *type);
  if (!handler) {
    statement.refuse("it has no type ." + std::string(name(*type)) +
                     " in this form");
  }
  return {*type, handler};
}

inline void needs(Statement &statement, int architecture,
                  const std::string &what) {
  if (statement.architecture() < architecture) {
    statement.refuse(what + " needs sm_" + std::to_string(architecture));
  }
}

/// .rn, .rz, .rm and .rp; nothing if there is none of them.
inline std::optional<Rounding> takeRounding(Statement &statement) {
  std::string_view text = statement.takeAny({"rn", "rz", "rm", "rp"});
  if (text.empty()) {
    return std::nullopt;
  }
  return text == "rn"   ? Rounding::nearestEven
         : text == "rz" ? Rounding::zero
         : text == "rm" ? Rounding::down
                        : Rounding::up;
}

/// An instruction with one destination and sources that all have its type.
inline void emitUniform(Statement &statement, Typed typed, Pipe pipe,
                        size_t sources, uint64_t payload = 0) {
  statement.end(sources + 1);
  std::vector<Slot> slots = {statement.destination(0, typed.type)};
  for (size_t number = 1; number <= sources; ++number) {
    slots.push_back(statement.source(number, typed.type));
  }
  statement.emit(typed.handler, pipe, slots, payload);
}

} // namespace cheems::emulator::lanes

#endif
