//===- OpcodeTableTest.cpp ------------------------------------------------===//
#include "Decode/OpcodeTable.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

void first(Statement &) {}
void second(Statement &) {}
void general(Statement &) {}

constexpr Opcode one[] = {
    {"cp", general}, {"cp", first, "bulk"}, {"cp", second, "async"}};
constexpr Opcode two[] = {{"mov", general}, {"cp", second, "bulk"}};

const Opcode *find(std::string opcode, std::vector<std::string> modifiers) {
  static const std::span<const Opcode> families[] = {one, two};
  static const OpcodeTable table(families);
  ptx::Instruction statement;
  statement.opcode = std::move(opcode);
  statement.modifiers = std::move(modifiers);
  return table.find(statement);
}

} // namespace

TEST(OpcodeTable, takesAnEntryWithTheStatementsModifierFirst) {
  EXPECT_EQ(find("cp", {"async", "ca"})->decode, second);
  EXPECT_EQ(find("cp", {"ca"})->decode, general);
  EXPECT_EQ(find("mov", {"b32"}), &two[0]);
}

TEST(OpcodeTable, takesTheFirstOfSeveral) {
  EXPECT_EQ(find("cp", {"async", "bulk"}), &one[1]);
}

TEST(OpcodeTable, doesNotKnowOthers) {
  EXPECT_EQ(find("add", {"b32"}), nullptr);
  EXPECT_EQ(find("", {}), nullptr);
}
