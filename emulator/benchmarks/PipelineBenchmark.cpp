//===- PipelineBenchmark.cpp - Products with the copies that feed them ----===//
#include "Machine/Launch.h"
#include "Rates.h"

#include <benchmark/benchmark.h>
#include <cstring>
#include <string>

using namespace cheems::emulator;

namespace {

constexpr int rounds = 100;

std::string registers(const char *name, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i ? ", %" : "%") + (name + std::to_string(first + i));
  }
  return text + "}";
}

/// Runs a kernel of (in, out) in one block of 128 threads with 96 KiB of shared
/// memory, `memory`.
void runKernel(benchmark::State &state, const std::string &body) {
  Options options;
  options.memoryBytes = 16 << 20;
  options.threads = 1;
  options.asynchrony = state.range(0) ? Asynchrony::late : Asynchrony::early;
  Device device(options);
  auto module = Module::load(device, R"(.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 memory[];
.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .pred %p<8>; .reg .b32 %r<400>; .reg .f32 %f<200>; .reg .b64 %d<30>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r390, %tid.x; mov.u32 %r392, memory;
mul.wide.u32 %d2, %r390, 4; add.s64 %d1, %d1, %d2;
setp.eq.u32 %p1, %r390, 0;
)" + body + "st.global.f32 [%d1], %f0;\nret;\n}\n");
  constexpr uint64_t bytes = 64 << 10;
  uint64_t addresses[] = {device.memory.allocate(bytes).value(),
                          device.memory.allocate(512).value()};
  std::memset(device.memory.data(addresses[0]), 0x3f, bytes);
  device.memory.setStates(addresses[0], bytes, ByteState::initialised);
  for (auto _ : state) {
    Launch launch;
    launch.kernel = module->kernel("k");
    launch.block = {128, 1, 1};
    launch.dynamicSharedBytes = 96 << 10;
    launch.parameters.resize(launch.kernel->parameterBytes);
    std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
    Grid(device, std::move(launch)).run();
  }
}

/// A matmul of tiles of 128 by 128 by 32, 64 by 64 a warp, as compilers write
/// it for sm_80: three stages of cp.async, ldmatrix, mma.sync.
void mmaPipeline(benchmark::State &state) {
  // Each thread copies 4 times 16 bytes of both operands: rows of 64 bytes,
  // whose four pieces are in an order that depends on the row.
  std::string body = "shl.b32 %r380, %r390, 4; add.s32 %r380, %r380, %r392;"
                     "mul.wide.u32 %d3, %r390, 16; add.s64 %d3, %d0, %d3;"
                     "shr.u32 %r381, %r390, 5; and.b32 %r382, %r390, 31;"
                     "shl.b32 %r383, %r382, 6; shl.b32 %r384, %r382, 3;"
                     "and.b32 %r384, %r384, 48; add.s32 %r383, %r383, %r392;"
                     "xor.b32 %r383, %r383, %r384;"
                     "and.b32 %r385, %r381, 1; shl.b32 %r385, %r385, 12;"
                     "shr.u32 %r386, %r381, 1; shl.b32 %r386, %r386, 12;"
                     "add.s32 %r385, %r383, %r385;"
                     "add.s32 %r386, %r383, %r386; add.s32 %r386, %r386, 8192;"
                     "mov.u32 %r394, 0; mov.u32 %r395, 0;"
                     "mov.u32 %r396, 32768;\n";
  for (int i = 0; i < 128; ++i) {
    body += "mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
  }
  auto copy = [&](const std::string &stage) {
    body += "add.s32 %r370, %r380, " + stage + ";\n";
    for (int i = 0; i < 8; ++i) {
      const std::string at = std::to_string(2048 * i);
      body.append("cp.async.cg.shared.global [%r370+")
          .append(at)
          .append("], [%d3+")
          .append(at)
          .append("], 16;\n");
    }
    body += "cp.async.commit_group;\n";
    return 10;
  };
  copy("0");
  copy("16384");
  body += "round:\ncp.async.wait_group 1; bar.sync 0;\n"
          "add.s32 %r371, %r385, %r395; add.s32 %r372, %r386, %r395;\n";
  int instructions = 4 + copy("%r396");
  for (int k = 0; k < 2; ++k) {
    const std::string piece = std::to_string(32 * k);
    body.append("xor.b32 %r373, %r371, ")
        .append(piece)
        .append("; xor.b32 %r374, %r372, ")
        .append(piece)
        .append(";\n");
    instructions += 2;
    for (int i = 0; i < 2; ++i) {
      for (int half = 0; half < 2; ++half) {
        const std::string of = std::to_string(2048 * i) + "];\n";
        body += "xor.b32 %r375, %r373, " + std::to_string(16 * half) +
                "; xor.b32 %r376, %r374, " + std::to_string(16 * half) + ";\n";
        body += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " +
                registers("r", 16 * i + 4 * half, 4) + ", [%r375+" + of;
        body += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " +
                registers("r", 32 + 16 * i + 4 * half, 4) + ", [%r376+" + of;
        instructions += 4;
      }
    }
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 8; ++column) {
        const std::string d = registers("f", 4 * (8 * row + column), 4);
        body.append("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 ")
            .append(d + ", " + registers("r", 8 * (row / 2) + 4 * (row % 2), 4))
            .append(", " + registers("r", 32 + 2 * (column % 8), 2) + ", ")
            .append(d + ";\n");
        ++instructions;
      }
    }
  }
  for (const char *stage : {"%r395", "%r396"}) {
    body += std::string("add.s32 ") + stage + ", " + stage + ", 16384; " +
            "setp.eq.u32 %p2, " + stage + ", 49152; selp.b32 " + stage +
            ", 0, " + stage + ", %p2;\n";
  }
  body += "add.s32 %r394, %r394, 1; setp.lt.u32 %p0, %r394, " +
          std::to_string(rounds) + "; @%p0 bra round;\ncp.async.wait_all;\n";
  instructions += 9;
  runKernel(state, body);
  countInstructions(state, double(instructions) * rounds * 4, mmaGoal);
  countMultiplyAdds(state, 64.0 * 2048 * rounds * 4);
}
BENCHMARK(mmaPipeline)->ArgName("late")->Arg(0)->Arg(1);

/// A matmul of tiles of 64 by `columns` by 64, as compilers write it for
/// sm_90: three stages of bulk copies that signal mbarriers, wgmma.
void wgmmaPipeline(benchmark::State &state) {
  const int columns = int(state.range(1));
  const std::string bytes = std::to_string((64 + columns) * 128);
  std::string body = "add.s32 %r393, %r392, 98240;\n"
                     "@%p1 mbarrier.init.shared.b64 [%r393], 1;\n"
                     "@%p1 mbarrier.init.shared.b64 [%r393+8], 1;\n"
                     "@%p1 fence.proxy.async.shared::cta;\nbar.sync 0;\n"
                     "mov.b64 %d20, 0x4000004000010000;"
                     "mov.u32 %r394, 0; mov.u32 %r395, 0;\n";
  for (int i = 0; i < columns / 2; ++i) {
    body += "mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
  }
  auto copy = [&](const char *stage) {
    body += std::string("shl.b32 %r370, ") + stage +
            ", 3; add.s32 %r370, %r370, %r393; mul.lo.s32 %r371, " + stage +
            ", 40960; add.s32 %r371, %r371, %r392;\n"
            "@%p3 mbarrier.arrive.expect_tx.shared.b64 _, [%r370], " +
            bytes +
            ";\n@%p3 "
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%r371], [%d0], " +
            bytes + ", [%r370];\n";
  };
  body += "setp.eq.u32 %p3, %r390, 0; mov.u32 %r372, 0;\n";
  copy("%r372");
  body += "round:\nxor.b32 %r372, %r395, 1; setp.lt.u32 %p4, %r394, " +
          std::to_string(rounds - 1) + "; and.pred %p3, %p1, %p4;\n";
  copy("%r372");
  body += "shl.b32 %r373, %r395, 3; add.s32 %r373, %r373, %r393;"
          "shr.u32 %r374, %r394, 1; and.b32 %r374, %r374, 1;\nWAIT:\n"
          "mbarrier.try_wait.parity.shared.b64 %p5, [%r373], %r374;"
          "@!%p5 bra WAIT;\n"
          "mul.lo.s32 %r375, %r395, 40960; add.s32 %r375, %r375, %r392;"
          "shr.u32 %r375, %r375, 4; cvt.u64.u32 %d2, %r375;"
          "or.b64 %d2, %d2, %d20; add.s64 %d3, %d2, 512;\n"
          "wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < 4; ++i) {
    body += "add.s64 %d4, %d2, " + std::to_string(2 * i) +
            "; add.s64 %d5, %d3, " + std::to_string(2 * i) +
            "; wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) +
            "k16.f32.bf16.bf16 " + registers("f", 0, columns / 2) +
            ", %d4, %d5, 1, 1, 1, 0, 0;\n";
  }
  body += "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
          "bar.sync 0; mov.u32 %r395, %r372; add.s32 %r394, %r394, 1;"
          "setp.lt.u32 %p0, %r394, " +
          std::to_string(rounds) + "; @%p0 bra round;\n";
  runKernel(state, body);
  countMultiplyAdds(state, 4.0 * 64 * columns * 16 * rounds, wgmmaGoal);
}
BENCHMARK(wgmmaPipeline)
    ->ArgNames({"late", "columns"})
    ->ArgsMatmul({{0, 1}, {64, 128, 256}});

} // namespace
