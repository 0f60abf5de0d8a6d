// cheems-interpret: a function of the module is run on tensors of files.
#include "Elements.h"
#include "Follow.h"
#include "StepTensors.h"
#include "cheems/Import/Checkpoint.h"
#include "cheems/Interpreter/Interpreter.h"
#include "cheems/Interpreter/Passes.h"
#include "llvm/Support/FileSystem.h"

namespace cheems::interpreter {
#define GEN_PASS_DEF_INTERPRETPASS
#include "cheems/Interpreter/Passes.h.inc"

using namespace mlir;

/// After the name of what an op chose.
static constexpr const char *kLoss = ".loss";

namespace {
/// Says where weights come from: a model folder, a file, or nowhere.
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
    CheckpointOptions options;
    options.allowLinks = true; // its texts are not used
    auto opened = Checkpoint::open(path, warn, options);
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

  /// Without the module's text after it.
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

  LogicalResult readChoices(Choices &into) {
    if (choices.empty()) {
      return success();
    }
    auto file = SafeTensorsFile::open(choices.getValue());
    if (!file) {
      return fail(file.takeError());
    }
    for (const TensorView &view : file->tensors()) {
      if (!StringRef(view.name).ends_with(kLoss)) { // what is written beside it
        into.given.emplace(view.name, Tensor::from(view));
      }
    }
    return success();
  }

  /// Also checks that what was given has been asked for.
  LogicalResult writeChoices(const Choices &noted) {
    std::vector<NamedTensor> made;
    for (const Choice &each : noted.made) {
      DType type = each.isOfExperts() ? DType::I32 : DType::F64;
      made.push_back({each.name, type, each.chosen});
      made.push_back({each.name + kLoss, DType::F64, each.loss});
    }
    for (const auto &[name, tensor] : noted.given) {
      if (llvm::none_of(noted.made, [&name = name](const Choice &each) {
            return each.name == name;
          })) {
        return error() << "choices: tensor '" << name << "' is nothing that @"
                       << entry << " chooses";
      }
    }
    if (chosen.empty()) {
      return success();
    }
    llvm::Error unwritten = writeTensors(chosen.getValue(), made);
    return unwritten ? fail(std::move(unwritten)) : success();
  }

  /// Sets what is given to what another computation chose, as its logits say.
  LogicalResult followLogits(func::FuncOp function,
                             ArrayRef<RuntimeValue> arguments,
                             const StoredWeights &weights, Choices &into) {
    auto file = SafeTensorsFile::open(follow.getValue());
    if (!file) {
      return fail(file.takeError());
    }
    const TensorView *view = file->find("logits");
    if (!view) {
      return error() << follow << " has no tensor 'logits' to follow";
    }
    Tensor logits = Tensor::from(*view);
    auto found = interpreter::follow(
        {logits, within, reach}, [&](Choices &noted) -> FailureOr<Tensor> {
          Interpreter interpreter(getOperation(), weights);
          interpreter.choices = &noted;
          auto results = interpreter.call(function, arguments);
          if (failed(results)) {
            return failure();
          }
          const Tensor &own = results->front().tensor();
          if (own.data.size() != logits.data.size() ||
              own.shape.back() != logits.shape.back()) {
            error() << follow << " has other logits than those of @" << entry
                    << ": " << shapeText(logits.shape) << ", not "
                    << shapeText(own.shape);
            return failure();
          }
          return own;
        });
    if (failed(found)) {
      return failure();
    }
    into.given = std::move(*found);
    return success();
  }

  LogicalResult run(func::FuncOp function, ArrayRef<SafeTensorsFile> files,
                    const Weights &stored) {
    auto arguments = readArguments(function, files);
    if (failed(arguments)) {
      return failure();
    }
    auto weightOf = [&](StringRef name) { return stored.find(name); };
    Interpreter interpreter(getOperation(), weightOf);
    Choices noted;
    if (failed(readChoices(noted))) {
      return failure();
    }
    if (!follow.empty() &&
        failed(followLogits(function, *arguments, weightOf, noted))) {
      return failure();
    }
    if (!choices.empty() || !follow.empty() || !chosen.empty()) {
      interpreter.choices = &noted;
    }
    auto results = interpreter.call(function, *arguments);
    if (failed(results) || failed(writeChoices(noted))) {
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
