//===- CachePolicy.cpp - createpolicy -------------------------------------===//
#include "Families.h"
#include "Lanes.h"

#include <bit>
#include <string>
#include <string_view>

using namespace cheems::emulator;

namespace {

/// A policy is opaque and without effect. These are not the bits of a GPU; the
/// priorities make them differ.
uint64_t policyOf(std::string_view primary, std::string_view secondary) {
  auto code = [](std::string_view priority) -> uint64_t {
    return priority == "L2::evict_first"    ? 1
           : priority == "L2::evict_normal" ? 2
           : priority == "L2::evict_last"   ? 3
                                            : 0; // evict_unchanged
  };
  return uint64_t(1) << 63 | code(primary) << 4 | code(secondary);
}

/// slots: the policy
Step create(Warp &warp, const Instruction &instruction, LaneMask active) {
  uint64_t *to = warp.destination<uint64_t>(instruction.slots[0]);
  forLanes(active, [&](int lane) { to[lane] = instruction.payload; });
  return Step::next;
}

bool isFraction(double value) { return value > 0 && value <= 1; }

/// slots: the policy, the fraction
Step createFraction(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  const float *fractions = warp.source<float>(instruction.slots[1]);
  forLanes(active, [&](int lane) {
    if (!isFraction(fractions[lane])) {
      warp.fail(instruction, "cache-policy",
                "The fraction of a cache policy is not in (0, 1].", lane);
    }
  });
  return create(warp, instruction, active);
}

/// slots: the policy, primary size, total size
Step createRange(Warp &warp, const Instruction &instruction, LaneMask active) {
  const uint32_t *primary = warp.source<uint32_t>(instruction.slots[1]);
  const uint32_t *total = warp.source<uint32_t>(instruction.slots[2]);
  forLanes(active, [&](int lane) {
    if (primary[lane] > total[lane]) {
      warp.fail(instruction, "cache-policy",
                "The primary size of a cache policy is greater than its total "
                "size.",
                lane);
    }
  });
  return create(warp, instruction, active);
}

/// Refuses a literal that is no fraction.
void checkFraction(const Statement &statement, const ptx::Operand &operand) {
  const auto *value = std::get_if<ptx::Immediate>(&operand.value);
  if (!value) {
    return;
  }
  using Kind = ptx::Immediate::Kind;
  double fraction = value->kind == Kind::integer ? 0
                    : value->kind == Kind::real
                        ? std::bit_cast<double>(value->bits)
                        : std::bit_cast<float>(uint32_t(value->bits));
  if (!isFraction(fraction)) {
    statement.refuse("the fraction is a real number in (0, 1]");
  }
}

/// PTX ISA, "Data Movement and Conversion Instructions: createpolicy"
void decodePolicy(Statement &statement) {
  std::string_view way = statement.takeOne({"range", "fractional", "cvt"});
  statement.takeType({Type::b64});
  if (way == "cvt") {
    if (!statement.take("L2")) {
      statement.refuse(".cvt needs .L2");
    }
    statement.end(2);
    statement.source(1, Type::b64);
    statement.emit(create, Pipe::lsu, {statement.destination(0, Type::b64)},
                   policyOf("", ""));
    return;
  }
  // The first priority of the text is the primary one.
  std::string_view primary = statement.takePrefix("L2::evict_");
  std::string_view secondary = statement.takePrefix("L2::evict_");
  if (primary != "L2::evict_first" && primary != "L2::evict_normal" &&
      primary != "L2::evict_last" && primary != "L2::evict_unchanged") {
    statement.refuse("it needs a primary priority");
  }
  if (!secondary.empty() && secondary != "L2::evict_first" &&
      secondary != "L2::evict_unchanged") {
    statement.refuse("." + std::string(secondary) +
                     " is no secondary priority");
  }
  uint64_t policy = policyOf(primary, secondary);
  if (way == "range") {
    Transfer transfer;
    transfer.kind.space = takeSpace(statement, {"global"});
    statement.end(4);
    takeAddress(statement, 1, transfer);
    statement.emit(createRange, Pipe::lsu,
                   {statement.destination(0, Type::b64),
                    statement.source(2, Type::b32),
                    statement.source(3, Type::b32)},
                   policy);
    return;
  }
  statement.end(1, 2);
  if (statement.operands() == 1) {
    statement.emit(create, Pipe::lsu, {statement.destination(0, Type::b64)},
                   policy);
    return;
  }
  checkFraction(statement, statement.operand(1));
  statement.emit(
      createFraction, Pipe::lsu,
      {statement.destination(0, Type::b64), statement.source(1, Type::f32)},
      policy);
}

constexpr Opcode cachePoliciesOpcodes[] = {{"createpolicy", decodePolicy}};

} // namespace

std::span<const Opcode> cheems::emulator::cachePolicies() {
  return cachePoliciesOpcodes;
}
