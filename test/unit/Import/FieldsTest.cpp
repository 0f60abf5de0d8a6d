// The roles of fields are true: what is used or refused is looked at, and what
// is harmless is not.
#include "lib/Import/Families/Family.h"
#include "test/unit/Import/LlamaFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::IsEmpty;

namespace {

using Change = llvm::function_ref<void(ModelFolder &)>;

/// Shows what comes of a change in each kind of model of a family.
void openAll(const Family &family, Change change,
             llvm::function_ref<void(const Opened &)> see) {
  auto open = [&](ModelFolder &folder) {
    change(folder);
    see(folder.writeAndOpen());
  };
  if (family.name == "Llama") {
    for (const char *type : kinTypes) {
      LlamaFolder folder(type);
      open(folder);
    }
    return;
  }
  ModelFolder folder;
  if (family.name == "Cheems") {
    open(folder.makeCheems());
    return;
  }
  open(folder);
  ModelFolder author;
  open(author.useAuthorNames());
}

/// Whether a value that the field cannot have is an error that names it, in
/// some kind of model of the family.
bool isLookedAt(const Family &family, llvm::StringRef field) {
  using Object = llvm::json::Object;
  llvm::StringRef inTable = field;
  bool ofTable = inTable.consume_front("rope_parameters.");
  const llvm::json::Value wrong[] = {Object{{"a", 1}}, "wrong", 0.5, true};
  for (const char *type : {"default", "dynamic", "linear", "llama3", "yarn"}) {
    for (const llvm::json::Value &value : wrong) {
      auto change = [&](ModelFolder &folder) {
        if (!ofTable) {
          folder.set(field, value);
          return;
        }
        Object table{{"rope_type", type},
                     {"factor", 2.0},
                     {"low_freq_factor", 1.0},
                     {"high_freq_factor", 4.0}};
        if (inTable == "type") { // the older name of the first
          table.erase("rope_type");
        }
        table[inTable] = value;
        folder.set("rope_parameters", std::move(table));
      };
      bool named = false;
      openAll(family, change, [&](const Opened &opened) {
        named |=
            llvm::StringRef(opened.error).contains(": " + field.str() + " ");
      });
      if (named) {
        return true;
      }
    }
  }
  return false;
}

TEST(Fields, WhatIsUsedOrRefusedIsLookedAt) {
  for (const Family *family : families()) {
    for (const ConfigField &field : fieldsOf(*family)) {
      // a class counts only where there is no model_type (RefusalTest)
      if (field.role != FieldRole::Harmless && field.name != "architectures") {
        EXPECT_TRUE(isLookedAt(*family, field.name))
            << family->name.str() << ' ' << field.name.str();
      }
    }
  }
}

TEST(Fields, WhatIsHarmlessMayHaveAnyValue) {
  for (const Family *family : families()) {
    for (const ConfigField &field : fieldsOf(*family)) {
      if (field.role != FieldRole::Harmless) {
        continue;
      }
      openAll(
          *family,
          [&](ModelFolder &folder) {
            folder.set(field.name, llvm::json::Object{{"a", 1}});
          },
          [&](const Opened &opened) {
            EXPECT_EQ(opened.error, "") << field.name.str();
            EXPECT_THAT(opened.warnings, IsEmpty()) << field.name.str();
          });
    }
  }
}

} // namespace
