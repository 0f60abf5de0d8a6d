// The compile driver: folder to module, module to an image of each target,
// images to an artefact.
#include "cheems/Compiler/Compiler.h"
#include "ArtifactWriter.h"
#include "Metadata.h"
#include "WeightWriter.h"
#include "cheems/Compiler/Backend.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "cheems/Import/ModuleBuilder.h"
#include "lib/Support/OutputFile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Config/llvm-config.h"
#include <optional>

namespace cheems {
namespace {
class Source : public ModelSource {
public:
  Source(const CompileOptions &given, const Checkpoint &checkpoint)
      : given(given), checkpoint(checkpoint) {
    bool storedBF16 = checkpoint.precision() == DType::BF16;
    switch (given.weights) {
    case WeightFormat::F32:
      import.matrices = DType::F32;
      break;
    case WeightFormat::BF16:
      import.matrices = DType::BF16;
      break;
    case WeightFormat::F16:
      import.matrices = DType::F16;
      break;
    default: // those that have no quantized values stay as they are stored
      import.matrices = storedBF16 ? DType::BF16 : DType::F32;
    }
    import.weightBits = given.weights == WeightFormat::Int8   ? 8
                        : given.weights == WeightFormat::Int4 ? 4
                                                              : 0;
    import.stateBF16 = storedBF16;
    import.stateInt8 = given.state == StateFormat::Int8;
  }

  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  module(mlir::MLIRContext &context) const override {
    auto module = buildModule(context, checkpoint.model(), import);
    std::string first;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (first.empty()) {
            first =
                diagnostic.str() + " in " + placeOf(diagnostic.getLocation());
          }
          return mlir::success();
        });
    if (mlir::failed(mlir::verify(*module))) {
      return llvm::createStringError(
          "internal error: the imported module is invalid: " + first);
    }
    if (!placed.empty()) {
      (*module)->setAttr(kParameters, mlir::parseAttribute(placed, &context));
      (*module)->setAttr(kParameterBytes,
                         mlir::Builder(&context).getI64IntegerAttr(end));
    }
    return module;
  }
  /// Images made from now on share what this one has as rows.
  void keep(const Image &image) {
    for (StoredParameterAttr parameter : image.parameters) {
      end = std::max<int64_t>(
          end, llvm::alignTo(parameter.getOffset() + parameter.getBytes(),
                             StoredParameterAttr::kAlignment));
      if (!parameter.getLayout()) { // which only its target can read
        llvm::raw_string_ostream(rows)
            << (rows.empty() ? "" : ", ") << parameter;
      }
    }
    placed = "[" + rows + "]";
  }
  const CompileOptions &options() const override { return given; }
  const ImportOptions &imported() const { return import; }

private:
  const CompileOptions &given;
  const Checkpoint &checkpoint;
  ImportOptions import;
  std::string rows, placed; ///< parameters of earlier images, as text
  int64_t end = 0;          ///< of what they have in the weight section
};

/// The back ends that `options` names, each once.
llvm::Expected<std::vector<const Backend *>>
findBackends(const CompileOptions &options, const BackendRegistry &registry) {
  std::vector<const Backend *> found;
  for (const std::string &name : options.targets) {
    const Backend *backend = registry.find(name);
    if (!backend) {
      std::string known;
      for (const auto &each : registry.all()) {
        known += known.empty() ? "" : ", ";
        known += each->name();
      }
      return llvm::make_error<UnsupportedError>(
          (llvm::Twine("there is no target '") + name +
           "'; this compiler has: " + known)
              .str());
    }
    if (!llvm::is_contained(found, backend)) {
      found.push_back(backend);
    }
  }
  if (found.empty()) {
    return llvm::createStringError("no target is named");
  }
  if (options.emit != Emit::Artefact && found.size() > 1) {
    return llvm::createStringError("a stage is that of one target; name one");
  }
  return found;
}

/// Whether each option of a back end is one that a target in use takes.
llvm::Error checkBackendOptions(const CompileOptions &options,
                                llvm::ArrayRef<const Backend *> backends) {
  for (const auto &[name, value] : options.backendOptions) {
    auto [target, option] = llvm::StringRef(name).split('.');
    std::string known;
    bool taken = false;
    for (const Backend *backend : backends) {
      for (const BackendOption &each : backend->options()) {
        taken |= backend->name() == target && each.name == option;
        known += (known.empty() ? "" : ", ") + backend->name().str() + "." +
                 each.name;
      }
    }
    if (!taken) {
      return llvm::createStringError(
          "no target in use takes the option '" + name +
          "'; known: " + (known.empty() ? "none" : known));
    }
  }
  return llvm::Error::success();
}

llvm::Error writeImported(const Source &source) {
  mlir::MLIRContext context;
  auto module = source.module(context);
  if (!module) {
    return module.takeError();
  }
  return writeText(source.options().output, [&](llvm::raw_ostream &os) {
    // values are called what they came from
    (*module)->print(os, mlir::OpPrintingFlags().printNameLocAsPrefix());
  });
}

llvm::Error compileArtefact(Source &source, const Checkpoint &checkpoint,
                            llvm::ArrayRef<const Backend *> backends,
                            std::vector<std::string> &warnings,
                            ProgressHandler progress, MessageHandler warn) {
  // A bad place is said before the work.
  auto file = OutputFile::create(source.options().output);
  if (!file) {
    return file.takeError();
  }
  std::vector<TargetImage> images;
  for (const Backend *backend : backends) {
    auto image = backend->image(source, progress);
    if (!image) {
      return image.takeError();
    }
    source.keep(*image);
    for (const std::string &note : image->notes) {
      warnings.push_back(note);
      warn(note);
    }
    images.push_back({backend, std::move(*image)});
  }
  mlir::MLIRContext context;
  auto module = source.module(context);
  if (!module) {
    return module.takeError();
  }
  ArtifactTexts texts;
  texts.metadata = describe(images, **module, checkpoint, source.options(),
                            source.imported().block, warnings);
  texts.config = checkpoint.configJson;
  texts.generationConfig = checkpoint.generationConfigJson;
  texts.tokenizer = checkpoint.tokenizerJson;
  texts.tokenizerConfig = checkpoint.tokenizerConfigJson;
  texts.chatTemplate = checkpoint.chatTemplate;
  texts.toolUseTemplate = checkpoint.toolUseTemplate;
  auto weights = [&](llvm::raw_ostream &os) {
    std::vector<std::unique_ptr<ParameterWriter>> writers;
    std::vector<WrittenParameters> tables;
    for (const TargetImage &each : images) {
      writers.push_back(each.backend->parameterWriter(os));
      tables.push_back({each.image.parameters, writers.back().get()});
    }
    return writeWeights(
        os, tables,
        [&](llvm::StringRef name) -> const TensorView & {
          return checkpoint.tensor(name);
        },
        progress);
  };
  if (llvm::Error failed =
          writeArtifact(file->path(), images, texts, weights)) {
    return failed;
  }
  return file->keep();
}
} // namespace

llvm::Error compile(const CompileOptions &options,
                    const BackendRegistry &registry, ProgressHandler progress,
                    MessageHandler warn) {
  auto backends = findBackends(options, registry);
  if (!backends) {
    return backends.takeError();
  }
  if (llvm::Error failed = checkBackendOptions(options, *backends)) {
    return failed;
  }
  for (const Backend *backend : *backends) {
    if (llvm::Error failed = backend->check(options)) {
      return failed;
    }
  }
  progress("checkpoint", 0);
  std::vector<std::string> warnings;
  auto keepWarning = [&](llvm::StringRef line) {
    warnings.push_back(line.str());
    warn(line);
  };
  CheckpointOptions opening;
  opening.leastLayers = options.noLayers ? 0 : 1;
  opening.allowLinks = options.allowLinks;
  auto checkpoint = Checkpoint::open(options.model, keepWarning, opening);
  if (!checkpoint) {
    return checkpoint.takeError();
  }
  if (llvm::Error refused = checkBuildable(checkpoint->model())) {
    return llvm::make_error<UnsupportedError>(
        (options.model + ": " + llvm::toString(std::move(refused))));
  }
  if (options.emit == Emit::Artefact && options.checkTexts) {
    if (llvm::Error refused = options.checkTexts(*checkpoint, keepWarning)) {
      return refused;
    }
  }
  Source source(options, *checkpoint);
  if (options.emit == Emit::MLIR) {
    return writeImported(source);
  }
  if (options.emit == Emit::Artefact) {
    return compileArtefact(source, *checkpoint, *backends, warnings, progress,
                           warn);
  }
  auto text = backends->front()->emit(source, progress);
  if (!text) {
    return text.takeError();
  }
  return writeText(options.output, [&](llvm::raw_ostream &os) { os << *text; });
}

std::string compilerVersion() {
  return "cheems " CHEEMS_VERSION " (LLVM " LLVM_VERSION_STRING ")";
}

} // namespace cheems
