//===- OpcodeTable.h - The entry that decodes a statement -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_OPCODETABLE_H
#define CHEEMS_EMULATOR_DECODE_OPCODETABLE_H

#include "Family.h"

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cheems::emulator {

/// All families' opcodes by name. The tables must outlive it.
class OpcodeTable {
public:
  explicit OpcodeTable(std::span<const std::span<const Opcode>> families);

  /// The first entry in the list whose modifier the statement has, else the
  /// first that has none. Null: the opcode, or all of its forms with these
  /// modifiers, are unknown.
  const Opcode *find(const ptx::Instruction &statement) const;
  bool knows(std::string_view opcode) const { return entries.count(opcode); }

private:
  std::unordered_map<std::string_view, std::vector<const Opcode *>> entries;
};

} // namespace cheems::emulator

#endif
