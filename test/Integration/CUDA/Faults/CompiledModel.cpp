#include "CompiledModel.h"
#include "runtime/Generation/ChildProcess.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestPaths.h"
#include <stdexcept>

namespace cheems::test {
namespace {

/// doge-tiny with such weights for such GPUs, in `folder`.
std::string compiledIn(const TemporaryFolder &folder, const char *weights,
                       const char *architectures) {
  std::string compiler =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() /
       "cheems-compile")
          .string();
  std::string output = (folder.path / "model.cheems").string();
  const std::string model = std::string(cheems::test_paths::sourceFolder) +
                            "/test/golden/models/doge-tiny";
  if (int code =
          runChild({compiler, model, "-o", output, "--target", "cuda",
                    "--cuda-arch", architectures, "--weights", weights})) {
    throw std::runtime_error("cheems-compile ended with " +
                             std::to_string(code));
  }
  return output;
}

} // namespace

const std::string &compiledModel() {
  static TemporaryFolder folder;
  static const std::string path = []() -> std::string {
    if (const char *made = std::getenv("COMPILED_MODEL")) {
      return made;
    }
    return compiledIn(folder, "stored", "sm_80,sm_90a");
  }();
  return path;
}

std::shared_ptr<const Model> openOnGPU() {
  return Model::open(compiledModel(), {DeviceChoice::parse("cuda")});
}

std::shared_ptr<const Model> openWithMaps() {
  static TemporaryFolder folder;
  static const std::string path = compiledIn(folder, "bf16", "sm_90a");
  return Model::open(path, {DeviceChoice::parse("cuda")});
}

} // namespace cheems::test
