//===- Parser.h - From PTX text to its syntax tree --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_PARSER_H
#define CHEEMS_EMULATOR_PTX_PARSER_H

#include "Syntax.h"

#include <memory>
#include <string_view>

namespace cheems::emulator::ptx {

/// Parses a whole module. Text after a zero byte is not read. Throws Refusal
/// (Support/Error.h), which says line and column, for everything that the
/// grammar does not allow and for names that are not declared.
std::unique_ptr<Module> parse(std::string_view text);

} // namespace cheems::emulator::ptx

#endif
