// docs/config.md and the families' tables of fields say the same, word for
// word.
#include "lib/Import/Families/Family.h"
#include "test/unit/Support/TestPaths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>

using namespace cheems;
using testing::ElementsAreArray;

namespace {

using Rows = std::vector<std::string>;

/// Rows `| `name` | …` of the page, below the headings that they stand under.
std::map<std::string, Rows> documented() {
  auto page = llvm::MemoryBuffer::getFile(
      std::string(cheems::test_paths::sourceFolder) + "/docs/config.md");
  std::map<std::string, Rows> tables;
  if (!page) {
    ADD_FAILURE() << "docs/config.md: " << page.getError().message();
    return tables;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  (*page)->getBuffer().split(lines, '\n');
  std::string heading;
  for (llvm::StringRef line : lines) {
    if (line.consume_front("## ")) {
      heading = line.str();
    } else if (line.starts_with("| `")) {
      tables[heading].push_back(line.str());
    }
  }
  return tables;
}

Rows rowsOf(llvm::ArrayRef<ConfigField> fields) {
  Rows rows;
  for (const ConfigField &field : fields) {
    llvm::StringRef role = field.role == FieldRole::Used       ? "used"
                           : field.role == FieldRole::Harmless ? "harmless"
                                                               : "refused";
    rows.push_back(("| `" + field.name + "` | " + role + " | " + field.meaning +
                    " | " + field.otherwise +
                    (field.otherwise.empty() ? "|" : " |"))
                       .str());
  }
  return rows;
}

TEST(ConfigDoc, HasATableForEveryFamily) {
  std::map<std::string, Rows> tables = documented();
  EXPECT_THAT(tables["Every family"], ElementsAreArray(rowsOf(commonFields())));
  tables.erase("Every family");
  for (const Family *family : families()) {
    std::vector<ConfigField> own;
    for (llvm::ArrayRef<ConfigField> table : family->fields) {
      llvm::append_range(own, table);
    }
    EXPECT_THAT(tables[family->name.str()], ElementsAreArray(rowsOf(own)));
    tables.erase(family->name.str());
  }
  tables.erase("Families");
  for (const auto &[heading, rows] : tables) {
    ADD_FAILURE() << heading << " is no family that the code knows";
  }
}

TEST(ConfigDoc, ListsEveryFamilyWithItsTypes) {
  Rows rows = documented()["Families"];
  size_t next = 0;
  for (const Family *family : families()) {
    std::vector<llvm::StringRef> types, classes;
    for (const ModelKind &kind : family->kinds) {
      if (!llvm::is_contained(types, kind.modelType)) {
        types.push_back(kind.modelType);
        classes.push_back(kind.architecture);
      }
    }
    for (auto [type, name] : llvm::zip_equal(types, classes)) {
      ASSERT_LT(next, rows.size()) << type.str();
      EXPECT_EQ(rows[next],
                ("| `" + type + "` | `" + name + "` | [" + family->name +
                 "](#" + family->name.lower() + ") |")
                    .str());
      ++next;
    }
  }
  EXPECT_EQ(next, rows.size());
}

/// No table names a field twice, and none names one of every family.
TEST(ConfigDoc, EveryFieldHasOneRow) {
  for (const Family *family : families()) {
    std::map<std::string, int> rows;
    for (const ConfigField &field : fieldsOf(*family)) {
      EXPECT_EQ(++rows[field.name.str()], 1)
          << family->name.str() << ' ' << field.name.str();
    }
  }
}

} // namespace
