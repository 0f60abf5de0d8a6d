// Every recorded operation is run by this binary, and none is missing.
#include "OpGolden.h"
#include <filesystem>
#include <set>

using namespace cheems::test;

TEST(OpGoldens, FolderHoldsTheFilesThatAreRun) {
  std::multiset<std::string> run, found;
  auto add = [&](const auto &files) {
    run.insert(std::begin(files), std::end(files));
  };
  add(attentionFiles);
  add(expertFiles);
  add(listedRotaryFiles);
  add(plainAttentionFiles);
  add(rotaryFiles);
  add(ssdFiles);
  for (const auto &entry :
       std::filesystem::directory_iterator(goldenPath("ops"))) {
    EXPECT_EQ(entry.path().extension(), ".safetensors") << entry.path();
    found.insert(entry.path().stem());
  }
  EXPECT_EQ(found, run);
  EXPECT_EQ(run.size(), 24u);
}
