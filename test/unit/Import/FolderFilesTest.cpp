// Files of a model folder that are not plain files: links, pipes, folders,
// pointers of Git LFS.
#include "test/unit/Import/ModelFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace cheems;
using namespace cheems::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

namespace {

constexpr const char *texts[] = {"config.json", "generation_config.json",
                                 "tokenizer.json", "tokenizer_config.json",
                                 "chat_template.jinja"};

/// A place with a sound model in the folder `inner` of it.
struct Place : ModelFolder {
  explicit Place(const std::string &inner = "model")
      : root(path), folder(root / inner) {
    write();
    fs::create_directories(folder);
    for (const char *name : {"config.json", "model.safetensors"}) {
      fs::rename(root / name, folder / name);
    }
    path = folder.string();
  }
  ~Place() { path = root.string(); }
  void link(const fs::path &target, const fs::path &name) const {
    fs::remove(folder / name);
    fs::create_symlink(target, folder / name);
  }
  std::string error() const { return open().error; }
  /// Moves a file to `target`, and puts a link in its place.
  void moveAndLink(const char *name, const fs::path &target) const {
    fs::create_directories(target.parent_path());
    fs::rename(folder / name, target);
    fs::create_symlink(target.lexically_relative(folder), folder / name);
  }
  fs::path root, folder;
};

TEST(FolderFiles, ALinkToNothingIsNoAbsentFile) {
  for (const char *name : texts) {
    Place place;
    place.link("../gone", name);
    EXPECT_EQ(place.error(), place.path + "/" + name +
                                 ": a link to '../gone', which is not there");
  }
  for (const char *name :
       {"model.safetensors", "model.safetensors.index.json"}) {
    Place place;
    fs::remove(place.folder / "model.safetensors");
    place.link("../../blobs/0123", name);
    EXPECT_THAT(place.error(),
                AllOf(HasSubstr(name), HasSubstr("'../../blobs/0123'")));
  }
}

TEST(FolderFiles, WhatIsNoFileIsNoAbsentFile) {
  for (const char *name : texts) {
    Place place;
    fs::remove(place.folder / name);
    fs::create_directory(place.folder / name);
    EXPECT_EQ(place.error(), place.path + "/" + name + ": not a regular file");
    fs::remove(place.folder / name);
    ASSERT_EQ(mkfifo((place.folder / name).c_str(), 0600), 0);
    EXPECT_EQ(place.error(), place.path + "/" + name + ": not a regular file");
    place.link(name, name); // a circle
    EXPECT_THAT(place.error(),
                HasSubstr(std::string("/") + name + ": Too many"));
    place.link("/dev/null", name);
    EXPECT_EQ(place.error(), place.path + "/" + name + ": not a regular file");
    place.link("config.json/x", name);
    EXPECT_THAT(place.error(), HasSubstr(std::string("/") + name + ": "));
  }
}

TEST(FolderFiles, TextsFromElsewhereNeedAWord) {
  for (const char *name : texts) {
    Place place;
    if (!fs::exists(place.folder / name)) {
      place.write(name, "{}");
    }
    place.moveAndLink(name, place.root / "elsewhere" / "file");
    EXPECT_EQ(place.error(),
              place.path + "/" + name + ": a link to '" +
                  fs::canonical(place.root / "elsewhere" / "file").string() +
                  "', which is outside of the model folder; put a copy of the "
                  "file there, or give --allow-links");
    CheckpointOptions options;
    options.allowLinks = true;
    auto allowed =
        Checkpoint::open(place.path, [](llvm::StringRef) {}, options);
    EXPECT_TRUE(bool(allowed)) << llvm::toString(allowed.takeError());
  }
}

TEST(FolderFiles, NoWayOutOfTheFolderGoesUnseen) {
  Place place;
  fs::create_directory(place.root / "model-of-others");
  std::ofstream(place.root / "model-of-others" / "secret") << "{}";
  std::ofstream(place.root / "secret") << "{}";
  for (const char *target :
       {"../secret", "../model-of-others/secret", // begins with the name
        "inside", "up/secret", "./up/./secret"}) {
    fs::remove(place.folder / "inside");
    fs::create_symlink("up/secret", place.folder / "inside");
    fs::remove(place.folder / "up");
    fs::create_symlink("..", place.folder / "up");
    place.link(target, "chat_template.jinja");
    EXPECT_THAT(place.error(), HasSubstr("outside of the model folder"))
        << target;
  }
}

TEST(FolderFiles, AFolderInTheFolderIsNoWayOutEither) {
  const std::string name = "additional_chat_templates/tool_use.jinja";
  Place place;
  fs::create_directory(place.folder / "additional_chat_templates");
  place.write(name, "{{ tools }}");
  Opened opened = place.open();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->toolUseTemplate, "{{ tools }}");
  fs::create_directory(place.root / "elsewhere");
  place.moveAndLink("additional_chat_templates",
                    place.root / "elsewhere" / "templates");
  EXPECT_THAT(place.error(), AllOf(HasSubstr(name), HasSubstr("a link to '"),
                                   HasSubstr("outside of the model folder")));
  place.link("../gone", "additional_chat_templates");
  EXPECT_EQ(place.error(), place.path + "/additional_chat_templates: a link to "
                                        "'../gone', which is not there");
}

TEST(FolderFiles, LinksInsideOfTheFolderAreFollowed) {
  Place place;
  fs::create_directory(place.folder / "texts");
  place.write("texts/one", "{{ one }}");
  place.link("../model/./texts/one", "chat_template.jinja");
  Opened opened = place.open();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->chatTemplate, "{{ one }}");
  // the folder may be a link itself, and named in a roundabout way
  fs::create_symlink("model", place.root / "link");
  place.path = (place.root / "model/../link").string();
  EXPECT_EQ(place.error(), "");
}

TEST(FolderFiles, WeightsMayBeAnywhere) {
  Place place;
  place.moveAndLink("model.safetensors", place.root / "disk/weights");
  EXPECT_EQ(place.error(), "");
}

TEST(FolderFiles, TheBlobsOfHuggingFacesCacheAreInside) {
  for (const char *inner : {"snapshots/0123", "snapshots/0123/sub/folder"}) {
    Place place(inner);
    place.moveAndLink("model.safetensors", place.root / "blobs/a");
    place.moveAndLink("config.json", place.root / "blobs/b");
    EXPECT_EQ(place.error(), "") << inner;
    // a blob that is a link itself leads on
    std::ofstream(place.root / "secret") << "{}";
    fs::create_symlink("../secret", place.root / "blobs/c");
    place.link(place.root / "blobs/c", "tokenizer_config.json");
    EXPECT_THAT(place.error(), HasSubstr("outside of the model folder"));
    fs::create_symlink("..", place.root / "blobs/d");
    place.link(place.root / "blobs/d/secret", "tokenizer_config.json");
    EXPECT_THAT(place.error(), HasSubstr("outside of the model folder"));
  }
  // what is beside them is not
  Place place("snapshots/0123");
  place.moveAndLink("config.json", place.root / "blobs-of-others/b");
  EXPECT_THAT(place.error(), HasSubstr("outside of the model folder"));
}

TEST(FolderFiles, APointerOfGitLfsIsNamed) {
  const char *pointer = "version https://git-lfs.github.com/spec/v1\noid "
                        "sha256:aaaa\nsize 123456\n";
  for (const char *name :
       {"config.json", "generation_config.json", "tokenizer.json",
        "tokenizer_config.json", "chat_template.jinja", "model.safetensors"}) {
    Place place;
    place.write(name, pointer);
    EXPECT_THAT(place.error(),
                AllOf(HasSubstr(std::string("/") + name + ": a pointer of Git"),
                      HasSubstr("git lfs pull"), Not(HasSubstr("\n"))));
  }
}

TEST(FolderFiles, AByteOrderMarkIsDropped) {
  const std::string mark = "\xEF\xBB\xBF";
  Place place;
  std::string config = place.open().checkpoint->configJson;
  place.write("config.json", mark + config);
  place.write("tokenizer.json", mark + "{}");
  place.write("chat_template.jinja", mark + "a" + mark);
  Opened opened = place.open();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->configJson, config);
  EXPECT_EQ(opened.checkpoint->tokenizerJson, "{}");
  EXPECT_EQ(opened.checkpoint->chatTemplate, "a" + mark);
}

} // namespace
