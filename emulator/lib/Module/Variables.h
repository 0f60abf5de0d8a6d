//===- Variables.h - A module's variables in the GPU's memory ---*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MODULE_VARIABLES_H
#define CHEEMS_EMULATOR_MODULE_VARIABLES_H

#include "AddressSpaces/GlobalMemory.h"
#include "Decode/Storage.h"
#include "PTX/Syntax.h"

#include <cstdint>
#include <vector>

namespace cheems::emulator {

/// Bytes of a variable. The extent that an initializer gives to an unsized
/// array counts.
uint64_t variableBytes(const ptx::Variable &variable);

/// Places the .global and .const variables of a module, writes their initial
/// values (zero where the text has none; PTX ISA, "Initializers"), and numbers
/// its functions. Each variable is an allocation of its own, so an access past
/// its end is found. Addresses of allocations are added to `allocated` as they
/// are made. Throws Refusal, or std::bad_alloc if the GPU is full.
Symbols placeVariables(const ptx::Module &module, GlobalMemory &memory,
                       std::vector<uint64_t> &allocated);

} // namespace cheems::emulator

#endif
