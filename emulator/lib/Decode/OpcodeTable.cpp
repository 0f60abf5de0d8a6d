//===- OpcodeTable.cpp - The entry that decodes a statement -------------===//
#include "OpcodeTable.h"

#include <algorithm>

using namespace cheems::emulator;

OpcodeTable::OpcodeTable(std::span<const std::span<const Opcode>> families) {
  for (std::span<const Opcode> table : families) {
    for (const Opcode &opcode : table) {
      entries[opcode.name].push_back(&opcode);
    }
  }
}

const Opcode *OpcodeTable::find(const ptx::Instruction &statement) const {
  auto found = entries.find(statement.opcode);
  if (found == entries.end()) {
    return nullptr;
  }
  const Opcode *general = nullptr;
  for (const Opcode *opcode : found->second) {
    if (opcode->modifier.empty()) {
      general = general ? general : opcode;
    } else if (std::find(statement.modifiers.begin(), statement.modifiers.end(),
                         opcode->modifier) != statement.modifiers.end()) {
      return opcode;
    }
  }
  return general;
}
