//===- LanesBenchmark.cpp - Norms and elementwise kernels -----------------===//
#include "Decode/Program.h"
#include "Machine/Launch.h"
#include "Rates.h"

#include <benchmark/benchmark.h>
#include <cstring>
#include <string>

using namespace cheems::emulator;

namespace {

constexpr uint64_t blocks = 64, threads = 256, elements = 1 << 20;

/// Runs a kernel of (in, out) over 4 MiB of numbers near to 1 in each half of
/// their words. `instructions` is what a warp executes.
void runKernel(benchmark::State &state, const std::string &text,
               uint64_t instructions) {
  Options options;
  options.memoryBytes = 64 << 20;
  options.threads = 1;
  Device device(options);
  auto module = Module::load(device, text);
  uint64_t addresses[2];
  for (uint64_t &address : addresses) {
    address = device.memory.allocate(elements * 4).value();
    auto *words = reinterpret_cast<uint32_t *>(device.memory.data(address));
    for (uint32_t i = 0; i < elements; ++i) {
      words[i] = 0x3f803f80 + (i * 0x9e3779b9u >> 12 & 0x7f007f);
    }
    std::memset(device.memory.state(address), int(ByteState::initialised),
                elements * 4);
  }
  for (auto _ : state) {
    Launch launch;
    launch.kernel = module->kernel("k");
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.parameters.resize(launch.kernel->parameterBytes);
    std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
    Grid(device, std::move(launch)).run();
  }
  countInstructions(state, double(instructions) * blocks * threads / 32,
                    elementwiseGoal);
}

std::string kernel(const std::string &body) {
  return R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .pred %p<8>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .f32 %f<60>; .reg .b64 %d<20>;
.shared .align 16 .b8 memory[1024];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r1, 8;
add.s32 %r2, %r2, %r0; mul.wide.u32 %d2, %r2, 16;
add.s64 %d0, %d0, %d2; add.s64 %d1, %d1, %d2;
)" + body +
         "ret;\n}\n";
}

constexpr int prologue = 9;

/// SiLU of eight bf16s a thread and turn: unpack, x / (1 + 2^(-x log2 e)),
/// pack.
void elementwise(benchmark::State &state) {
  std::string body = "mov.u32 %r50, 0;\nturn:\n"
                     "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d0];\n";
  int instructions = 1;
  // X stands for the number of the register.
  auto add = [&body](std::string text, const std::string &number) {
    for (size_t at; (at = text.find('X')) != std::string::npos;) {
      text.replace(at, 1, number);
    }
    body += text;
  };
  for (int word = 10; word < 14; ++word) {
    add("shl.b32 %r20, %rX, 16; mov.b32 %f0, %r20;\n"
        "and.b32 %r21, %rX, 0xffff0000; mov.b32 %f1, %r21;\n",
        std::to_string(word));
    for (const char *half : {"0", "1"}) {
      add("mul.f32 %f2, %fX, 0fBFB8AA3B; ex2.approx.f32 %f2, %f2;"
          "add.f32 %f2, %f2, 0f3F800000; div.full.f32 %fX, %fX, %f2;\n",
          half);
    }
    add("cvt.rn.bf16x2.f32 %rX, %f1, %f0;\n", std::to_string(word));
    instructions += 4 + 8 + 1;
  }
  body += "st.global.v4.b32 [%d1], {%r10, %r11, %r12, %r13};\n"
          "add.s64 %d0, %d0, 262144; add.s64 %d1, %d1, 262144;\n"
          "add.s32 %r50, %r50, 1; setp.lt.u32 %p0, %r50, 16; @%p0 bra turn;\n";
  instructions += 1 + 5;
  runKernel(state, kernel(body), prologue + 1 + 16 * instructions + 1);
}
BENCHMARK(elementwise);

/// A root-mean-square norm of a row of 1024 f32s a block: load, squares, a tree
/// of shuffles, shared memory, scale, store.
void norm(benchmark::State &state) {
  std::string body = "mov.u32 %r50, 0;\nturn:\n"
                     "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d0];\n"
                     "mul.f32 %f4, %f0, %f0;\nfma.rn.f32 %f4, %f1, %f1, %f4;\n"
                     "fma.rn.f32 %f4, %f2, %f2, %f4;\n"
                     "fma.rn.f32 %f4, %f3, %f3, %f4;\n";
  int instructions = 5;
  auto tree = [&](int first) {
    for (int step = first; step; step /= 2) {
      body += "mov.b32 %r10, %f4; shfl.sync.bfly.b32 %r11, %r10, " +
              std::to_string(step) +
              ", 31, 0xffffffff; mov.b32 %f5, %r11; add.f32 %f4, %f4, %f5;\n";
      instructions += 4;
    }
  };
  tree(16);
  body += "shr.u32 %r12, %r0, 5; shl.b32 %r12, %r12, 2; mov.u32 %r13, memory;"
          "add.s32 %r12, %r12, %r13; and.b32 %r14, %r0, 31;"
          "setp.eq.u32 %p1, %r14, 0; @%p1 st.shared.f32 [%r12], %f4;"
          "bar.sync 0; and.b32 %r14, %r0, 7; shl.b32 %r14, %r14, 2;"
          "add.s32 %r14, %r14, %r13; ld.shared.f32 %f4, [%r14];\n";
  instructions += 12;
  tree(4);
  body += "fma.rn.f32 %f4, %f4, 0f3A800000, 0f3727C5AC;"
          "rsqrt.approx.f32 %f4, %f4;\n";
  body += "mul.f32 %f0, %f0, %f4; mul.f32 %f1, %f1, %f4;"
          "mul.f32 %f2, %f2, %f4; mul.f32 %f3, %f3, %f4;\n";
  body += "st.global.v4.f32 [%d1], {%f0, %f1, %f2, %f3};\nbar.sync 0;\n"
          "add.s64 %d0, %d0, 262144; add.s64 %d1, %d1, 262144;\n"
          "add.s32 %r50, %r50, 1; setp.lt.u32 %p0, %r50, 16; @%p0 bra turn;\n";
  instructions += 2 + 4 + 2 + 5;
  runKernel(state, kernel(body), prologue + 1 + 16 * instructions + 1);
}
BENCHMARK(norm);

/// Arithmetic alone: chains of fused sums, integers and selections.
void arithmetic(benchmark::State &state) {
  std::string body = "mov.u32 %r50, 0; mov.b32 %f0, 0f3F800000;"
                     "mov.b32 %r10, %r0;\nturn:\n";
  for (int i = 0; i < 8; ++i) {
    body += "fma.rn.f32 %f0, %f0, 0f3F7FFFFF, 0f33800000;\n"
            "mad.lo.s32 %r10, %r10, 1664525, 1013904223;\n"
            "shr.u32 %r11, %r10, 3; xor.b32 %r10, %r10, %r11;\n"
            "setp.gt.f32 %p1, %f0, 0f3F800000;\n"
            "selp.f32 %f0, 0f3F800000, %f0, %p1;\n";
  }
  body += "add.s32 %r50, %r50, 1; setp.lt.u32 %p0, %r50, 64; @%p0 bra turn;\n"
          "mov.b32 %r11, %f0; add.s32 %r10, %r10, %r11;\n"
          "st.global.b32 [%d1], %r10;\n";
  runKernel(state, kernel(body), prologue + 3 + 64 * (8 * 6 + 3) + 4);
}
BENCHMARK(arithmetic);

} // namespace
