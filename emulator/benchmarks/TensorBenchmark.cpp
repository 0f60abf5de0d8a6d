//===- TensorBenchmark.cpp - Loops of mma.sync and wgmma ------------------===//
#include "Machine/Launch.h"
#include "Rates.h"

#include <benchmark/benchmark.h>
#include <cstring>
#include <string>

using namespace cheems::emulator;

namespace {

std::string registers(const char *name, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i ? ", %" : "%") + (name + std::to_string(first + i));
  }
  return text + "}";
}

/// A kernel of 128 threads that fills 32 KiB of shared memory, executes `body`
/// `rounds` times and stores one accumulator, so that nothing is in vain.
std::string kernel(const std::string &before, const std::string &body,
                   int rounds) {
  return R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<4>; .reg .b32 %r<400>; .reg .f32 %f<200>; .reg .b64 %d<20>;
.shared .align 1024 .b8 memory[32768];
mov.u32 %r390, %tid.x; shl.b32 %r391, %r390, 4;
mov.u32 %r392, memory; add.s32 %r391, %r391, %r392;
mov.u32 %r393, 0x3f803f80; mov.u32 %r394, 0;
fill:
st.shared.v4.b32 [%r391], {%r393, %r393, %r393, %r393};
add.s32 %r391, %r391, 2048; add.s32 %r394, %r394, 1;
setp.lt.u32 %p0, %r394, 16; @%p0 bra fill;
fence.proxy.async.shared::cta;
bar.sync 0;
)" + before +
         "mov.u32 %r394, 0;\nround:\n" + body +
         "add.s32 %r394, %r394, 1; setp.lt.u32 %p0, %r394, " +
         std::to_string(rounds) + R"(; @%p0 bra round;
ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r390, 4; add.s64 %d0, %d0, %d1;
st.global.f32 [%d0], %f0;
ret;
}
)";
}

void runKernel(benchmark::State &state, const std::string &text) {
  Options options;
  options.memoryBytes = 16 << 20;
  options.threads = 1;
  options.asynchrony = state.range(0) ? Asynchrony::late : Asynchrony::early;
  Device device(options);
  auto module = Module::load(device, text);
  uint64_t out = device.memory.allocate(512).value();
  for (auto _ : state) {
    Launch launch;
    launch.kernel = module->kernel("k");
    launch.block = {128, 1, 1};
    launch.parameters.resize(launch.kernel->parameterBytes);
    std::memcpy(launch.parameters.data(), &out, sizeof out);
    Grid(device, std::move(launch)).run();
  }
}

void zeros(std::string &text, int count) {
  for (int i = 0; i < count; ++i) {
    text += "mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
  }
}

/// Warp instructions of the loop of a matmul 64 by 32 by 16 a warp, as
/// compilers write it: six ldmatrix.x4, 16 mma, and arithmetic of addresses.
void mmaLoop(benchmark::State &state) {
  constexpr int rounds = 200;
  std::string before = "and.b32 %r380, %r390, 31; shl.b32 %r380, %r380, 4;"
                       "add.s32 %r380, %r380, %r392;\n";
  zeros(before, 64);
  std::string body;
  for (int i = 0; i < 6; ++i) {
    body += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " +
            registers("r", 4 * i, 4) + ", [%r380 + " + std::to_string(512 * i) +
            "];\n";
  }
  int instructions = 6 + 3;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      std::string d = registers("f", 4 * (4 * row + column), 4);
      body.append("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 ")
          .append(d + ", " + registers("r", 4 * row, 4) + ", ")
          .append(registers("r", 16 + 2 * column, 2) + ", " + d + ";\n");
      ++instructions;
    }
  }
  runKernel(state, kernel(before, body, rounds));
  countInstructions(state, double(instructions) * rounds * 4, mmaGoal);
  countMultiplyAdds(state, 16.0 * 2048 * rounds * 4);
}
BENCHMARK(mmaLoop)->ArgName("late")->Arg(0)->Arg(1);

/// Multiply-adds of wgmma with both operands in shared memory, 128 bytes of
/// swizzle: four of them along k, then a wait.
void wgmmaLoop(benchmark::State &state) {
  constexpr int rounds = 100;
  int columns = int(state.range(1));
  // start | leading 16 | stride 1024 | 128 bytes of swizzle
  std::string before = "shr.u32 %r380, %r392, 4; cvt.u64.u32 %d2, %r380;"
                       "mov.b64 %d3, 0x4000004000010000; or.b64 %d2, %d2, %d3;"
                       "mov.b64 %d10, 0;\n";
  zeros(before, columns / 2);
  std::string body = "wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < 4; ++i) {
    body += "add.s64 %d4, %d2, " + std::to_string(2 * i) +
            "; wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) +
            "k16.f32.bf16.bf16 " + registers("f", 0, columns / 2) +
            ", %d4, %d4, 1, 1, 1, 0, 0;\n";
  }
  body += "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
  runKernel(state, kernel(before, body, rounds));
  countMultiplyAdds(state, 4.0 * 64 * columns * 16 * rounds, wgmmaGoal);
}
BENCHMARK(wgmmaLoop)
    ->ArgNames({"late", "columns"})
    ->ArgsMatmul({{0, 1}, {64, 128, 256}});

} // namespace
