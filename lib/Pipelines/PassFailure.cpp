// Which pass failed, on what, and where.
#include "cheems/Pipelines/PassFailure.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "cheems/Dialect/Cheems/Utils/Refusals.h"
#include "cheems/Import/Error.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/Threading.h"

namespace cheems {
using namespace mlir;

namespace {
/// The op of "see current operation: %0 = "dialect.op"(...)", which MLIR notes
/// beside an op's errors.
std::string notedOp(Diagnostic &diagnostic) {
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    auto [before, rest] = llvm::StringRef(text).split('"');
    if (before.starts_with("see current operation: ")) {
      return rest.split('"').first.str();
    }
  }
  return "";
}

/// Notes with an op keep its first line: one with a body would carry a whole
/// function.
void shortenNotes(Diagnostic &diagnostic) {
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    auto [intro, op] = llvm::StringRef(text).split('\n');
    auto [line, rest] = op.split('\n');
    if (!rest.empty()) {
      Diagnostic shorter(note.getLocation(), note.getSeverity());
      shorter << intro << line << " ...";
      note = std::move(shorter);
    }
  }
}

/// Adds to the errors of one pass on one op while it runs. The newest handler
/// is asked first. So it comes before the handler that keeps the messages of
/// threads in order.
class RunningPass {
public:
  RunningPass(Pass *pass, Operation *op)
      : op(op), place("pass " + pass->getArgument().str()),
        engine(op->getContext()->getDiagEngine()) {
    if (auto symbol = dyn_cast<SymbolOpInterface>(op);
        symbol && symbol.getNameAttr()) {
      place += " on @" + symbol.getName().str();
    }
    handler = engine.registerHandler([this](Diagnostic &diagnostic) {
      if (llvm::get_threadid() == thread) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          add(diagnostic);
        }
        shortenNotes(diagnostic);
      }
      return failure(); // others report it
    });
  }
  RunningPass(const RunningPass &) = delete;
  ~RunningPass() { engine.eraseHandler(handler); }

  void failed() {
    if (!spoke) {
      emitError(op->getLoc())
          << "'" << op->getName() << "' op is refused, without a reason";
    }
  }

private:
  void add(Diagnostic &diagnostic) {
    spoke = true;
    if (isUnsupported(diagnostic)) { // no pass is wrong
      return;
    }
    std::string noted = notedOp(diagnostic);
    diagnostic << " [";
    if (!noted.empty() &&
        diagnostic.str().find("'" + noted + "'") == std::string::npos) {
      diagnostic << noted << ", ";
    }
    diagnostic << place << "]";
  }

  Operation *op;
  std::string place;
  DiagnosticEngine &engine;
  DiagnosticEngine::HandlerID handler;
  uint64_t thread = llvm::get_threadid();
  bool spoke = false;
};

/// A thread runs one pass inside another's at most where that starts a
/// pipeline.
thread_local std::vector<std::unique_ptr<RunningPass>> running;

struct PassNamer : PassInstrumentation {
  /// Those that run others on nested ops.
  static bool isAdaptor(Pass *pass) { return pass->getArgument().empty(); }

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!isAdaptor(pass)) {
      running.push_back(std::make_unique<RunningPass>(pass, op));
    }
  }
  void runAfterPass(Pass *pass, Operation *) override {
    if (!isAdaptor(pass)) {
      running.pop_back();
    }
  }
  void runAfterPassFailed(Pass *pass, Operation *) override {
    if (!isAdaptor(pass)) {
      running.back()->failed();
      running.pop_back();
    }
  }
};

} // namespace

void namePassFailures(PassManager &passes) {
  passes.addInstrumentation(std::make_unique<PassNamer>());
}

namespace {
/// Keeps the first error, with its place.
class FirstError {
public:
  explicit FirstError(ModuleOp module)
      : module(module),
        handler(module.getContext(), [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              text.empty()) {
            text = diagnostic.str();
            place = placeOf(diagnostic.getLocation());
            unsupported = isUnsupported(diagnostic);
          }
          return success();
        }) {}

  /// One line. Where the error is in no named place, it says which function
  /// is wrong.
  llvm::Error take() {
    if (unsupported) {
      return llvm::make_error<UnsupportedError>(
          (place.empty() ? "" : place + ": ") + text);
    }
    std::string message = "internal error: " + text;
    std::string where = place.empty() ? wrongFunction() : place;
    message += where.empty() ? "" : " in " + where;
    return llvm::createStringError(message);
  }

private:
  std::string wrongFunction() {
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (failed(verify(function))) {
        return "@" + function.getName().str();
      }
    }
    return "";
  }

  ModuleOp module;
  std::string text, place;
  bool unsupported = false; ///< the model, and no pass is wrong
  ScopedDiagnosticHandler handler;
};
} // namespace

llvm::Error runPasses(ModuleOp module,
                      llvm::function_ref<void(OpPassManager &)> build) {
  PassManager passes(module.getContext());
  // After every pass it would take a third of the time; our tests have it.
  passes.enableVerifier(false);
  namePassFailures(passes);
  // --mlir-... of a tool that takes them
  (void)applyPassManagerCLOptions(passes);
  applyDefaultTimingPassManagerCLOptions(passes);
  build(passes);
  FirstError first(module);
  if (failed(passes.run(module)) || failed(verify(module))) {
    return first.take();
  }
  return llvm::Error::success();
}

} // namespace cheems
