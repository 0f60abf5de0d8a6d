// docs/config.md and the code's list of fields say the same.
#include "lib/Import/Config.h"
#include "test/unit/Support/TestPaths.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <map>

using namespace cheems;

namespace {

/// Rows `| `name` | role | …` of the page.
std::map<std::string, std::string> documented() {
  auto page = llvm::MemoryBuffer::getFile(
      std::string(cheems::test_paths::sourceFolder) + "/docs/config.md");
  std::map<std::string, std::string> rows;
  if (!page) {
    ADD_FAILURE() << "docs/config.md: " << page.getError().message();
    return rows;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  (*page)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (!line.consume_front("| `")) {
      continue;
    }
    auto [name, rest] = line.split("` | ");
    auto [role, meaning] = rest.split(" | ");
    EXPECT_FALSE(meaning.trim(" |").empty()) << name.str();
    EXPECT_TRUE(rows.emplace(name.str(), role.str()).second)
        << name.str() << " has two rows";
  }
  return rows;
}

TEST(ConfigDoc, HasARowForEveryFieldWithItsRole) {
  std::map<std::string, std::string> rows = documented();
  for (const ConfigField &field : configFields()) {
    const char *role = field.role == FieldRole::Used       ? "used"
                       : field.role == FieldRole::Harmless ? "harmless"
                                                           : "refused";
    auto row = rows.find(field.name.str());
    ASSERT_NE(row, rows.end()) << field.name.str() << " is not documented";
    EXPECT_EQ(row->second, role) << field.name.str();
    rows.erase(row);
  }
  for (const auto &[name, role] : rows) {
    ADD_FAILURE() << name << " is documented as " << role
                  << ", but not known to the code";
  }
}

} // namespace
