//===- Unmodelled.cpp - Memory's unmodelledMemoryOpcodes that are refused by
// name ---------===//
#include "Families.h"

using namespace cheems::emulator;

namespace {

/// PTX ISA, "Texture Instructions" and "Surface Instructions"
void decodeTexture(Statement &statement) {
  statement.notModelled("access to textures and surfaces");
}

/// PTX ISA, "multimem.ld_reduce, multimem.st, multimem.red": one address of
/// several GPUs.
void decodeMulticast(Statement &statement) {
  statement.notModelled("multicast memory");
}

/// PTX ISA, "Stack Manipulation Instructions"
void decodeStack(Statement &statement) {
  statement.notModelled("a stack of a size that a thread chooses");
}

constexpr Opcode unmodelledMemoryOpcodes[] = {
    {"tex", decodeTexture},        {"tld4", decodeTexture},
    {"txq", decodeTexture},        {"istypep", decodeTexture},
    {"suld", decodeTexture},       {"sust", decodeTexture},
    {"sured", decodeTexture},      {"suq", decodeTexture},
    {"multimem", decodeMulticast}, {"alloca", decodeStack},
    {"stacksave", decodeStack},    {"stackrestore", decodeStack}};

} // namespace

std::span<const Opcode> cheems::emulator::unmodelledMemory() {
  return unmodelledMemoryOpcodes;
}
