//===- RunCopy.h - Kernels of a few lines, for tests of copies --*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_ASYNCCOPY_RUNCOPY_H
#define CHEEMS_EMULATOR_TEST_ASYNCCOPY_RUNCOPY_H

#include "AsyncCopy/TensorMap.h"
#include "Machine/Launch.h"

#include <cstdint>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace cheems::emulator::test {

/// A kernel with `in` in %d0, `out` in %d1, the generic address of a tensor map
/// in %d2, %tid.x in %r0, the rank in the cluster in %r1, 16 KiB of shared
/// memory `s` and barriers `b0`, `b1`.
inline std::string kernelOf(const std::string &body) {
  return R"(.version 8.7
.target sm_90a
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out,
                     .param .align 64 .b8 map[128])
{
  .reg .b32 %r<64>;
  .reg .b64 %d<32>;
  .reg .pred %p<8>;
  .shared .align 1024 .b8 s[16384];
  .shared .align 8 .b64 b0;
  .shared .align 8 .b64 b1;
  ld.param.u64 %d0, [in];
  ld.param.u64 %d1, [out];
  mov.b64 %d2, map;
  cvta.param.u64 %d2, %d2;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %cluster_ctarank;
)" + body +
         "\n  ret;\n}\n";
}

/// What a kernel is run with, and what came of it.
struct Trial {
  uint32_t threads = 32;
  uint32_t blocks = 1;
  uint32_t cluster = 1;
  Asynchrony mode = Asynchrony::late;
  bool isStrict = true;
  uint64_t seed = 1;
  size_t inBytes = 65536, outBytes = 65536;
  /// Made of the address of `in` or, with `mapsOut`, of `out`.
  TensorMap map = {};
  bool mapsOut = false;

  std::vector<std::byte> out;
  std::string rule; ///< of the Finding; empty: there was none
  std::string what;

  template <typename T> T at(size_t index) const {
    T value;
    std::memcpy(&value, out.data() + index * sizeof(T), sizeof(T));
    return value;
  }

  /// Byte i of `in` is a pattern that does not repeat soon.
  static std::byte pattern(size_t i) { return std::byte(i * 7 + (i >> 8)); }

  Trial &operator()(const std::string &body) {
    Options options;
    options.asynchrony = mode;
    options.isStrict = isStrict;
    options.seed = seed;
    options.threads = 1;
    options.memoryBytes = 1 << 24;
    Device device(options);
    std::unique_ptr<Module> module = Module::load(device, kernelOf(body));
    uint64_t in = *device.memory.allocate(inBytes);
    uint64_t to = *device.memory.allocate(outBytes);
    for (size_t i = 0; i < inBytes; ++i) {
      *device.memory.data(in + i) = pattern(i);
      *device.memory.state(in + i) = ByteState::initialised;
    }
    map.globalAddress = mapsOut ? to : in;
    Launch launch;
    launch.kernel = module->kernel("test");
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.cluster = {cluster, 1, 1};
    launch.parameters.resize(launch.kernel->parameterBytes);
    const Kernel &kernel = *launch.kernel;
    std::memcpy(&launch.parameters[kernel.parameters[0].offset], &in, 8);
    std::memcpy(&launch.parameters[kernel.parameters[1].offset], &to, 8);
    std::memcpy(&launch.parameters[kernel.parameters[2].offset], &map,
                sizeof(map));
    rule.clear();
    try {
      Grid(device, launch).run();
    } catch (const Finding &finding) {
      rule = finding.rule;
      what = finding.what();
    }
    out.assign(device.memory.data(to), device.memory.data(to) + outBytes);
    return *this;
  }
};

/// Thread 0, which is %p0 then, initialises b0 for one arrival; %r2 is s.
inline const char *const init = R"(
  setp.eq.u32 %p0, %r0, 0;
  @%p0 mbarrier.init.shared::cta.b64 [b0], 1;
  fence.mbarrier_init.release.cluster;
  bar.sync 0;
  mov.u32 %r2, s;
)";
/// Until b0's first phase has ended.
inline const char *const wait0 = R"(
wait0:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [b0], 0;
  @!%p1 bra wait0;
)";

/// The first bytes of `in` have come to `out`.
inline void expectPattern(const Trial &run, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    ASSERT_EQ(run.out[i], Trial::pattern(i)) << i;
  }
}

/// The statement is refused when the module is loaded.
inline void refused(const std::string &statement, const std::string &reason) {
  Trial run;
  try {
    run(statement);
    FAIL() << statement << " is taken";
  } catch (const std::runtime_error &error) {
    EXPECT_EQ(dynamic_cast<const Finding *>(&error), nullptr);
    EXPECT_THAT(error.what(), testing::HasSubstr(reason)) << statement;
  }
}

/// A run in each mode.
template <typename F> void inBothModes(F act) {
  for (Asynchrony mode : {Asynchrony::early, Asynchrony::late}) {
    Trial run;
    run.mode = mode;
    SCOPED_TRACE(mode == Asynchrony::early ? "early" : "late");
    act(run);
  }
}

} // namespace cheems::emulator::test

#endif
