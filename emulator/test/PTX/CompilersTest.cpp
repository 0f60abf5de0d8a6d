//===- CompilersTest.cpp - PTX that LLVM and nvcc wrote -------------------===//
#include "Parse.h"
#include "Support/Paths.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace cheems::emulator::ptx {
namespace {

std::unique_ptr<Module> parseFile(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return parse(text.str());
}

const std::filesystem::path tests = cheems::emulator::test::testFolder;

TEST(PTXCompilers, AllOfTritonsKernelsAreTaken) {
  size_t files = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(tests / "conformance/ptx")) {
    auto module = parseFile(entry.path());
    ASSERT_EQ(module->functions.size(), 1u) << entry.path();
    EXPECT_GT(module->functions[0]->statements.size(), 20u) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 131u);
}

TEST(PTXCompilers, WhatNvccWritesIsTaken) {
  for (std::string name : {"lines.ptx", "debug.ptx"}) {
    auto module = parseFile(tests / "PTX/nvcc" / name);
    size_t kernels = 0, prototypes = 0;
    for (const auto &function : module->functions) {
      kernels += function->entry;
      for (const Instruction &instruction : function->statements) {
        prototypes += !instruction.prototype.empty();
      }
    }
    EXPECT_EQ(kernels, 1u) << name;
    EXPECT_EQ(prototypes, 1u) << name << ": the call by a table";
  }
}

} // namespace
} // namespace cheems::emulator::ptx
