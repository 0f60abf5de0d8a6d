// cheems-compile: a model folder in, one artefact out.
#include "Options.h"
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

/// Returns where machine code of GPUs is kept; empty where none is made.
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
  cheems::CommandLineOptions line;
  if (!line.read(argc, argv)) {
    return static_cast<int>(Status::ok);
  }
  cheems::BackendRegistry backends =
      loadBackends(line.plugins, cubinFolder(line.emit, line.compile.targets));
  line.setBackendOptions(backends);
  setStage(line.compile, line.emit, backends);
  return run(line.compile, backends);
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
