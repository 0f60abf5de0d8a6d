// What compiling leaves: the same bytes every time, code that calls nothing but
// the pool, and nothing after a failure.
#include "Artefacts.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestRun.h"
#include "gmock/gmock.h"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <sstream>

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

std::string bytesOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> namesIn(const std::filesystem::path &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

/// The dynamic symbols that an ELF file expects from elsewhere.
std::vector<std::string> undefinedSymbols(const std::string &elf) {
  auto at = [&](auto *value, uint64_t offset) {
    std::memcpy(value, elf.data() + offset, sizeof(*value));
  };
  Elf64_Ehdr header;
  at(&header, 0);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i) {
    at(&sections[i], header.e_shoff + i * header.e_shentsize);
  }
  std::vector<std::string> names;
  for (const Elf64_Shdr &section : sections) {
    for (uint64_t i = 1; section.sh_type == SHT_DYNSYM &&
                         i < section.sh_size / sizeof(Elf64_Sym);
         ++i) {
      Elf64_Sym symbol;
      at(&symbol, section.sh_offset + i * sizeof(symbol));
      if (symbol.st_shndx == SHN_UNDEF) {
        names.emplace_back(elf.data() + sections[section.sh_link].sh_offset +
                           symbol.st_name);
      }
    }
  }
  return names;
}

using Names = std::vector<std::string>;

class Artefact : public Compiled {};
// lit has this of a model of bf16, and of one with a tokenizer
INSTANTIATE_TEST_SUITE_P(Models, Artefact,
                         over(isLongRun()
                                  ? Names{"doge-window", "doge-untied-bf16",
                                          "dynamic-window-9"}
                                  : Names{"doge-window"}),
                         caseName);

TEST_P(Artefact, IsTheSameBytesEveryTime) {
  std::string kind = std::get<1>(GetParam());
  TemporaryFolder folder;
  std::filesystem::path again = folder.path / "again.cheems";
  std::vector<std::string> words{checkpointFolder(name()), "-o", again};
  for (const std::string &flag : flagsFor(kind)) {
    words.push_back(flag);
  }
  Outcome outcome = compile(words);
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(bytesOf(again) == bytesOf(artefactOf(name(), kind)));
  EXPECT_THAT(namesIn(folder.path), ElementsAre("again.cheems"));
}

TEST_P(Artefact, CallsNothingButThePool) {
  std::string pipeline = std::get<1>(GetParam());
  std::string elf = bytesOf(artefactOf(name(), pipeline));
  std::vector<std::string> symbols = undefinedSymbols(elf);
#ifdef CHEEMS_ADDRESS_SANITIZER
  auto isSanitizers = [](const std::string &symbol) {
    return symbol.compare(0, 7, "__asan_") == 0;
  };
  symbols.erase(std::remove_if(symbols.begin(), symbols.end(), isSanitizers),
                symbols.end());
#endif
  if (pipeline == "scalar") {
    EXPECT_THAT(symbols, testing::Each("cheems_parallel_for"));
  } else {
    EXPECT_THAT(symbols, ElementsAre("cheems_parallel_for"));
  }
}

TEST(Emit, StagesArePrinted) {
  std::string model = checkpointFolder("doge-window");
  // the fast one's are those of test/Tools/emit.test
  for (const std::string &pipeline :
       isLongRun() ? Names{"fast", "scalar"} : Names{"scalar"}) {
    auto emit = [&](const std::string &stage) {
      Outcome outcome =
          compile({model, "--emit", stage, "--pipeline", pipeline, "-o", "-"});
      EXPECT_EQ(outcome.code, 0) << outcome.errors;
      return outcome.output;
    };
    EXPECT_THAT(emit("mlir"), HasSubstr("cheems.segmented_attention"));
    EXPECT_THAT(emit("llvm"),
                HasSubstr("define void @cheems_step_decode_avx2("));
    EXPECT_THAT(emit("obj"), StartsWith(ELFMAG));
  }
}

TEST(FailedCompile, LeavesNothing) {
  TemporaryFolder folder;
  std::filesystem::path model = folder.path / "model",
                        out = folder.path / "out";
  std::filesystem::create_directories(out);
  std::filesystem::copy(checkpointFolder("doge-window"), model);
  std::filesystem::path weights = model / "model.safetensors";
  std::filesystem::resize_file(weights,
                               std::filesystem::file_size(weights) / 2);
  Outcome outcome = compile({model, "-o", out / "model.cheems"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("model.safetensors"));
  EXPECT_THAT(namesIn(out), IsEmpty());
}

TEST(FailedCompile, LeavesTheOldArtefact) {
  TemporaryFolder folder;
  std::filesystem::path out = folder.path / "model.cheems";
  std::filesystem::copy_file(artefactOf("doge-window", "avx2"), out);
  std::filesystem::path broken = folder.path / "model";
  std::filesystem::copy(checkpointFolder("doge-window"), broken);
  std::ofstream(broken / "config.json") << "{\"model_type\": \"doge\"";
  EXPECT_EQ(compile({broken, "-o", out}).code, 1);
  EXPECT_TRUE(bytesOf(out) == bytesOf(artefactOf("doge-window", "avx2")));
  EXPECT_THAT(namesIn(folder.path),
              testing::UnorderedElementsAre("model", "model.cheems"));
}

} // namespace
