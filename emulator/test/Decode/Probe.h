//===- Probe.h - Decodes one statement for a test ---------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_DECODE_PROBE_H
#define CHEEMS_EMULATOR_TEST_DECODE_PROBE_H

#include "Decode/Decoder.h"
#include "PTX/Parser.h"
#include "Support/Error.h"

#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace cheems::emulator::test {

inline Step nothing(Warp &, const Instruction &, LaneMask) {
  return Step::next;
}
/// Marks instructions that a test looks for.
inline Step marked(Warp &, const Instruction &, LaneMask) { return Step::next; }

/// What "probe" does.
inline std::function<void(Statement &)> probe;

inline void decodeProbe(Statement &statement) { probe(statement); }

/// "write d" and "read s": of 32 bits, of 64 with a type.
inline void decodeWrite(Statement &statement) {
  Type type = statement.takeAnyType().value_or(Type::b32);
  statement.end(1);
  statement.emit(nothing, Pipe::alu, {statement.destination(0, type)});
}
inline void decodeRead(Statement &statement) {
  Type type = statement.takeAnyType().value_or(Type::b32);
  statement.end(1, 8);
  std::vector<Slot> slots;
  for (size_t i = 0; i < statement.operands(); ++i) {
    slots.push_back(statement.source(i, type));
  }
  statement.emit(nothing, Pipe::alu, slots);
}
/// Ends the statements of a test that needs no machine.
inline void decodeBranch(Statement &statement) {
  statement.take("uni");
  statement.end(1);
  statement.decoder.emitBranch(
      statement, nothing,
      std::get<ptx::LabelReference>(statement.operand(0).value));
}
inline void decodeEnd(Statement &statement) {
  statement.end(0);
  statement.emit(nothing, Pipe::control, {});
  statement.decoder.endsPath(statement);
}

inline const OpcodeTable &table() {
  static constexpr Opcode opcodes[] = {
      {"probe", decodeProbe}, {"write", decodeWrite}, {"read", decodeRead},
      {"bra", decodeBranch},  {"ret", decodeEnd},     {"exit", decodeEnd}};
  static const std::span<const Opcode> families[] = {opcodes};
  static const OpcodeTable table(families);
  return table;
}

constexpr uint64_t globalAddress = 0x7000'0000'0100;

/// A module with variables of all spaces around the body of kernel `k`. The
/// body begins at line 11.
inline std::string around(const std::string &body,
                          const std::string &functions = "") {
  return ".version 8.3\n.target sm_90a\n.address_size 64\n"
         ".global .align 4 .b32 counter;\n"
         ".shared .align 8 .b8 unused[100];\n"
         ".shared .align 16 .b8 tile[40];\n"
         ".extern .shared .align 128 .b8 dynamic[];\n" +
         functions +
         ".visible .entry k(.param .u32 n, .param .u64 p) {\n"
         ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 "
         "%d<9>; .reg .f32 %f<4>; .reg .v4 .b32 %v; .reg .b128 %q;\n"
         ".local .align 8 .b8 stack[24];\n" +
         body + "\n}\n";
}
constexpr int bodyLine = 11;

struct Decoded {
  std::unique_ptr<ptx::Module> syntax;
  Symbols symbols;
  Decoder::Result result;

  const Program &program() const { return *result.program; }
  const Instruction &instruction(size_t number) const {
    return program().instructions.at(number);
  }
  Slot slot(size_t instruction, size_t number) const {
    return this->instruction(instruction).slots[number];
  }
  /// Element 0 of a constant.
  template <typename T> T constant(Slot slot, int lane = 0) const {
    EXPECT_EQ(slot.base(), Base::constants);
    T value;
    std::memcpy(&value,
                program().constants.data() + slot.offset() + lane * sizeof(T),
                sizeof(T));
    return value;
  }
};

inline Decoded decode(const std::string &body,
                      const std::string &functions = "", bool reuse = true) {
  Decoded decoded;
  decoded.syntax = ptx::parse(around(body, functions));
  for (const auto &variable : decoded.syntax->variables) {
    if (variable->space == ptx::StateSpace::global) {
      decoded.symbols.variables[variable.get()] = globalAddress;
    }
  }
  for (const auto &function : decoded.syntax->functions) {
    decoded.symbols.functions[function.get()] = functionAddressBase;
    if (function->name == "k") {
      Decoder decoder(*decoded.syntax, decoded.symbols, table(), 90, reuse);
      decoded.result = decoder.decode(*function);
    }
  }
  return decoded;
}

/// Decodes a body whose statement "probe" is decoded by `with`.
inline Decoded decodeProbe(const std::string &body,
                           std::function<void(Statement &)> with) {
  probe = std::move(with);
  return decode(body);
}

/// The message that refuses a body; empty: it is taken.
inline std::string refusal(const std::string &body,
                           std::function<void(Statement &)> with) {
  try {
    decodeProbe(body, std::move(with));
  } catch (const Refusal &refusal) {
    return refusal.what();
  } catch (const NotModelled &notModelled) {
    return notModelled.what();
  }
  return "";
}

} // namespace cheems::emulator::test

#endif
