//===- Combinations.cpp - Shapes and types that mma takes -----------------===//
#include "Combinations.h"
#include "WholeWarp.h"

using namespace cheems::emulator;

namespace {

/// Types that may be mixed in A and B.
enum class Elements { f16, bf16, tf32, fp8, bytes, nibbles, single, none };

Elements elementsOf(Type type) {
  switch (type) {
  case Type::f16:
    return Elements::f16;
  case Type::bf16:
    return Elements::bf16;
  case Type::tf32:
    return Elements::tf32;
  case Type::e4m3:
  case Type::e5m2:
    return Elements::fp8;
  case Type::s8:
  case Type::u8:
    return Elements::bytes;
  case Type::s4:
  case Type::u4:
    return Elements::nibbles;
  case Type::b1:
    return Elements::single;
  default:
    return Elements::none;
  }
}

int elementBits(Elements elements) {
  switch (elements) {
  case Elements::f16:
  case Elements::bf16:
    return 16;
  case Elements::tf32:
    return 32;
  case Elements::fp8:
  case Elements::bytes:
    return 8;
  case Elements::nibbles:
    return 4;
  case Elements::single:
  case Elements::none:
    break;
  }
  return 1;
}

bool isWhole(Elements elements) { return elements >= Elements::bytes; }

/// All shapes of the ISA follow from what the four registers of four lanes
/// hold: k is that or twice as much, and m is 16; integers have m of 8, too,
/// with the smaller k.
bool hasShape(Elements elements, int rows, int depth) {
  int per = 4 * 32 / elementBits(elements);
  return rows == 16 ? depth == per || depth == 2 * per
                    : isWhole(elements) && depth == per;
}

/// C and D have the same type.
bool hasSum(Elements elements, Type sum) {
  if (isWhole(elements)) {
    return sum == Type::s32;
  }
  bool half = elements == Elements::f16 || elements == Elements::fp8;
  return sum == Type::f32 || (half && sum == Type::f16);
}

/// "m16n8k32": m and k; 0 if it is none with n of 8.
std::pair<int, int> shapeOf(std::string_view text) {
  for (int rows : {8, 16}) {
    std::string start = "m" + std::to_string(rows) + "n8k";
    if (!text.starts_with(start)) {
      continue;
    }
    for (int depth = 4; depth <= 256; depth *= 2) {
      if (text.substr(start.size()) == std::to_string(depth)) {
        return {rows, depth};
      }
    }
  }
  return {0, 0};
}

void append(std::vector<Slot> &slots, const std::vector<Slot> &more) {
  slots.insert(slots.end(), more.begin(), more.end());
}

} // namespace

std::pair<bool, bool> cheems::emulator::takeLayouts(Statement &statement) {
  std::vector<bool> layouts;
  for (const std::string &modifier : statement.syntax.modifiers) {
    if (modifier == "row" || modifier == "col") {
      layouts.push_back(modifier == "row");
      statement.take(modifier);
    }
  }
  if (layouts.size() != 2) {
    statement.refuse("it needs the layouts of A and of B");
  }
  return {layouts[0], layouts[1]};
}

MmaStatement cheems::emulator::decodeMmaStatement(Statement &statement) {
  MmaStatement result;
  MmaCombination &combination = result.combination;
  statement.takeOne({"sync"});
  statement.takeOne({"aligned"});
  std::string shape(statement.takePrefix("m"));
  std::tie(combination.rows, combination.depth) = shapeOf(shape);
  if (takeLayouts(statement) != std::pair(true, false)) {
    statement.refuse("shape " + shape + " takes layouts .row.col alone");
  }
  combination.sum = statement.takeType({Type::f16, Type::f32, Type::s32});
  auto takeMultiplicand = [&] {
    return statement.takeType({Type::f16, Type::bf16, Type::tf32, Type::e4m3,
                               Type::e5m2, Type::s8, Type::u8, Type::s4,
                               Type::u4, Type::b1});
  };
  combination.a = takeMultiplicand();
  combination.b = takeMultiplicand();
  Type c = statement.takeType({Type::f16, Type::f32, Type::s32});
  Elements elements = elementsOf(combination.a);
  if (elements != elementsOf(combination.b)) {
    statement.refuse("A and B cannot have these types together");
  }
  if (c != combination.sum || !hasSum(elements, c)) {
    statement.refuse("A and B cannot have these types with those of C and D");
  }
  if (!hasShape(elements, combination.rows, combination.depth)) {
    statement.refuse("no shape '" + shape + "' with these types");
  }
  if (elements == Elements::fp8 && statement.architecture() < 89) {
    statement.refuse("e4m3 and e5m2 need sm_89 or higher");
  }
  if (elements == Elements::single) {
    result.exclusive = statement.takeOne({"xor", "and"}) == "xor";
    statement.takeOne({"popc"});
  } else if (isWhole(elements)) {
    result.saturate = statement.take("satfinite");
  }
  statement.end(4);
  for (size_t operand = 0; operand < 4; ++operand) {
    requireVector(statement, operand);
  }
  size_t sums = size_t(combination.rows) / (c == Type::f16 ? 8 : 4);
  size_t columns = size_t(combination.depth * elementBits(elements)) / (4 * 32);
  size_t rows = columns * size_t(combination.rows) / 8;
  append(result.slots,
         statement.destinations(statement.operand(0), Type::b32, sums));
  append(result.slots,
         statement.sources(statement.operand(1), Type::b32, rows));
  append(result.slots,
         statement.sources(statement.operand(2), Type::b32, columns));
  append(result.slots,
         statement.sources(statement.operand(3), Type::b32, sums));
  return result;
}
