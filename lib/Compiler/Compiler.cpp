// The compile driver: folder to module to object to artefact.
#include "cheems/Compiler/Compiler.h"
#include "ArtifactWriter.h"
#include "Metadata.h"
#include "Variant.h"
#include "WeightWriter.h"
#include "cheems/Pipelines/Registration.h"
#include "lib/Target/CPU/TemporaryFile.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <filesystem>
#include <optional>

namespace cheems {
namespace {
/// Where a chain of links leads, also to a file that is not there yet.
std::string endOfLinks(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40; ++links) {
    auto next = std::filesystem::read_symlink(path, error);
    if (error) {
      break;
    }
    path = path.parent_path() / next;
  }
  return path.string();
}

/// A file beside its final name until keep() renames it; removed otherwise,
/// also on a signal. Links to the name stay.
class PendingFile {
public:
  static llvm::Expected<PendingFile> create(const std::string &output) {
    auto failed = [&](const std::string &reason) {
      return llvm::createStringError("cannot write " + output + ": " + reason);
    };
    namespace fs = llvm::sys::fs;
    fs::file_status old;
    std::error_code error = fs::status(output, old);
    if (error && error != std::errc::no_such_file_or_directory) {
      return failed(error.message());
    }
    if (fs::exists(old) && !fs::is_regular_file(old)) {
      return failed("it is not a regular file");
    }
    std::string target = endOfLinks(output);
    auto file = TemporaryFile::create(target + ".", ".tmp");
    if (!file) {
      return failed(file.getError().message());
    }
    PendingFile pending(std::move(*file), std::move(target));
    auto permissions = fs::getPermissions(pending.path());
    if (!permissions) {
      return failed(permissions.getError().message());
    }
    pending.permissions = *permissions;
    return pending;
  }
  const std::string &path() const { return file.path(); }
  llvm::Error keep() {
    // The linker puts a program in its place; this one is only ever mapped.
    std::error_code error = llvm::sys::fs::setPermissions(path(), permissions);
    if (!error) {
      error = file.keep(output);
    }
    return error ? llvm::createStringError("cannot write " + output + ": " +
                                           error.message())
                 : llvm::Error::success();
  }

private:
  PendingFile(TemporaryFile file, std::string output)
      : file(std::move(file)), output(std::move(output)) {}
  TemporaryFile file;
  std::string output;
  llvm::sys::fs::perms permissions = {}; ///< that the process's mask leaves
};

llvm::Error writeStage(const std::string &output,
                       llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (output == "-") {
    llvm::raw_fd_ostream &os = llvm::outs();
    print(os);
    os.flush();
    std::error_code error = os.error();
    os.clear_error(); // else its destructor aborts
    return error ? llvm::createStringError(error, "cannot write the output: " +
                                                      error.message())
                 : llvm::Error::success();
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

llvm::Error writeImported(const std::string &output, const ModelConfig &config,
                          const ImportOptions &import) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = buildModule(context, config, import);
  if (mlir::failed(mlir::verify(*module))) {
    return llvm::createStringError(
        "internal error: the imported module is invalid");
  }
  return writeStage(output, [&](llvm::raw_ostream &os) {
    // values are called what they came from
    module->print(os, mlir::OpPrintingFlags().printNameLocAsPrefix());
  });
}
} // namespace

llvm::Error compile(const CompileOptions &options, ProgressHandler progress,
                    MessageHandler warn) {
  std::vector<std::string> warnings;
  bool codes = options.weights == WeightFormat::Int8 ||
               options.weights == WeightFormat::Int4;
  auto targets = TargetInfo::variants(options.cpu, codes);
  if (!targets) {
    return targets.takeError();
  }
  for (TargetInfo &target : *targets) {
    target.threadSanitizer = options.raceChecks;
    target.addressSanitizer &= !options.raceChecks;
  }
  progress("checkpoint", 0);
  auto keepWarning = [&](llvm::StringRef line) {
    warnings.push_back(line.str());
    warn(line);
  };
  auto checkpoint =
      Checkpoint::open(options.model, keepWarning, options.noLayers ? 0 : 1);
  if (!checkpoint) {
    return checkpoint.takeError();
  }

  bool storedBF16 = checkpoint->precision() == DType::BF16;
  ImportOptions import;
  import.weightsBF16 = options.weights == WeightFormat::BF16 ||
                       (options.weights != WeightFormat::F32 && storedBF16);
  import.weightBits = options.weights == WeightFormat::Int8   ? 8
                      : options.weights == WeightFormat::Int4 ? 4
                                                              : 0;
  import.stateBF16 = storedBF16;
  import.stateInt8 = options.state == StateFormat::Int8;
  if (options.emit == Emit::MLIR) {
    return writeImported(options.output, checkpoint->config(), import);
  }
  if (options.scalar || options.emit != Emit::Artefact) {
    targets->erase(targets->begin(), std::prev(targets->end()));
  }
  std::optional<PendingFile> file;
  if (options.emit == Emit::Artefact) { // a bad place is said before the work
    auto created = PendingFile::create(options.output);
    if (!created) {
      return created.takeError();
    }
    file.emplace(std::move(*created));
  }
  auto variants =
      compileVariants({checkpoint->config(), import, options.scalar,
                       options.groupExperts, options.emit == Emit::LLVM},
                      *targets, progress);
  if (!variants) {
    return variants.takeError();
  }
  if (options.emit != Emit::Artefact) {
    const Variant &variant = variants->front();
    return writeStage(options.output, [&](llvm::raw_ostream &os) {
      os << variant.llvm;
      os.write(variant.object.data(), variant.object.size());
    });
  }

  std::vector<Object> objects;
  for (Variant &variant : *variants) {
    if (!variant.object.empty()) {
      objects.push_back(std::move(variant.object));
    }
  }
  if (llvm::Error failed = linkSharedObject(objects, file->path())) {
    return failed;
  }
  ArtifactTexts texts;
  texts.metadata = describe(*variants, *checkpoint, options, warnings);
  texts.config = checkpoint->configJson;
  texts.generationConfig = checkpoint->generationConfigJson;
  texts.tokenizer = checkpoint->tokenizerJson;
  texts.tokenizerConfig = checkpoint->tokenizerConfigJson;
  texts.chatTemplate = checkpoint->chatTemplate;
  if (llvm::Error failed =
          finishArtifact(file->path(), texts, [&](llvm::raw_ostream &os) {
            return writeWeights(
                os, variants->front().facts.parameters,
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
