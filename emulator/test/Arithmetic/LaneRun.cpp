//===- LaneRun.cpp --------------------------------------------------------===//
#include "LaneRun.h"

#include "Decode/Decoder.h"
#include "Machine/Launch.h"
#include "Module/Families.h"
#include "PTX/Parser.h"

#include <cstring>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

constexpr size_t threads = 128, operandBytes = 32, resultBytes = 16;

std::string registerText(const std::string &name, int bits) {
  return ".reg ." + (bits == 1 ? "pred" : "b" + std::to_string(bits)) + " " +
         name + ";\n";
}

std::string load(const std::string &name, int bits, int offset) {
  std::string from = ", [%in+" + std::to_string(offset) + "];\n";
  if (bits == 1) {
    return "ld.global.b32 %word" + from + "setp.ne.b32 " + name +
           ", %word, 0;\n";
  }
  return "ld.global.b" + std::to_string(bits) + " " + name + from;
}

std::string store(const std::string &name, int bits, int offset) {
  std::string to = "[%out+" + std::to_string(offset) + "], ";
  if (bits == 1) {
    return "selp.b32 %word, 1, 0, " + name + ";\nst.global.b32 " + to +
           "%word;\n";
  }
  return "st.global.b" + std::to_string(bits) + " " + to + name + ";\n";
}

std::string kernelOf(const Form &form) {
  const char *names[] = {"%a", "%b", "%c", "%e"};
  std::string registers = registerText("%d", form.result), loads, stores;
  for (size_t i = 0; i < form.operands.size(); ++i) {
    registers += registerText(names[i], form.operands[i]);
    loads += load(names[i], form.operands[i], int(8 * i));
  }
  stores = store("%d", form.result, 0);
  if (form.second) {
    registers += registerText("%q", form.second);
    stores += store("%q", form.second, 8);
  }
  return R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pin, .param .u64 pout)
{
.reg .b32 %word, %thread, %block, %number; .reg .b64 %in, %out, %offset;
)" + registers +
         R"(
ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];
mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %word, %ntid.x;
mad.lo.u32 %number, %block, %word, %thread;
mul.wide.u32 %offset, %number, 32; add.s64 %in, %in, %offset;
mul.wide.u32 %offset, %number, 16; add.s64 %out, %out, %offset;
)" + loads +
         form.statements + "\n" + stores + "ret;\n}\n";
}

std::vector<Outcome> runSet(const Form &form, const std::vector<Row> &rows,
                            HostSet set) {
  Options options;
  options.architecture = 90;
  options.memoryBytes = 256 << 20;
  options.threads = 1;
  Device device(options);
  std::unique_ptr<ptx::Module> syntax = ptx::parse(kernelOf(form));
  std::vector<std::span<const Opcode>> tables = families(set);
  OpcodeTable opcodes(tables);
  Symbols symbols;
  Decoder decoder(*syntax, symbols, opcodes, 90);
  Kernel kernel;
  kernel.name = "k";
  kernel.program = decoder.decode(*syntax->functions.front()).program;
  kernel.parameterBytes = kernel.program->parameterBytes;

  size_t blocks = (rows.size() + threads - 1) / threads;
  auto allocate = [&](size_t bytes) {
    uint64_t address = *device.memory.allocate(bytes);
    std::memset(device.memory.data(address), 0, bytes);
    std::memset(device.memory.state(address), int(ByteState::initialised),
                bytes);
    return address;
  };
  uint64_t addresses[2] = {allocate(blocks * threads * operandBytes),
                           allocate(blocks * threads * resultBytes)};
  for (size_t row = 0; row < rows.size(); ++row) {
    std::memcpy(device.memory.data(addresses[0] + row * operandBytes),
                rows[row].data(), rows[row].size() * 8);
  }
  Launch launch;
  launch.kernel = &kernel;
  launch.grid.x = static_cast<uint32_t>(blocks);
  launch.block.x = threads;
  launch.parameters.resize(kernel.parameterBytes);
  std::memcpy(launch.parameters.data(), addresses, sizeof(addresses));
  Grid(device, std::move(launch)).run();
  std::vector<Outcome> outcomes(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    std::memcpy(&outcomes[row],
                device.memory.data(addresses[1] + row * resultBytes),
                sizeof(Outcome));
  }
  return outcomes;
}

std::string textOf(const Form &form, const Row &row) {
  std::ostringstream text;
  text << form.statements << std::hex << " with";
  for (uint64_t value : row) {
    text << " 0x" << value;
  }
  return text.str();
}

} // namespace

std::vector<std::vector<Outcome>>
cheems::emulator::test::runRows(const Form &form,
                                const std::vector<Row> &rows) {
  std::vector<std::vector<Outcome>> results;
  for (HostSet set : {HostSet::baseline, HostSet::avx2, HostSet::avx512}) {
    if (isAvailable(set)) {
      try {
        results.push_back(runSet(form, rows, set));
      } catch (const std::exception &error) {
        ADD_FAILURE() << form.statements << ": " << error.what();
      }
    }
  }
  return results;
}

/// Some of many rows where instrumented code runs them, and all in a long run:
/// that code is to find wrong accesses, and the release build finds wrong
/// numbers.
static std::vector<Row> ofThisRun(const std::vector<Row> &rows) {
#ifdef CHEEMS_ADDRESS_SANITIZER
  constexpr size_t many = 500, stride = 13; // which no pattern of rows has
  if (rows.size() > many && std::getenv("CHEEMS_TEST_LONG") == nullptr) {
    std::vector<Row> some;
    for (size_t row = 0; row < rows.size(); row += stride) {
      some.push_back(rows[row]);
    }
    return some;
  }
#endif
  return rows;
}

void cheems::emulator::test::expectRows(
    const Form &form, const std::vector<Row> &all,
    const std::function<Outcome(const Row &)> &expected) {
  const std::vector<Row> rows = ofThisRun(all);
  auto results = runRows(form, rows);
  ASSERT_FALSE(results.empty());
  int failures = 0;
  for (size_t row = 0; row < rows.size() && failures < 5; ++row) {
    Outcome right = expected(rows[row]);
    for (size_t set = 0; set < results.size(); ++set) {
      Outcome got = results[set][row];
      if (got != right) {
        ++failures;
        ADD_FAILURE() << textOf(form, rows[row]) << std::hex << " gives 0x"
                      << got.d << " and 0x" << got.q << " instead of 0x"
                      << right.d << " and 0x" << right.q
                      << " in instruction set " << set;
      }
    }
  }
}

void cheems::emulator::test::checkEach(
    const Form &form, const std::vector<Row> &all,
    const std::function<bool(const Row &, uint64_t)> &isRight) {
  const std::vector<Row> rows = ofThisRun(all);
  auto results = runRows(form, rows);
  ASSERT_FALSE(results.empty());
  int failures = 0;
  for (size_t row = 0; row < rows.size() && failures < 5; ++row) {
    for (size_t set = 0; set < results.size(); ++set) {
      uint64_t got = results[set][row].d;
      if (!isRight(rows[row], got) || got != results[0][row].d) {
        ++failures;
        ADD_FAILURE() << textOf(form, rows[row]) << std::hex << " gives 0x"
                      << got << " in instruction set " << set;
      }
    }
  }
}

std::vector<Row> cheems::emulator::test::combine(
    const std::vector<std::vector<uint64_t>> &lists, int count,
    const std::function<uint64_t(std::mt19937_64 &)> &random) {
  std::vector<Row> rows = {{}};
  for (const std::vector<uint64_t> &list : lists) {
    std::vector<Row> longer;
    for (const Row &row : rows) {
      for (uint64_t value : list) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    rows = std::move(longer);
  }
  std::mt19937_64 engine(20);
  for (int i = 0; i < count; ++i) {
    Row row;
    for (size_t operand = 0; operand < lists.size(); ++operand) {
      row.push_back(random(engine));
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<uint64_t> cheems::emulator::test::specialIntegers(int bits) {
  uint64_t top = uint64_t(1) << (bits - 1);
  std::vector<uint64_t> list;
  for (uint64_t value :
       {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(7), uint64_t(31),
        uint64_t(32), uint64_t(33), uint64_t(255), uint64_t(256), top, top - 1,
        top + 1, ~uint64_t(0), ~uint64_t(1), uint64_t(0x8000), uint64_t(0x80),
        uint64_t(0x123456789abcdef0)}) {
    list.push_back(lowBits(value, bits));
  }
  return list;
}
