//===- WgmmaFamily.cpp - wgmma with the arithmetic of one set -------------===//
#include "Families.h"
#include "Lanes/Multiversion.h"
#include "Wgmma.h"

CHEEMS_LANES_BEGIN
namespace {

void decodeMatmul(Statement &statement) {
  decodeWgmma(statement, wgmmaMultiply());
}

constexpr Opcode wgmmaOpcodes[] = {{"wgmma", decodeMatmul, "mma_async"}};

} // namespace

std::span<const Opcode> wgmma() { return wgmmaOpcodes; }
CHEEMS_LANES_END
