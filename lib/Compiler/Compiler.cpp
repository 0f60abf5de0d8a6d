// The compile driver: folder to module to object to artefact.
#include "cheems/Compiler/Compiler.h"
#include "ArtifactWriter.h"
#include "Metadata.h"
#include "WeightWriter.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CPU/CodeGenerator.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

namespace cheems {
namespace {
/// A file beside its final name until keep() renames it; removed otherwise,
/// also on a signal.
class PendingFile {
public:
  static llvm::Expected<PendingFile> create(const std::string &output) {
    auto file = llvm::sys::fs::TempFile::create(output + ".%%%%%%%%.tmp",
                                                llvm::sys::fs::all_read |
                                                    llvm::sys::fs::owner_write);
    if (!file) {
      return llvm::createStringError("cannot write " + output + ": " +
                                     llvm::toString(file.takeError()));
    }
    return PendingFile(std::move(*file), output);
  }
  PendingFile(PendingFile &&) = default;
  ~PendingFile() { llvm::consumeError(file.discard()); }
  const std::string &path() const { return file.TmpName; }
  llvm::Error keep() {
    if (llvm::Error failed = file.keep(output)) {
      return llvm::createStringError("cannot write " + output + ": " +
                                     llvm::toString(std::move(failed)));
    }
    return llvm::Error::success();
  }

private:
  PendingFile(llvm::sys::fs::TempFile file, std::string output)
      : file(std::move(file)), output(std::move(output)) {}
  llvm::sys::fs::TempFile file;
  std::string output;
};

llvm::Error writeStage(const std::string &output,
                       llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (output == "-") {
    print(llvm::outs());
    llvm::outs().flush();
    return llvm::Error::success();
  }
  auto file = PendingFile::create(output);
  if (!file) {
    return file.takeError();
  }
  std::error_code error;
  llvm::raw_fd_ostream os(file->path(), error);
  if (!error) {
    print(os);
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error) {
    return llvm::createStringError(error, "cannot write " + output + ": " +
                                              error.message());
  }
  return file->keep();
}

llvm::Error runPasses(mlir::ModuleOp module,
                      llvm::function_ref<void(mlir::OpPassManager &)> build) {
  mlir::PassManager passes(module.getContext());
  build(passes);
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            diagnostics.empty()) {
          diagnostics = diagnostic.str();
        }
        return mlir::success();
      });
  if (mlir::failed(passes.run(module))) {
    return llvm::createStringError("internal error: " + diagnostics);
  }
  return llvm::Error::success();
}
} // namespace

llvm::Error compile(const CompileOptions &options, ProgressHandler progress,
                    MessageHandler warn) {
  std::vector<std::string> warnings;
  auto target = TargetInfo::find(options.cpu);
  if (!target) {
    return target.takeError();
  }
  progress("checkpoint", 0);
  auto checkpoint = Checkpoint::open(options.model, [&](llvm::StringRef line) {
    warnings.push_back(line.str());
    warn(line);
  });
  if (!checkpoint) {
    return checkpoint.takeError();
  }

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  bool storedBF16 = checkpoint->precision() == DType::BF16;
  ImportOptions import;
  import.weightsBF16 = options.weights == WeightFormat::BF16 ||
                       (options.weights == WeightFormat::Stored && storedBF16);
  import.stateBF16 = storedBF16;
  progress("import", 0);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      buildModule(context, checkpoint->config(), import);
  if (mlir::failed(mlir::verify(*module))) {
    return llvm::createStringError(
        "internal error: the imported module is invalid");
  }
  if (options.emit == Emit::MLIR) {
    return writeStage(options.output,
                      [&](llvm::raw_ostream &os) { module->print(os); });
  }

  Strategy strategy = target->strategy(options.scalar);
  progress("passes", 0);
  if (llvm::Error failed = runPasses(*module, [&](mlir::OpPassManager &pm) {
        buildFusePipeline(pm, strategy);
        buildBufferizePipeline(pm, strategy);
      })) {
    return failed;
  }
  ModuleFacts facts = collectFacts(*module, import.block);
  progress("passes", 0.5);
  if (llvm::Error failed = runPasses(*module, [&](mlir::OpPassManager &pm) {
        buildLLVMPipeline(pm, strategy);
      })) {
    return failed;
  }
  llvm::LLVMContext llvmContext;
  progress("code", 0);
  auto code = generateLLVM(*module, *target, llvmContext);
  if (!code) {
    return code.takeError();
  }
  if (options.emit == Emit::LLVM) {
    return writeStage(options.output, [&](llvm::raw_ostream &os) {
      (*code)->print(os, nullptr);
    });
  }
  progress("code", 0.5);
  auto object = generateObject(**code, *target);
  if (!object) {
    return object.takeError();
  }
  if (options.emit == Emit::Object) {
    return writeStage(options.output, [&](llvm::raw_ostream &os) {
      os.write(object->data(), object->size());
    });
  }

  auto file = PendingFile::create(options.output);
  if (!file) {
    return file.takeError();
  }
  if (llvm::Error failed = linkSharedObject(*object, file->path())) {
    return failed;
  }
  ArtifactTexts texts;
  texts.metadata = describe(facts, *checkpoint, options, *target, warnings);
  texts.config = checkpoint->configJson;
  texts.generationConfig = checkpoint->generationConfigJson;
  texts.tokenizer = checkpoint->tokenizerJson;
  texts.tokenizerConfig = checkpoint->tokenizerConfigJson;
  texts.chatTemplate = checkpoint->chatTemplate;
  if (llvm::Error failed =
          finishArtifact(file->path(), texts, [&](llvm::raw_ostream &os) {
            return writeWeights(
                os, facts.parameters,
                [&](llvm::StringRef name) -> const TensorView & {
                  return checkpoint->tensor(name);
                },
                progress);
          })) {
    return failed;
  }
  return file->keep();
}

std::string compilerVersion() {
  return "cheems " CHEEMS_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

} // namespace cheems
