// Which image of a file is chosen, by what the file has, what the machine has
// and what was asked for.
#include "DeviceArtifact.h"
#include "SoftwareGPU.h"
#include "runtime/Artifact/Model.h"
#include "test/unit/Support/TestPaths.h"
#include <fstream>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;

namespace {

/// A variable of the environment for as long as this lives.
struct Setting {
  Setting(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Setting() { unsetenv(name); }
  const char *name;
};

std::shared_ptr<const Model> open(const std::string &path,
                                  const std::string &device) {
  return Model::open(path, {DeviceChoice::parse(device)});
}

/// The device that is chosen, or why none is; the file's name is FILE.
std::string chosen(const FakeArtifact &artifact, const std::string &device) {
  TemporaryFile file(artifact.bytes());
  std::string text;
  try {
    return open(file.path(), device)->deviceName();
  } catch (const Error &error) {
    text = std::to_string(static_cast<int>(error.status)) + ": " + error.what();
  }
  if (size_t at = text.find(file.path()); at != std::string::npos) {
    text.replace(at, file.path().size(), "FILE");
  }
  return text;
}

/// A step then reads 4 MiB of each token before it: more than the launches of a
/// GPU could cost.
void growState(FakeArtifact &artifact) {
  artifact.metadata["state"][0]["shape"][2] = 1 << 20;
}

/// Files for a CPU, for it and for GPUs, and for GPUs alone.
struct Files {
  FakeArtifact host, both, gpus;
  Files() {
    addGPUs(both, {"sm_80", "sm_90a"});
    addGPUs(gpus, {"sm_80", "sm_90a"});
    removeCpu(gpus);
  }
};

class ModelDevice : public testing::Test, protected Files {
protected:
  void SetUp() override { useSoftwareGPU(); }
};

TEST_F(ModelDevice, theSoftwareGPUIsTakenOnlyWhereItIsAskedFor) {
  EXPECT_EQ(chosen(both, "auto"), "cpu");
  EXPECT_EQ(chosen(both, "cpu"), "cpu");
  EXPECT_EQ(chosen(both, "cuda"), "cuda:0");
  EXPECT_EQ(chosen(both, "cuda:0"), "cuda:0");
  EXPECT_EQ(chosen(gpus, "cuda"), "cuda:0");
  EXPECT_EQ(chosen(gpus, "auto"),
            "3: FILE: compiled for cuda only, and the only GPU here is the "
            "software GPU, which --device cuda takes; use --target cpu,cuda "
            "to compile it for the CPU, too");
}

TEST_F(ModelDevice, weightsThatTheCPUDoesNotTakeAreToBeCompiledAsOthers) {
  FakeArtifact halves = gpus;
  halves.metadata["weights"] = "f16";
  EXPECT_EQ(chosen(halves, "cpu"),
            "3: FILE: compiled for cuda only; use --target cpu,cuda and "
            "--weights bf16 to compile it for the CPU, too");
}

TEST_F(ModelDevice, aRealGPUIsTakenWhereTheFileHasCodeForIt) {
  Setting gpu("FAULTY_DRIVER_GPU", "NVIDIA Something");
  for (FakeArtifact *each : {&both, &host}) {
    growState(*each);
  }
  EXPECT_EQ(chosen(both, "auto"), "cuda:0");
  EXPECT_EQ(chosen(gpus, "auto"), "cuda:0");
  EXPECT_EQ(chosen(both, "cpu"), "cpu");
  EXPECT_EQ(chosen(host, "auto"), "cpu");
  FakeArtifact hopper, ampere;
  addGPUs(hopper, {"sm_90a"});
  addGPUs(ampere, {"sm_80"});
  for (FakeArtifact *each : {&hopper, &ampere}) {
    growState(*each);
  }
  {
    Setting capability("FAULTY_DRIVER_CAPABILITY", "86");
    EXPECT_EQ(chosen(hopper, "auto"), "cpu");
    EXPECT_EQ(chosen(ampere, "auto"), "cuda:0");
    EXPECT_EQ(chosen(hopper, "cuda"),
              "3: FILE: has code for sm_90a, which cuda:0 (NVIDIA Something, "
              "compute capability 8.6) does not run; use another --device");
  }
  Setting capability("FAULTY_DRIVER_CAPABILITY", "75");
  EXPECT_EQ(chosen(both, "auto"), "cpu");
  EXPECT_EQ(chosen(both, "cuda:0"),
            "3: FILE: has code for sm_80 and sm_90a, which cuda:0 (NVIDIA "
            "Something, compute capability 7.5) does not run; use another "
            "--device");
  EXPECT_EQ(chosen(gpus, "auto"),
            "3: FILE: compiled for cuda only, and no GPU here runs it: it has "
            "code for sm_80 and sm_90a, which cuda:0 (NVIDIA Something, "
            "compute capability 7.5) does not run; use another --device; use "
            "--target cpu,cuda to compile it for the CPU, too");
}

TEST_F(ModelDevice, aSmallModelStaysOnTheCPU) {
  Setting gpu("FAULTY_DRIVER_GPU", "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(chosen(both, "auto"), "cpu");
  EXPECT_EQ(chosen(both, "cuda"), "cuda:0");
  EXPECT_EQ(chosen(gpus, "auto"), "cuda:0");
}

TEST_F(ModelDevice, whatTheFileOrTheMachineLacksIsToldInOneLine) {
  EXPECT_EQ(chosen(gpus, "cpu"),
            "3: FILE: compiled for cuda only; use --target cpu,cuda to "
            "compile it for the CPU, too");
  EXPECT_EQ(chosen(host, "cuda"),
            "3: FILE: compiled for cpu only; use --target cpu,cuda to compile "
            "it for GPUs, too");
  EXPECT_EQ(chosen(both, "cuda:1"),
            "3: there is no GPU cuda:1: the CUDA driver finds 1, counted from "
            "0; see --list-devices");
}

TEST_F(ModelDevice, theImageIsReadStrictlyWhereItIsChosen) {
  nlohmann::json &image = both.metadata["images"][1];
  image["decode_rows"] = 0;
  EXPECT_EQ(chosen(both, "cpu"), "cpu");
  EXPECT_EQ(chosen(both, "cuda"),
            "1: FILE: corrupted: metadata field 'images[1].decode_rows' is "
            "not a whole number between 1 and 2147483647; compile the model "
            "again");
  image["decode_rows"] = 8;
  image["cards"][1]["ptx"] = {1, both.texts.back().second.size()};
  EXPECT_EQ(chosen(both, "cuda"),
            "1: FILE: corrupted: metadata field 'images[1].cards[1].ptx' "
            "reaches outside its section; compile the model again");
}

TEST_F(ModelDevice, theVariantIsWhatTheImageSays) {
  TemporaryFile file(both.bytes());
  auto model = open(file.path(), "cuda");
  EXPECT_EQ(model->device(), 0);
  ASSERT_NE(model->gpu(), nullptr);
  EXPECT_TRUE(model->gpu()->software);
  EXPECT_EQ(model->variant().name, "cuda");
  EXPECT_EQ(model->variant().decodeRows, 8);
  EXPECT_EQ(model->variant().prefill, 128);
  EXPECT_EQ(model->cudaCode().gpus.size(), 2U);
  auto description = nlohmann::json::parse(model->describe());
  EXPECT_EQ(description["file"]["device"], "cuda:0");
  model = open(file.path(), "cpu");
  EXPECT_EQ(model->device(), -1);
  EXPECT_EQ(model->gpu(), nullptr);
  EXPECT_EQ(model->variant().name, "only");
  EXPECT_EQ(model->cudaCode().gpus.size(), 0U);
  description = nlohmann::json::parse(model->describe());
  EXPECT_EQ(description["file"]["device"], "cpu");
}

bool isLoaded(const std::string &library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(library) != std::string::npos) {
      return true;
    }
  }
  return false;
}

/// Runs in a process that has opened no driver.
[[noreturn]] void openWithoutADriver() {
  Files files;
  setenv("CHEEMS_CUDA_DRIVER", cheems::test_paths::faultyDriver, 1);
  setenv("FAULTY_DRIVER_BEHIND", cheems::test_paths::softwareGPU, 1);
  bool good = chosen(files.host, "auto") == "cpu" &&
              chosen(files.host, "cpu") == "cpu" &&
              chosen(files.both, "cpu") == "cpu" &&
              !isLoaded(cheems::test_paths::faultyDriver);
  good = good && chosen(files.both, "auto") == "cpu" &&
         isLoaded(cheems::test_paths::faultyDriver);
  _exit(good ? 0 : 1);
}

[[noreturn]] void openWithABrokenDriver() {
  Files files;
  setenv("CHEEMS_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  if (chosen(files.both, "auto") != "cpu") {
    _exit(1);
  }
  std::fprintf(stderr, "%s\n%s\n", chosen(files.both, "cuda").c_str(),
               chosen(files.gpus, "auto").c_str());
  _exit(0);
}

TEST(ModelDeviceDeathTest, aDriverIsOpenedOnlyWhereAFileMayNeedIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(openWithoutADriver(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(openWithABrokenDriver(), testing::ExitedWithCode(0),
              "^3: cannot load /nowhere/libcuda.so, which CHEEMS_CUDA_DRIVER "
              "names: [^\n]*\n"
              "3: FILE: compiled for cuda only, and no GPU can be used: cannot "
              "load /nowhere/libcuda.so, [^\n]*; use --target cpu,cuda to "
              "compile it for the CPU, too\n$");
}

} // namespace
