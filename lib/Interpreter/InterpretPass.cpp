// cheems-interpret: a function of the module is run on tensors of files.
#include "StepTensors.h"
#include "cheems/Import/Checkpoint.h"
#include "cheems/Interpreter/Interpreter.h"
#include "cheems/Interpreter/Passes.h"
#include "llvm/Support/FileSystem.h"

namespace cheems::interpreter {
#define GEN_PASS_DEF_INTERPRETPASS
#include "cheems/Interpreter/Passes.h.inc"

using namespace mlir;

namespace {
/// Where weights come from: a model folder, a file, or nowhere.
class Weights {
public:
  llvm::Error open(StringRef path, WarningHandler warn) {
    if (path.empty()) {
      return llvm::Error::success();
    }
    if (llvm::sys::fs::is_regular_file(path)) {
      auto opened = SafeTensorsFile::open(path);
      if (!opened) {
        return opened.takeError();
      }
      file = std::move(*opened);
      return llvm::Error::success();
    }
    auto opened = Checkpoint::open(path, warn);
    if (!opened) {
      return opened.takeError();
    }
    checkpoint = std::move(*opened);
    return llvm::Error::success();
  }

  const TensorView *find(StringRef name) const {
    return checkpoint ? checkpoint->find(name)
           : file     ? file->find(name)
                      : nullptr;
  }

private:
  std::optional<Checkpoint> checkpoint;
  std::optional<SafeTensorsFile> file;
};

struct Interpret : impl::InterpretPassBase<Interpret> {
  using InterpretPassBase::InterpretPassBase;

  void runOnOperation() override {
    if (failed(interpret())) {
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }

  LogicalResult fail(llvm::Error failed) {
    return error() << llvm::toString(std::move(failed));
  }

  /// Without the module's text behind it.
  InFlightDiagnostic error() { return emitError(getOperation().getLoc()); }

  LogicalResult interpret() {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>(entry.getValue());
    if (!function) {
      return error() << "the module has no function '" << entry.getValue()
                     << "': name one as entry=NAME";
    }
    if (outputs.empty()) {
      return error()
             << "no file to write: name one as outputs=FILE.safetensors";
    }
    std::vector<SafeTensorsFile> files;
    for (const std::string &path : inputs) {
      auto file = SafeTensorsFile::open(path);
      if (!file) {
        return fail(file.takeError());
      }
      files.push_back(std::move(*file));
    }
    Weights stored;
    if (llvm::Error failed =
            stored.open(weights.getValue(), [&](StringRef warning) {
              emitWarning(module.getLoc()) << warning;
            })) {
      return fail(std::move(failed));
    }
    return run(function, files, stored);
  }

  LogicalResult run(func::FuncOp function, ArrayRef<SafeTensorsFile> files,
                    const Weights &stored) {
    auto arguments = readArguments(function, files);
    if (failed(arguments)) {
      return failure();
    }
    Interpreter interpreter(getOperation(),
                            [&](StringRef name) { return stored.find(name); });
    auto results = interpreter.call(function, *arguments);
    if (failed(results)) {
      return failure();
    }
    auto named = nameResults(function, *results);
    if (failed(named)) {
      return failure();
    }
    llvm::Error unwritten = writeTensors(outputs.getValue(), *named);
    return unwritten ? fail(std::move(unwritten)) : success();
  }
};
} // namespace

} // namespace cheems::interpreter
