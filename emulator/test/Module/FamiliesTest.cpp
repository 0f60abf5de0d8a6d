//===- FamiliesTest.cpp ---------------------------------------------------===//
#include "Module/Families.h"

#include <gtest/gtest.h>
#include <map>

using namespace cheems::emulator;

namespace {

constexpr HostSet sets[] = {HostSet::baseline, HostSet::avx2, HostSet::avx512};

} // namespace

TEST(Families, areThereForTheHost) {
  EXPECT_TRUE(isAvailable(hostSet()));
  for (HostSet set : sets) {
    EXPECT_TRUE(set <= hostSet() || !isAvailable(set));
  }
}

TEST(Families, haveTheSameOpcodesInEachInstructionSet) {
  auto names = [](HostSet set) {
    std::vector<std::pair<std::string_view, std::string_view>> result;
    for (std::span<const Opcode> table : families(set)) {
      for (const Opcode &opcode : table) {
        result.push_back({opcode.name, opcode.modifier});
      }
    }
    return result;
  };
  auto all = names(hostSet());
  EXPECT_FALSE(all.empty());
  for (HostSet set : sets) {
    if (isAvailable(set)) {
      EXPECT_EQ(names(set), all);
    }
  }
}

TEST(Families, haveEachFormOnce) {
  std::map<std::pair<std::string_view, std::string_view>, int> count;
  for (std::span<const Opcode> table : families(hostSet())) {
    for (const Opcode &opcode : table) {
      EXPECT_NE(opcode.decode, nullptr);
      EXPECT_EQ(++count[std::pair(opcode.name, opcode.modifier)], 1)
          << opcode.name << " " << opcode.modifier;
    }
  }
}
