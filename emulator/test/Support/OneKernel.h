//===- OneKernel.h - A kernel whose body is a test's -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_SUPPORT_ONEKERNEL_H
#define CHEEMS_EMULATOR_TEST_SUPPORT_ONEKERNEL_H

#include "Decode/Program.h"
#include "RunPTX.h"

#include <string>
#include <vector>

namespace cheems::emulator::test {

/// Registers and memory that a body can use. In the kernel `%lane` is %tid.x;
/// `%in` and `%out` are its parameters, `%inl` and `%outl` these plus 4 bytes a
/// lane.
inline std::string kernelAround(const std::string &body, int architecture) {
  return ".version 8.8\n.target sm_" + std::to_string(architecture) +
         (architecture == 90 ? "a" : "") + R"(
.address_size 64
.global .align 128 .b8 gv[256];
.const .align 16 .b32 cv[8] = {11, 22, 33, 44, 55, 66, 77, 88};
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 64 .b8 pv[128])
{
.reg .pred %p<9>; .reg .b8 %c<5>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %l<40>;
.reg .f32 %f<20>; .reg .f64 %d<9>; .reg .b128 %x<9>; .reg .f16 %g<4>; .reg .s32 %s<4>; .reg .u64 %u<4>;
.reg .b32 %lane; .reg .b64 %in, %out, %inl, %outl, %by4;
.shared .align 128 .b8 sv[4096];
.local .align 16 .b8 lv[64];
ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];
mov.u32 %lane, %tid.x; mul.wide.u32 %by4, %lane, 4;
add.s64 %inl, %in, %by4; add.s64 %outl, %out, %by4;
)" + body +
         "\nret;\n}\n";
}

/// What a body is refused for, or nothing.
inline std::string refusal(const std::string &body, int architecture = 90) {
  return refusalOf([&] {
    PTXRunner(kernelAround(body, architecture), {.architecture = architecture});
  });
}

/// Whether blocks of the kernel may see each other (Program::communicates).
inline bool communicates(const std::string &body) {
  PTXRunner runner(kernelAround(body, 90), {});
  return runner.module->kernel("k")->program->communicates;
}

/// Runs the body and returns `words` words of `out`, which were zeros. The
/// bytes of `pv` count up from 0.
inline std::vector<uint32_t> run(const std::string &body,
                                 const std::vector<uint32_t> &in = {},
                                 size_t words = 32,
                                 const RunOptions &options = {}) {
  PTXRunner runner(kernelAround(body, options.architecture), options);
  uint64_t out = runner.buffer(std::vector<uint32_t>(words));
  std::vector<std::byte> parameters = parameterBytes({runner.buffer(in), out});
  parameters.resize(runner.module->kernel("k")->parameters[2].offset);
  for (int i = 0; i < 128; ++i) {
    parameters.push_back(std::byte(i));
  }
  runner.run("k", parameters);
  return runner.read<uint32_t>(out, words);
}

/// What came of a run that may have warnings.
struct Ending {
  std::vector<uint32_t> out;         ///< empty if `error` is not
  std::string error;                 ///< the rule
  std::vector<std::string> warnings; ///< their rules
};
inline Ending endingOf(const std::string &body, const std::vector<uint32_t> &in,
                       size_t words, const RunOptions &options) {
  PTXRunner runner(kernelAround(body, options.architecture), options);
  uint64_t out = runner.buffer(std::vector<uint32_t>(words));
  Ending outcome;
  outcome.error = ruleOf(
      [&] { runner.run("k", parameterBytes({runner.buffer(in), out})); });
  for (const Finding &warning : runner.device.warnings) {
    outcome.warnings.push_back(warning.rule);
  }
  if (outcome.error.empty()) {
    outcome.out = runner.read<uint32_t>(out, words);
  }
  return outcome;
}

/// The rule of the finding that running the body ends with, or nothing.
inline std::string finding(const std::string &body,
                           const std::vector<uint32_t> &in = {},
                           const RunOptions &options = {}) {
  return ruleOf([&] { run(body, in, 256, options); });
}

} // namespace cheems::emulator::test

#endif
