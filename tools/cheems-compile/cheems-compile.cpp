// cheems-compile: a model folder in, one artefact out.
#include "PassOptions.h"
#include "TextCheck.h"
#include "cheems/Compiler/CPUBackend.h"
#include "cheems/Compiler/CUDABackend.h"
#include "cheems/Import/Checkpoint.h"
#include "runtime/Process/CachePlace.h"
#include "runtime/Process/FileFault.h"
#include "runtime/Process/HubFolder.h"
#include "runtime/Process/Output.h"
#include "runtime/Process/StandardFiles.h"
#include "tools/Support/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <new>
#include <unistd.h>

namespace {

using cheems::Status;

/// One line on standard error.
void say(const std::string &text) {
  cheems::printMessage("cheems-compile: " + text);
}

/// What the compiler maps of a model folder.
void watchFiles(const std::string &folder) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator it(folder, ignored), end; it != end;
       it.increment(ignored)) {
    cheems::fault::watch(it->path().string());
  }
}

/// A line that is rewritten in place, on a terminal, once a compile has taken a
/// second.
class ProgressLine {
public:
  void show(llvm::StringRef stage, double fraction) {
    auto now = std::chrono::steady_clock::now();
    if (!terminal || now - begin < std::chrono::seconds(1) ||
        now - last < std::chrono::milliseconds(100)) {
      return;
    }
    last = now;
    std::fprintf(stderr, "\r\033[K%s %3.0f%%", stage.str().c_str(),
                 fraction * 100);
    shown = true;
  }
  void clear() {
    if (shown) {
      std::fputs("\r\033[K", stderr);
      shown = false;
    }
  }

private:
  bool terminal = isatty(STDERR_FILENO), shown = false;
  std::chrono::steady_clock::time_point begin =
                                            std::chrono::steady_clock::now(),
                                        last{};
};

/// Whether whoever read standard output has left.
bool readerLeft(const llvm::Error &failed) {
  bool left = false;
  llvm::visitErrors(failed, [&](const llvm::ErrorInfoBase &each) {
    left |= each.convertToErrorCode() == std::errc::broken_pipe;
  });
  return left;
}

int run(const cheems::CompileOptions &options,
        const cheems::BackendRegistry &backends) {
  if (std::string hint = cheems::hubFolderHint(options.model); !hint.empty()) {
    throw cheems::Error(Status::failed, hint);
  }
  watchFiles(options.model);
  ProgressLine line;
  llvm::Error failed = cheems::compile(
      options, backends,
      [&](llvm::StringRef stage, double fraction) {
        line.show(stage, fraction);
      },
      [&](llvm::StringRef warning) {
        line.clear();
        cheems::printMessage("warning: " + warning.str());
      });
  line.clear();
  if (!failed) {
    return static_cast<int>(Status::ok);
  }
  if (readerLeft(failed)) {
    llvm::consumeError(std::move(failed));
    throw cheems::OutputClosed();
  }
  Status status = failed.isA<cheems::UnsupportedError>() ? Status::unsupported
                                                         : Status::failed;
  throw cheems::Error(status, llvm::toString(std::move(failed)));
}

/// Where machine code of cards is kept; empty where none is made.
std::string cubinFolder(const std::string &emit,
                        const std::vector<std::string> &targets) {
  if (emit != "cubin" &&
      (emit != "artefact" || !llvm::is_contained(targets, "cuda"))) {
    return "";
  }
  std::string cache = cheems::standardCache();
  cheems::prepareCache(cache);
  return cache + "/cubins";
}

cheems::BackendRegistry loadBackends(const std::vector<std::string> &plugins,
                                     const std::string &cubins) {
  cheems::BackendRegistry backends;
  backends.add(cheems::createCPUBackend());
  backends.add(cheems::createCUDABackend(cubins));
  for (const std::string &file : plugins) {
    if (llvm::Error failed = cheems::loadBackend(file, backends)) {
      throw cheems::Error(Status::failed, llvm::toString(std::move(failed)));
    }
  }
  return backends;
}

/// What --emit says: names that every target has, or a stage of the first one.
void setStage(cheems::CompileOptions &options, const std::string &name,
              const cheems::BackendRegistry &backends) {
  static const std::map<std::string, cheems::Emit> ofAll{
      {"artefact", cheems::Emit::Artefact},
      {"mlir", cheems::Emit::MLIR},
      {"llvm", cheems::Emit::LLVM},
      {"obj", cheems::Emit::Object}};
  if (auto found = ofAll.find(name); found != ofAll.end()) {
    options.emit = found->second;
    return;
  }
  options.emit = cheems::Emit::Stage;
  options.stage = name;
  const cheems::Backend *backend = options.targets.empty()
                                       ? nullptr
                                       : backends.find(options.targets.front());
  if (!backend) {
    return; // which is said, too
  }
  if (llvm::Error failed = backend->check(options)) {
    llvm::consumeError(std::move(failed)); // and so is this
    return;
  }
  std::vector<std::string> names;
  for (const cheems::BackendStage &stage : backend->pipeline(options)) {
    names.push_back(stage.name);
  }
  llvm::append_range(names, backend->texts());
  if (llvm::is_contained(names, name)) {
    return;
  }
  std::string known = "artefact, mlir, " + llvm::join(names, ", ") + ", ";
  throw cheems::usage("--emit takes no stage '" + name + "'; known: " + known +
                      "llvm, obj");
}

int runCommandLine(int argc, char **argv) {
  CLI::App app{
      "Compiles a model folder of Cheems or Doge (config.json, "
      "model.safetensors, tokenizer.json) into one file for cheems-run.",
      "cheems-compile"};
  app.set_version_flag("--version", cheems::compilerVersion());
  cheems::CompileOptions options;
  app.add_option("MODEL_DIR,-m,--model", options.model, "model folder")
      ->required();
  app.add_option(
         "-o,--output", options.output,
         "file to write (- is standard output, if --emit names a stage)")
      ->required();
  app.add_option("--target", options.targets,
                 "targets to compile for, with commas between: cpu, cuda")
      ->delimiter(',')
      ->allow_extra_args(false) // what follows may be the folder
      ->type_name("NAME[,NAME]");
  std::vector<std::string> plugins, backendOptions;
  app.add_option("--load-backend", plugins,
                 "shared library with a further target, for --target; it is "
                 "code and runs with your rights")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--backend-option", backendOptions,
                 "option of a target, as its plugin says")
      ->type_name("NAME.OPTION=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  auto *cpu = app.add_option(
      "--cpu", options.cpu,
      "portable (the default): x86-64-v3 and better, the best code "
      "is chosen when the file is opened; native: this machine; a "
      "CPU name: x86-64-v3, x86-64-v4, sapphirerapids, ...; or one "
      "variant: avx2, avxvnni, avx512, avx512vnni, avx512bf16, amx");
  auto *cards =
      app.add_option("--cuda-arch", options.cudaArchitectures,
                     "cards that the target cuda makes code for, with commas "
                     "between: sm_80, sm_90a (the default is both); --emit "
                     "shows the first");
  cards->delimiter(',')->allow_extra_args(false)->type_name("ARCH[,ARCH]");
  std::string weights = "stored";
  app.add_option(
         "--weights", weights,
         "type of matrices: stored (the default), f32, bf16, f16 (for the "
         "target cuda alone), or rounded to codes and scales: int8, int4 (the "
         "output head and experts "
         "then have 8 bits; the embedding, the norms and what chooses "
         "keys or experts stay as stored)")
      ->check(CLI::IsMember({"stored", "f32", "bf16", "f16", "int8", "int4"}));
  std::string state = "stored";
  app.add_option("--kv", state,
                 "type of keys and values while the model runs: stored (the "
                 "default: as the matrices of the model), or int8 with a "
                 "scale each")
      ->check(CLI::IsMember({"stored", "int8"}));
  int64_t context = 0;
  auto *contextOption =
      cheems::addNumber(app, "--max-context", context, 1, INT32_MAX,
                        "default context of cheems-run, in tokens");
  std::string pipeline = "fast";
  app.add_option("--pipeline", pipeline,
                 "fast (the default), or scalar: plain loops, for comparison")
      ->check(CLI::IsMember({"fast", "scalar"}));
  cheems::addNumber(
      app, "--group-experts", options.groupExperts, 0, 4096,
      "read the rows of experts once for this many tokens of a prompt, in "
      "the order of their ids; 0 (the default): token by token")
      ->type_name("ROWS");
  app.add_flag("--race-checks", options.raceChecks,
               "make code with the checks of ThreadSanitizer; only programs "
               "that are built with it can run this code");
  app.add_flag("--no-layers", options.noLayers,
               "accept a model without layers, with only an embedding and a "
               "head; for cheems-bench --ops");
  app.add_flag("--allow-links", options.allowLinks,
               "JSON files and the chat template may be links to files outside "
               "of the folder; programs show the template to others");
  std::string emit = "artefact";
  app.add_option("--emit", emit,
                 "artefact, or a stage before it: mlir (as imported), "
                 "expanded, fused, tiled, buffers, kernels, planned, loops, "
                 "outlined, llvm-dialect, llvm (IR), obj; of portable it is "
                 "the code for x86-64-v3, or for --cpu NAME that for NAME. For "
                 "the target cuda: mlir, rounded, tile, launches, nvvm, ptx, "
                 "cubin (machine code, by ptxas)")
      ->type_name("STAGE");
  app.footer("Options of MLIR for passes print to standard error. They are "
             "given as one word: --mlir-print-ir-after-all, "
             "--mlir-print-ir-after=PASS, --mlir-print-ir-before=PASS, "
             "--mlir-print-ir-after-change, --mlir-timing, "
             "--mlir-print-debuginfo, and others that "
             "cheems-opt --help lists. With --emit STAGE there is one kind of "
             "code; else kinds come one after the other.");
  std::vector<char *> words(argv, argv + argc);
  options.watchPasses = cheems::takePassOptions(words);
  if (!cheems::parse(app, static_cast<int>(words.size()), words.data())) {
    return static_cast<int>(Status::ok);
  }
  if (emit == "artefact" && options.output == "-") {
    throw cheems::usage("an artefact needs a file name, not -");
  }
  if (*cards && !llvm::is_contained(options.targets, "cuda")) {
    throw cheems::usage("--cuda-arch is for --target cuda; give that, too, or "
                        "drop --cuda-arch");
  }
  // A target of a plugin may read it.
  if (*cpu && options.targets == std::vector<std::string>{"cuda"}) {
    throw cheems::usage("--cpu is for the target cpu; name that, too, or drop "
                        "--cpu");
  }
  if (pipeline == "scalar" && options.groupExperts > 0) {
    throw cheems::usage("--pipeline scalar takes experts token by token: drop "
                        "--group-experts");
  }
  if (*contextOption) {
    options.maxContext = context;
  }
  options.weights = weights == "f32"    ? cheems::WeightFormat::F32
                    : weights == "bf16" ? cheems::WeightFormat::BF16
                    : weights == "f16"  ? cheems::WeightFormat::F16
                    : weights == "int8" ? cheems::WeightFormat::Int8
                    : weights == "int4" ? cheems::WeightFormat::Int4
                                        : cheems::WeightFormat::Stored;
  options.state =
      state == "int8" ? cheems::StateFormat::Int8 : cheems::StateFormat::Stored;
  options.scalar = pipeline == "scalar";
  options.checkTexts = [folder = options.model](const auto &checkpoint,
                                                auto warn) {
    return cheems::checkTexts(folder, checkpoint, warn);
  };
  for (const std::string &each : backendOptions) {
    size_t end = each.find('=');
    if (end == std::string::npos) {
      throw cheems::usage("--backend-option takes NAME.OPTION=VALUE, not " +
                          each);
    }
    options.backendOptions[each.substr(0, end)] = each.substr(end + 1);
  }
  cheems::BackendRegistry backends =
      loadBackends(plugins, cubinFolder(emit, options.targets));
  setStage(options, emit, backends);
  return run(options, backends);
}

} // namespace

int main(int argc, char **argv) {
  cheems::holdStandardFiles();
  std::signal(SIGPIPE, SIG_IGN); // a write tells, too
  cheems::fault::install("cheems-compile");
  try {
    return runCommandLine(argc, argv);
  } catch (const cheems::OutputClosed &) {
    return static_cast<int>(Status::ok);
  } catch (const cheems::Error &error) {
    say(error.what());
    return static_cast<int>(error.status);
  } catch (const std::bad_alloc &) {
    say("out of memory");
  } catch (const std::exception &error) {
    say(error.what());
  }
  return static_cast<int>(Status::failed);
}
