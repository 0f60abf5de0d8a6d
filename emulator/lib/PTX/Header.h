//===- Header.h - What a module and a function begin with -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_HEADER_H
#define CHEEMS_EMULATOR_PTX_HEADER_H

#include "Cursor.h"

namespace cheems::emulator::ptx {

/// .version, .target and .address_size.
void parseModuleHeader(Cursor &cursor, Module &module);

/// PTX ISA, "Performance-Tuning Directives" and those of clusters, in front of
/// a body.
void parseFunctionDirectives(Cursor &cursor, Function &function);

} // namespace cheems::emulator::ptx

#endif
