//===- Parse.h - Small modules for tests of the parser ----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_PTX_PARSE_H
#define CHEEMS_EMULATOR_TEST_PTX_PARSE_H

#include "PTX/Parser.h"
#include "Support/Error.h"

#include <gmock/gmock.h>

namespace cheems::emulator::ptx {

inline std::unique_ptr<Module> module(const std::string &text) {
  return parse(".version 8.5\n.target sm_90a\n.address_size 64\n" + text);
}

/// The statements are lines 7 and on; registers are declared above.
inline std::string kernel(const std::string &statements,
                          const std::string &directives = "") {
  return directives + "\n.visible .entry kernel(.param .u64 argument) {\n" +
         ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; "
         ".reg .pred %p<9>; .reg .v4 .f32 %v;\n" +
         statements + "\n}\n";
}

struct Parsed {
  std::unique_ptr<Module> module;
  const Function &kernel;

  const Instruction &operator[](size_t index) const {
    return kernel.statements.at(index);
  }
  const Operand &operand(size_t index, size_t number) const {
    return kernel.statements.at(index).operands.at(number);
  }
};

inline Parsed parseKernel(const std::string &statements,
                          const std::string &directives = "") {
  auto parsed = module(kernel(statements, directives));
  const Function &function = *parsed->functions.back();
  return {std::move(parsed), function};
}

/// What a text is refused with; empty if it is not.
inline std::string refusalOf(const std::string &text) {
  try {
    parse(text);
  } catch (const Refusal &refusal) {
    return refusal.what();
  }
  return "";
}
inline std::string refusal(const std::string &directives) {
  return refusalOf(".version 8.5\n.target sm_90a\n.address_size 64\n" +
                   directives);
}
inline std::string kernelRefusal(const std::string &statements,
                                 const std::string &directives = "") {
  return refusal(kernel(statements, directives));
}

inline std::string nameOf(const Operand &operand) {
  return std::get<const Variable *>(operand.value)->name;
}
inline Immediate immediateOf(const Operand &operand) {
  return std::get<Immediate>(operand.value);
}

} // namespace cheems::emulator::ptx

#endif
