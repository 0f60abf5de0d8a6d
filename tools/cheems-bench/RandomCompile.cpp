#include "RandomCompile.h"
#include "Compile.h"
#include "Operation.h"
#include "OperationTest.h"
#include "Ops.h"
#include "Room.h"
#include "runtime/Error.h"
#include <filesystem>

namespace cheems::bench {

namespace {

constexpr double muchOfADisk = 1 << 30; // bytes

/// "FOLDER/attention-8x128-bf16-cuda.cheems": one file for all that is compiled
/// alike.
std::string keptFile(const RandomCompile &what, const Options &options) {
  std::string name = what.file + "-" + what.weights;
  if (options.groupExperts > 0) {
    name += "-group" + std::to_string(options.groupExperts);
  }
  bool gpu = options.device.kind == DeviceChoice::Kind::cuda;
  name += "-" + (gpu ? "cuda" : variantToRun().back());
  return options.compiledFolder + "/" + name + ".cheems";
}

void compileRandom(const RandomCompile &what, const std::string &output,
                   const std::string &folder, const Options &options,
                   const Tell &tell, const Tell &announce) {
  // Quantized values are made of what is stored in few bytes.
  bool brain = what.weights != "f32";
  double bytes = what.model.bytes(brain);
  checkRoom(what.name, folder, bytes, what.stateBytes);
  if (bytes > muchOfADisk) {
    announce(what.name + ": " + gibibytes(bytes) + " of random weights go to " +
             folder + ", and compiling needs as much again");
  }
  tell("writing " + gibibytes(bytes) + " of random weights to " + folder);
  writeModel(folder, what.model, brain);
  tell("compiling it");
  std::vector<std::string> flags = targetToRun(options.device);
  flags.insert(flags.end(), what.flags.begin(), what.flags.end());
  compileModel(folder, output, flags);
  std::filesystem::remove(folder + "/model.safetensors");
}

} // namespace

LoadedModel makeRandom(const RandomCompile &what, const Options &options,
                       int threads, const Tell &tell, const Tell &announce) {
  TemporaryFolder folder; // the model stays mapped when its file is gone
  std::string output = options.compiledFolder.empty()
                           ? folder.path() + "/operation.cheems"
                           : keptFile(what, options);
  if (!std::filesystem::exists(output)) {
    compileRandom(what, output, folder.path(), options, tell, announce);
  }
  LoadedModel loaded = loadModel(output, what.kind, threads, 0, {}, say,
                                 deviceToRun(options.device));
  loaded.facts.path.clear();
  return loaded;
}

void compileOperations(const Options &options) {
  auto compile = [&](const RandomCompile &what) {
    std::string output = keptFile(what, options);
    if (!std::filesystem::exists(output)) {
      TemporaryFolder folder;
      compileRandom(
          what, output, folder.path(), options, [](const std::string &) {},
          say);
    }
  };
  for (const MatmulShape &shape : options.shapes) {
    compile(matmulToCompile(shape, options.weights));
  }
  for (const OperationPointer &operation : options.operations) {
    compile(operationToCompile(*operation, operation->rows, options));
  }
}

} // namespace cheems::bench
