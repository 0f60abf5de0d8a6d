//===- RandomProgramTest.cpp ----------------------------------------------===//
// Random kernels give the same results whether registers share places or not.
#include "Decode/Decoder.h"
#include "Machine/Launch.h"
#include "Module/Families.h"
#include "PTX/Parser.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace cheems::emulator;

namespace {

/// Writes the body of a kernel whose lanes part and meet at random. It reads no
/// register that was not written on every path to there, because such a value
/// means nothing.
class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) {}

  std::string kernel() {
    text = ".version 8.3\n.target sm_90\n.address_size 64\n"
           ".entry k(.param .u64 out) {\n"
           ".reg .pred %p<6>; .reg .b16 %h<12>; .reg .b32 %r<30>;\n"
           ".reg .b64 %d<16>; .reg .b32 %n<40>; .reg .pred %q<40>;\n"
           ".reg .b64 %a<3>; .reg .b32 %t;\n"
           "mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 2654435761;\n"
           "shr.u32 %r2, %r1, 7; mul.wide.u32 %d0, %r1, %r2;\n"
           "mov.b32 {%h0, %h1}, %r1; setp.lt.u32 %p0, %r2, %r1;\n";
    written = {{'r', {0, 1, 2}}, {'d', {0}}, {'h', {0, 1}}, {'p', {0}}};
    statements(14, 3);
    text += "ld.param.u64 %a1, [out]; mov.u32 %t, %tid.x;\n"
            "mul.wide.u32 %a2, %t, 8; add.u64 %a1, %a1, %a2;\n"
            "mov.u64 %a2, 0;\n";
    // Most registers are dead before the end.
    for (auto &[kind, numbers] : written) {
      std::erase_if(numbers, [&](int) { return below(4) != 0; });
    }
    for (int number : written['r']) {
      text += "mad.wide.u32 %a2, %r" + std::to_string(number) + ", 77, %a2;\n";
    }
    for (int number : written['d']) {
      text += "xor.b64 %a2, %a2, %d" + std::to_string(number) + ";\n";
    }
    for (int number : written['h']) {
      text += "mov.b32 %t, {%h" + std::to_string(number) +
              ", 3}; mad.wide.u32 %a2, %t, 5, %a2;\n";
    }
    for (int number : written['p']) {
      text += "selp.b32 %t, 12345, 678, %p" + std::to_string(number) +
              "; mad.wide.u32 %a2, %t, 9, %a2;\n";
    }
    return text + "st.global.u64 [%a1], %a2; ret; }\n";
  }

private:
  using Names = std::map<char, std::set<int>>;

  int below(int limit) {
    return std::uniform_int_distribution(0, limit - 1)(random);
  }
  std::string source(char kind) {
    const std::set<int> &all = written[kind];
    return std::string("%") + kind +
           std::to_string(*std::next(all.begin(), below(int(all.size()))));
  }
  /// Also a guard, with which a value from before may stay.
  std::string destination(char kind) {
    static const std::map<char, int> count = {
        {'r', 16}, {'d', 8}, {'h', 6}, {'p', 5}};
    int number = below(count.at(kind));
    guard.clear();
    if (below(3) != 0 && written[kind].count(number)) {
      guard = (below(2) ? "@" : "@!") + source('p') + " ";
    }
    next = {kind, number};
    return std::string("%") + kind + std::to_string(number);
  }
  void write(const std::string &statement) {
    text += guard + statement + ";\n";
    written[next.first].insert(next.second);
  }
  std::string label() { return "L" + std::to_string(labels++); }

  void simple() {
    static const char *const operations[] = {"add.u32", "xor.b32", "mul.lo.u32",
                                             "min.s32", "sub.u32", "and.b32"};
    std::string d;
    switch (below(9)) {
    case 0:
      d = destination('d');
      return write("mad.wide.u32 " + d + ", " + source('r') + ", " +
                   source('r') + ", " + source('d'));
    case 1:
      d = destination('d');
      return write("xor.b64 " + d + ", " + source('d') + ", " + source('d'));
    case 2:
      d = destination('r');
      return write("mov.b64 {" + d + ", _}, " + source('d'));
    case 3:
      d = destination('p');
      return write("setp.gt.u32 " + d + ", " + source('r') + ", " +
                   source('r'));
    case 4:
      d = destination('r');
      return write("selp.b32 " + d + ", " + source('r') + ", " + source('r') +
                   ", " + source('p'));
    case 5:
      d = destination('h');
      return write("add.u16 " + d + ", " + source('h') + ", " + source('h'));
    case 6:
      d = destination('r');
      return write("mov.b32 " + d + ", {" + source('h') + ", " + source('h') +
                   "}");
    default:
      d = destination('r');
      return write(std::string(operations[below(6)]) + " " + d + ", " +
                   source('r') + ", " + source('r'));
    }
  }

  void statements(int count, int depth) {
    for (int i = 0; i < count; ++i) {
      int kind = depth ? below(8) : 2;
      if (kind == 0) {
        choice(depth);
      } else if (kind == 1) {
        loop(depth);
      } else {
        simple();
      }
    }
  }

  void choice(int depth) {
    std::string other = label(), end = label();
    text += (below(2) ? "@" : "@!") + source('p') + " bra " + other + ";\n";
    Names before = written;
    statements(1 + below(6), depth - 1);
    Names first = written;
    written = before;
    text += "bra " + end + ";\n" + other + ":\n";
    statements(below(6), depth - 1);
    text += end + ":\n";
    for (auto &[kind, numbers] : written) {
      std::erase_if(numbers,
                    [&](int number) { return !first[kind].count(number); });
    }
  }

  /// Each lane has its own number of rounds.
  void loop(int depth) {
    std::string number = std::to_string(loops++), begin = label();
    text +=
        "and.b32 %n" + number + ", " + source('r') + ", 3;\n" + begin + ":\n";
    statements(1 + below(6), depth - 1);
    text += "setp.eq.u32 %q" + number + ", %n" + number + ", 0; sub.u32 %n" +
            number + ", %n" + number + ", 1;\n@!%q" + number + " bra " + begin +
            ";\n";
  }

  std::mt19937_64 random;
  std::string text, guard;
  Names written;
  std::pair<char, int> next;
  int labels = 0, loops = 0;
};

std::vector<uint64_t> run(const std::string &text, bool reuse,
                          uint32_t &arenaBytes) {
  constexpr uint32_t threads = 64;
  Options options;
  options.memoryBytes = 1 << 20;
  options.threads = 1;
  options.multiprocessors = 1;
  Device device(options);
  std::unique_ptr<ptx::Module> syntax = ptx::parse(text);
  Symbols symbols;
  std::vector<std::span<const Opcode>> all = families(hostSet());
  OpcodeTable opcodes(all);
  Decoder decoder(*syntax, symbols, opcodes, 90, reuse);
  Kernel kernel;
  kernel.name = "k";
  kernel.program = decoder.decode(*syntax->functions.front()).program;
  kernel.registers = 64;
  kernel.parameterBytes = kernel.program->parameterBytes;
  kernel.parameters = {{0, 8, 8}};
  arenaBytes = kernel.program->registerBytes;
  std::vector<uint64_t> results(threads);
  uint64_t out = *device.memory.allocate(threads * sizeof(uint64_t));
  Launch launch;
  launch.kernel = &kernel;
  launch.block.x = threads;
  launch.parameters.resize(sizeof(out));
  std::memcpy(launch.parameters.data(), &out, sizeof(out));
  Grid(device, launch).run();
  std::memcpy(results.data(), device.memory.data(out),
              threads * sizeof(uint64_t));
  return results;
}

} // namespace

TEST(RandomPrograms, computeTheSameWithSharedPlaces) {
  uint64_t shared = 0, apart = 0;
  std::set<std::vector<uint64_t>> different;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::string text = Writer(seed).kernel();
    uint32_t with, without;
    std::vector<uint64_t> results = run(text, true, with);
    ASSERT_EQ(results, run(text, false, without)) << seed << text;
    different.insert(results);
    shared += with;
    apart += without;
  }
  EXPECT_GT(different.size(), 140u);
  EXPECT_LT(shared, apart);
}
