//===- AllSets.h - A kernel on each instruction set --------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_TENSORCORE_ALLSETS_H
#define CHEEMS_EMULATOR_TEST_TENSORCORE_ALLSETS_H

#include "Decode/Decoder.h"
#include "Module/Families.h"
#include "PTX/Parser.h"
#include "Support/OneKernel.h"

#include <gtest/gtest.h>

namespace cheems::emulator::test {

/// Does what run() of OneKernel.h does, for one warp, with the handlers of
/// `set`. The body has no variables in memory.
inline std::vector<uint32_t> runOn(HostSet set, const std::string &body,
                                   const std::vector<uint32_t> &in,
                                   size_t words) {
  Device device(RunOptions().device());
  std::unique_ptr<ptx::Module> syntax = ptx::parse(R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pin, .param .u64 pout)
{
.reg .b32 %r<40>; .reg .b64 %l<40>; .reg .f32 %f<20>; .reg .f64 %d<9>;
.reg .b32 %lane; .reg .b64 %in, %out, %inl, %outl, %by4;
ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];
mov.u32 %lane, %tid.x; mul.wide.u32 %by4, %lane, 4;
add.s64 %inl, %in, %by4; add.s64 %outl, %out, %by4;
)" + body + "\nret;\n}\n");
  std::vector<std::span<const Opcode>> tables = families(set);
  OpcodeTable opcodes(tables);
  Symbols symbols;
  Decoder decoder(*syntax, symbols, opcodes, 90);
  Kernel kernel;
  kernel.name = "k";
  kernel.program = decoder.decode(*syntax->functions.front()).program;
  kernel.parameterBytes = kernel.program->parameterBytes;
  uint64_t addresses[2] = {*device.memory.allocate(in.size() * 4),
                           *device.memory.allocate(words * 4)};
  std::memcpy(device.memory.data(addresses[0]), in.data(), in.size() * 4);
  std::memset(device.memory.state(addresses[0]), int(ByteState::initialised),
              in.size() * 4);
  Launch launch;
  launch.kernel = &kernel;
  launch.block = {32, 1, 1};
  launch.parameters.resize(kernel.parameterBytes);
  std::memcpy(launch.parameters.data(), addresses, sizeof(addresses));
  Grid(device, std::move(launch)).run();
  std::vector<uint32_t> out(words);
  std::memcpy(out.data(), device.memory.data(addresses[1]), words * 4);
  return out;
}

/// The result, which must be the same on all sets that there are.
inline std::vector<uint32_t> runOnAllSets(const std::string &body,
                                          const std::vector<uint32_t> &in,
                                          size_t words) {
  std::vector<uint32_t> first;
  for (HostSet set : {HostSet::baseline, HostSet::avx2, HostSet::avx512}) {
    if (isAvailable(set)) {
      std::vector<uint32_t> out = runOn(set, body, in, words);
      EXPECT_TRUE(first.empty() || out == first) << body;
      first = std::move(out);
    }
  }
  return first;
}

} // namespace cheems::emulator::test

#endif
