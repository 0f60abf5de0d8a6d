// What is said of a folder of Hugging Face's cache that is no model folder.
#include "runtime/Process/HubFolder.h"
#include "test/unit/Support/TemporaryFolder.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace cheems;
namespace fs = std::filesystem;

namespace {

struct Hub : test::TemporaryFolder {
  void write(const fs::path &name, const std::string &text = "{}") const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  /// What is said of `folder`, after its name.
  std::string hint(const std::string &folder) const {
    std::string given = (path / folder).string(), said = hubFolderHint(given);
    return said.rfind(given, 0) == 0 ? said.substr(given.size()) : said;
  }
  std::string saying(const std::string &snapshot,
                     const std::string &more = "") const {
    return " is a folder of Hugging Face's cache, not a model folder; give " +
           (path / snapshot).string() + more;
  }
};

TEST(HubFolder, NamesTheSnapshotInAnyFolderAboveIt) {
  Hub hub;
  hub.write("hub/models--a--b/snapshots/12/config.json");
  fs::create_directories(hub.path / "hub/models--a--b/snapshots/34");
  std::string wanted = hub.saying("hub/models--a--b/snapshots/12");
  for (const char *given :
       {"hub", "hub/", "hub/models--a--b", "hub/models--a--b/",
        "hub/models--a--b/snapshots", "hub/models--a--b/snapshots/", ""}) {
    EXPECT_EQ(hub.hint(given), wanted) << given;
  }
}

TEST(HubFolder, NamesTheOneOfTheBranchMainFirst) {
  Hub hub;
  for (const char *name : {"12", "34", "56"}) {
    hub.write(std::string("models--a/snapshots/") + name + "/config.json");
  }
  const char *others = ", or another of its 3 snapshots";
  EXPECT_EQ(hub.hint("models--a"),
            hub.saying("models--a/snapshots/12", others));
  hub.write("models--a/refs/main", "34");
  EXPECT_EQ(hub.hint("models--a"),
            hub.saying("models--a/snapshots/34", others));
  hub.write("models--a/refs/main", "../../../etc");
  EXPECT_EQ(hub.hint("models--a"),
            hub.saying("models--a/snapshots/12", others));
}

TEST(HubFolder, WaitsForNoPipe) {
  Hub hub;
  hub.write("models--a/snapshots/12/config.json");
  fs::create_directory(hub.path / "models--a/refs");
  ASSERT_EQ(mkfifo((hub.path / "models--a/refs/main").c_str(), 0600), 0);
  EXPECT_EQ(hub.hint("models--a"), hub.saying("models--a/snapshots/12"));
}

TEST(HubFolder, SaysWhereNothingIsDownloaded) {
  Hub hub;
  fs::create_directories(hub.path / "models--a/snapshots/12");
  EXPECT_EQ(hub.hint("models--a"),
            " is a folder of Hugging Face's cache, not a model folder; "
            "download the model: no snapshot in it has a config.json");
}

TEST(HubFolder, IsSilentOfAllElse) {
  Hub hub;
  hub.write("models--a/snapshots/12/config.json");
  EXPECT_EQ(hub.hint("models--a/snapshots/12"), "");
  hub.write("config.json");
  EXPECT_EQ(hub.hint(""), "");
  EXPECT_EQ(hub.hint("no/such/folder"), "");
  hub.write("other/file");
  EXPECT_EQ(hub.hint("other"), "");
  EXPECT_EQ(hub.hint("other/file"), "");
}

} // namespace
