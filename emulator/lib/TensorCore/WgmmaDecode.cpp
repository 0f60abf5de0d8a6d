//===- WgmmaDecode.cpp - Statements of wgmma ------------------------------===//
#include "Decode/Decoder.h"
#include "Families.h"
#include "Warpgroup.h"
#include "Wgmma.h"
#include "WholeWarp.h"

using namespace cheems::emulator;

namespace {

WarpgroupMatmuls &products(Warp &warp) {
  return warp.block.extension<WarpgroupMatmuls>();
}

Step issue(Warp &warp, const Instruction &instruction, LaneMask active) {
  return isWholeWarp(warp, instruction, active)
             ? products(warp).issue(warp, instruction)
             : Step::converge;
}
Step fence(Warp &warp, const Instruction &instruction, LaneMask active) {
  return isWholeWarp(warp, instruction, active) ? products(warp).fence(warp)
                                                : Step::converge;
}
Step commit(Warp &warp, const Instruction &instruction, LaneMask active) {
  return isWholeWarp(warp, instruction, active) ? products(warp).commit(warp)
                                                : Step::converge;
}
Step wait(Warp &warp, const Instruction &instruction, LaneMask active) {
  return isWholeWarp(warp, instruction, active)
             ? products(warp).wait(warp, instruction,
                                   size_t(instruction.payload))
             : Step::converge;
}
Step access(Warp &warp, const Instruction &instruction, LaneMask) {
  return products(warp).touch(warp, instruction, false);
}
/// gpu.md, 9b: what Triton's kernels with f16 accumulators rely on.
Step accessAfter(Warp &warp, const Instruction &instruction, LaneMask) {
  bool drains = warp.block.grid.device.options.implicitDrain;
  return products(warp).touch(warp, instruction, drains);
}

bool isInteger8(Type type) { return type == Type::s8 || type == Type::u8; }
bool isFloat8(Type type) { return type == Type::e4m3 || type == Type::e5m2; }

/// n of "m64n128k16": multiples of 8 up to 256. Those above 32 of integers and
/// single bits are multiples of 16 (.m64n24k32 and .m64n8k32 exist,
/// .m64n40k32 does not).
int columnsOf(std::string_view shape, int depth, bool whole) {
  for (int columns = 8; columns <= mostColumns; columns += 8) {
    if ((!whole || columns <= 32 || columns % 16 == 0) &&
        shape ==
            "m64n" + std::to_string(columns) + "k" + std::to_string(depth)) {
      return columns;
    }
  }
  return 0;
}

void requireTarget(Statement &statement) {
  if (statement.decoder.ptxModule().target != "sm_90a" ||
      statement.architecture() < 90) {
    statement.refuse(
        "it needs a module with .target sm_90a on a GPU of sm_90a");
  }
}

/// 1 or -1: whether it is -1.
bool takeScale(Statement &statement, size_t operand) {
  int64_t scale = statement.immediate(operand);
  if (scale != 1 && scale != -1) {
    statement.refuse("operand " + std::to_string(operand + 1) +
                     " must be 1 or -1");
  }
  return scale < 0;
}

bool takeTransposition(Statement &statement, size_t operand) {
  int64_t value = statement.immediate(operand);
  if (value != 0 && value != 1) {
    statement.refuse("operand " + std::to_string(operand + 1) +
                     " must be 0 or 1");
  }
  return value != 0;
}

void checkTypes(Statement &statement, const WgmmaMatmul &product) {
  bool fits = false;
  switch (product.a) {
  case Type::f16:
    fits = product.b == Type::f16 &&
           (product.sum == Type::f16 || product.sum == Type::f32);
    break;
  case Type::bf16:
  case Type::tf32:
    fits = product.b == product.a && product.sum == Type::f32;
    break;
  case Type::b1:
    fits = product.b == Type::b1 && product.sum == Type::s32;
    break;
  default:
    fits = isInteger8(product.a)
               ? isInteger8(product.b) && product.sum == Type::s32
               : isFloat8(product.b) &&
                     (product.sum == Type::f16 || product.sum == Type::f32);
  }
  if (!fits) {
    statement.refuse("D, A and B cannot have these types together");
  }
}

/// Something that runs on its own reads or writes these registers later.
void pinAll(Statement &statement, std::vector<Slot> &slots,
            const std::vector<Slot> &more) {
  for (Slot slot : more) {
    statement.pin(slot);
    slots.push_back(slot);
  }
}

void decodeFence(Statement &statement) {
  requireTarget(statement);
  for (std::string_view modifier : {"fence", "sync", "aligned"}) {
    statement.takeOne({modifier});
  }
  statement.end(0);
  statement.emit(fence, Pipe::control, {});
}

void decodeCommit(Statement &statement) {
  requireTarget(statement);
  for (std::string_view modifier : {"commit_group", "sync", "aligned"}) {
    statement.takeOne({modifier});
  }
  statement.end(0);
  statement.emit(commit, Pipe::control, {});
}

void decodeWait(Statement &statement) {
  requireTarget(statement);
  for (std::string_view modifier : {"wait_group", "sync", "aligned"}) {
    statement.takeOne({modifier});
  }
  statement.end(1);
  int64_t pending = statement.immediate(size_t(0));
  if (pending < 0) {
    statement.refuse("the number of groups must not be negative");
  }
  statement.emit(wait, Pipe::control, {}, uint64_t(pending));
}

/// The decoder puts this before a statement that accesses a register of a
/// wgmma (Decoder::watch).
void decodeAccess(Statement &statement) {
  bool after = statement.take("after");
  statement.end(statement.operands());
  std::vector<Slot> slots;
  slots.reserve(statement.operands() + 1);
  for (const ptx::Operand &operand : statement.syntax.operands) {
    slots.push_back(statement.mention(operand));
  }
  slots.push_back(statement.constant(0, 32)); // ends the list
  statement.emit(after ? accessAfter : access, Pipe::none, slots);
}

constexpr Opcode warpgroupGroupsOpcodes[] = {
    {"wgmma", decodeFence, "fence"},
    {"wgmma", decodeCommit, "commit_group"},
    {"wgmma", decodeWait, "wait_group"},
    {"%wgmma_access", decodeAccess},
};

} // namespace

void cheems::emulator::decodeWgmma(Statement &statement,
                                   WgmmaMultiply multiply) {
  requireTarget(statement);
  if (statement.take("sp")) {
    statement.notModelled("wgmma of a sparse matrix");
  }
  for (std::string_view modifier : {"mma_async", "sync", "aligned"}) {
    statement.takeOne({modifier});
  }
  std::string shape(statement.takePrefix("m64"));
  auto takeMultiplicand = [&] {
    return statement.takeType({Type::f16, Type::bf16, Type::tf32, Type::e4m3,
                               Type::e5m2, Type::s8, Type::u8, Type::b1});
  };
  WgmmaMatmul product;
  product.multiply = multiply;
  product.sum = statement.takeType({Type::f16, Type::f32, Type::s32});
  product.a = takeMultiplicand();
  product.b = takeMultiplicand();
  checkTypes(statement, product);
  bool whole = product.sum == Type::s32;
  product.columns = columnsOf(shape, product.depth(), whole);
  if (product.columns == 0) {
    statement.refuse("no shape '" + shape + "' with these types");
  }
  if (product.a == Type::b1) {
    statement.takeOne({"and"});
    statement.takeOne({"popc"});
  } else if (whole) {
    product.saturate = statement.take("satfinite");
  }
  // D, A, B, scale-d; of floats two scales; of 16 bits transpositions of what
  // is in memory.
  requireVector(statement, 0);
  product.aInRegisters =
      std::holds_alternative<ptx::VectorOperand>(statement.operand(1).value);
  bool mayTranspose = bits(product.a) == 16;
  size_t count = whole ? 4 : 6;
  count += mayTranspose ? (product.aInRegisters ? 1 : 2) : 0;
  statement.end(count);
  std::vector<Slot> slots, sums;
  auto registers = statement.elements(statement.operand(0));
  if (registers.size() != size_t(product.accumulators())) {
    statement.refuse("D must have " + std::to_string(product.accumulators()) +
                     " registers");
  }
  for (const ptx::Operand *operand : registers) {
    sums.push_back(statement.update(*operand, Type::b32));
  }
  pinAll(statement, slots, sums);
  if (product.aInRegisters) {
    pinAll(statement, slots,
           statement.sources(statement.operand(1), Type::b32, 4));
  } else {
    slots.push_back(statement.source(1, Type::b64));
  }
  slots.push_back(statement.source(2, Type::b64));
  slots.push_back(statement.predicate(3));
  if (!whole) {
    product.negate = takeScale(statement, 4) != takeScale(statement, 5);
  }
  if (mayTranspose) {
    size_t next = 6;
    if (!product.aInRegisters) {
      product.aAlongRows = takeTransposition(statement, next++);
    }
    product.bAlongRows = takeTransposition(statement, next);
  }
  statement.emit(issue, Pipe::tensor, slots, statement.keep(product));
}

std::span<const Opcode> cheems::emulator::warpgroupGroups() {
  return warpgroupGroupsOpcodes;
}
