// Weights in several files.
#include "lib/Import/WeightFiles.h"
#include "test/unit/Import/ModelFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

constexpr const char *first = "model-00001-of-00002.safetensors";
constexpr const char *second = "model-00002-of-00002.safetensors";

/// Splits the model's tensors over two files; `weightMap` may be changed before
/// writing.
struct ShardedFolder : ModelFolder {
  ShardedFolder() { split(); }
  void split() {
    one.clear();
    two.clear();
    weightMap = {};
    bool odd = false;
    for (const auto &[name, tensor] : tensors) {
      odd = !odd;
      (odd ? one : two)[name] = tensor;
      weightMap[name] = odd ? first : second;
    }
  }
  Opened writeShardsAndOpen() const {
    write("config.json",
          llvm::formatv("{0}", llvm::json::Value(llvm::json::Object(config)))
              .str());
    write(first, safeTensorsBytes(one));
    write(second, safeTensorsBytes(two));
    llvm::json::Object index{
        {"metadata", llvm::json::Object{{"total_size", 1}}},
        {"weight_map", llvm::json::Object(weightMap)}};
    write("model.safetensors.index.json",
          llvm::formatv("{0}", llvm::json::Value(std::move(index))).str());
    return open();
  }
  TensorMap one, two;
  llvm::json::Object weightMap;
};

TEST(Shards, OfFilesWithoutAnIndexOneIsNamed) {
  ShardedFolder folder;
  folder.writeShardsAndOpen();
  (void)llvm::sys::fs::remove(folder.path + "/model.safetensors.index.json");
  EXPECT_THAT(folder.open().error,
              testing::AllOf(HasSubstr(std::string("/") + first + ": neither "),
                             HasSubstr("download the index")));
  (void)llvm::sys::fs::remove(folder.path + "/" + second);
  EXPECT_THAT(folder.open().error, HasSubstr("rename it to model.safetensors"));
  folder.write("adapter_config.json", "{}");
  EXPECT_THAT(folder.open().error, HasSubstr("weights of an adapter"));
}

TEST(Shards, GiveTheSameTensorsAsOneFile) {
  ModelFolder whole;
  ShardedFolder split;
  Opened a = whole.writeAndOpen(), b = split.writeShardsAndOpen();
  ASSERT_EQ(a.error, "");
  ASSERT_EQ(b.error, "");
  for (const auto &[name, tensor] : whole.tensors) {
    EXPECT_EQ(a.checkpoint->tensor(name).bytes,
              b.checkpoint->tensor(name).bytes)
        << name;
  }
}

TEST(Shards, MayHoldStatesAndExperts) {
  ShardedFolder folder;
  folder.makeCheems().addExperts(0).addExperts(1);
  folder.split();
  Opened opened = folder.writeShardsAndOpen();
  ASSERT_EQ(opened.error, "");
  const ModelDescription &model = opened.checkpoint->model();
  EXPECT_TRUE(model.layers[0].find<SSD>() && model.layers[1].find<Attention>());
  for (const std::string &name :
       {model.layers[0].find<SSD>()->a,
        model.layers[1].find<RetrievedExperts>()->keys}) {
    EXPECT_EQ(opened.checkpoint->tensor(name).bytes,
              llvm::arrayRefFromStringRef(folder.tensors[name].bytes))
        << name;
  }
  // a tensor that contradicts its layer is looked for in its own shard
  std::string a = "model.layers.1.ssd.A";
  folder.two[a] = patterned({4});
  folder.weightMap[a] = second;
  EXPECT_THAT(folder.writeShardsAndOpen().error,
              HasSubstr(std::string(second) + ": tensor '" + a + "'"));
}

TEST(Shards, SingleFileWinsOverAnIndex) {
  ShardedFolder folder;
  folder.writeShardsAndOpen();
  folder.write("model.safetensors", "");
  EXPECT_THAT(folder.open().error,
              HasSubstr("model.safetensors: not a safetensors file"));
}

TEST(Shards, MissingFileIsNamed) {
  ShardedFolder folder;
  folder.writeShardsAndOpen();
  ASSERT_FALSE(llvm::sys::fs::remove(folder.path + "/" + second));
  EXPECT_THAT(folder.open().error, HasSubstr(second));
}

TEST(Shards, TensorInAnotherShardThanTheIndexSays) {
  ShardedFolder folder;
  folder.weightMap["model.norm.weight"] =
      folder.weightMap.getString("model.norm.weight") == llvm::StringRef(first)
          ? second
          : first;
  std::string error = folder.writeShardsAndOpen().error;
  EXPECT_THAT(error, HasSubstr("'model.norm.weight' is missing"));
  EXPECT_THAT(error, HasSubstr("index.json"));
}

TEST(Shards, TensorThatTheIndexDoesNotList) {
  ShardedFolder folder;
  folder.weightMap.erase("model.norm.weight");
  EXPECT_THAT(folder.writeShardsAndOpen().error,
              HasSubstr("'model.norm.weight' is not listed"));
}

TEST(Shards, TensorStoredTwice) {
  ShardedFolder folder;
  folder.one["model.norm.weight"] = folder.two["model.norm.weight"] =
      patterned({16});
  EXPECT_THAT(folder.writeShardsAndOpen().error,
              HasSubstr("'model.norm.weight' is not listed for this file"));
}

TEST(Shards, NamesCannotLeaveTheFolder) {
  for (const char *name : {"../x.safetensors", "/etc/passwd",
                           "sub/x.safetensors", "..", ".", "", "a\\b"}) {
    ShardedFolder folder;
    folder.weightMap["model.norm.weight"] = name;
    std::string error = folder.writeShardsAndOpen().error;
    EXPECT_THAT(error, HasSubstr("model.norm.weight"));
    EXPECT_THAT(error, HasSubstr(std::string("'") + name + "'"));
    EXPECT_THAT(error, HasSubstr("not a plain file name"));
  }
  auto hidden =
      parseShardIndex(R"({"weight_map": {"a": "x\u0000/../y"}})", "i");
  ASSERT_FALSE(bool(hidden));
  EXPECT_THAT(llvm::toString(hidden.takeError()), HasSubstr("'x\\x00/../y'"));
}

TEST(Shards, BrokenIndexIsNamed) {
  for (const char *text :
       {"{", "[]", "{}", R"({"weight_map": {}})", R"({"weight_map": 3})",
        R"({"weight_map": {"a": 3}})",
        R"({"weight_map": {"a": "f", "a": "g"}})"}) {
    auto index = parseShardIndex(text, "model.safetensors.index.json");
    ASSERT_FALSE(bool(index)) << text;
    EXPECT_THAT(llvm::toString(index.takeError()),
                HasSubstr("model.safetensors.index.json: "))
        << text;
  }
}

} // namespace
