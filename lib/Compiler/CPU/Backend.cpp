// Compiles a model for CPUs: one shared object with code for several kinds.
#include "PanelWriter.h"
#include "Variant.h"
#include "cheems/Compiler/CPUBackend.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Import/Error.h"
#include "cheems/Pipelines/Pipelines.h"
#include "cheems/artifact.h"
#include "lib/Compiler/StagePrinter.h"
#include "lib/Support/TemporaryFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace cheems {
namespace {
llvm::json::Object describeVariant(const CompiledVariant &variant) {
  const ModuleFacts &facts = variant.facts;
  llvm::json::Object made{
      {"name", variant.target.name},
      {"features", llvm::json::Array(variant.target.features)},
      {"wants", llvm::json::Array(variant.target.wants)},
      {"general", facts.generalEntry},
      {"decode", facts.decodeEntry},
      {"decode_rows", facts.decodeRows},
      {"workspace", llvm::json::Object{
                        {"general", llvm::json::Array(facts.generalWorkspace)},
                        {"decode", llvm::json::Array(facts.decodeWorkspace)}}}};
  if (facts.ssdChunk) {
    made["ssd_chunk"] = *facts.ssdChunk;
  }
  if (facts.prefill) {
    made["prefill"] = *facts.prefill;
  }
  return made;
}

llvm::json::Object describeAll(llvm::ArrayRef<CompiledVariant> variants,
                               const CPUOptions &options) {
  const ModuleFacts &facts = variants.front().facts;
  const TargetInfo &least = variants.back().target;
  llvm::json::Array code;
  for (const CompiledVariant &variant : variants) {
    code.push_back(describeVariant(variant));
  }
  llvm::json::Object made{
      {"cpu", options.cpu},
      {"features", llvm::json::Array(least.features)},
      {"variants", std::move(code)},
      {"marks",
       llvm::json::Object{{"general", llvm::json::Array(facts.generalMarks)},
                          {"decode", llvm::json::Array(facts.decodeMarks)}}}};
  if (least.addressSanitizer) {
    made["sanitizer"] = "address";
  }
  if (least.threadSanitizer) {
    made["sanitizer"] = "thread";
  }
  return made;
}

/// The shared object's bytes.
llvm::Expected<std::string> link(llvm::ArrayRef<Object> objects) {
  llvm::SmallString<128> name;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, name);
  llvm::sys::path::append(name, "cheems-");
  auto file = TemporaryFile::create(name, ".so");
  if (!file) {
    return llvm::createStringError("cannot create a temporary file: " +
                                   file.getError().message());
  }
  if (llvm::Error failed = linkSharedObject(objects, file->path())) {
    return std::move(failed);
  }
  auto linked = llvm::MemoryBuffer::getFile(file->path(), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!linked) {
    return llvm::createStringError("cannot read " + file->path() + ": " +
                                   linked.getError().message());
  }
  return (*linked)->getBuffer().str();
}

class CPUBackend : public Backend {
public:
  llvm::StringRef name() const override { return "cpu"; }

  std::vector<BackendOption> options() const override {
    return CPUOptions::all();
  }

  llvm::Error check(const CompileOptions &options) const override {
    if (options.weights == WeightFormat::F16) {
      return llvm::make_error<UnsupportedError>(
          "the target cpu has no kernels for weights in f16: use --weights "
          "bf16, or compile for cuda alone");
    }
    auto own = CPUOptions::read(*this, options);
    return own ? targets(*own, options).takeError() : own.takeError();
  }

  std::vector<BackendStage>
  pipeline(const CompileOptions &options) const override {
    CPUOptions own = llvm::cantFail(CPUOptions::read(*this, options));
    TargetDescription target =
        describe(llvm::cantFail(targets(own, options)).back(), own);
    std::vector<BackendStage> stages;
    auto from = CPUStage::Imported;
    for (const PipelineStage &stage : cpuStages()) {
      // "llvm" is LLVM IR.
      bool last = stage.stage == CPUStage::LLVM;
      stages.push_back({last ? "llvm-dialect" : stringify(stage.stage).str(),
                        [=, to = stage.stage](mlir::OpPassManager &pm) {
                          buildPipeline(pm, target, from, to);
                        }});
      from = stage.stage;
    }
    return stages;
  }

  std::unique_ptr<ParameterWriter>
  parameterWriter(llvm::raw_ostream &os) const override {
    return std::make_unique<PanelWriter>(os);
  }

  /// "panels<16, 2>"
  std::string layoutName(mlir::Attribute layout) const override {
    auto panels = mlir::cast<cpu::PanelsAttr>(layout);
    return "panels<" + std::to_string(panels.getRows()) + ", " +
           std::to_string(panels.getPair()) + ">";
  }

  llvm::Expected<Image> image(const ModelSource &source,
                              ProgressHandler progress) const override {
    auto own = CPUOptions::read(*this, source.options());
    if (!own) {
      return own.takeError();
    }
    auto made = targets(*own, source.options());
    if (!made) {
      return made.takeError();
    }
    if (own->scalar) {
      made->erase(made->begin(), std::prev(made->end()));
    }
    auto variants = compileVariants(source, *own, *made, progress);
    if (!variants) {
      return variants.takeError();
    }
    std::vector<Object> objects;
    for (CompiledVariant &variant : *variants) {
      if (!variant.object.empty()) {
        objects.push_back(std::move(variant.object));
      }
    }
    auto bytes = link(objects);
    if (!bytes) {
      return bytes.takeError();
    }
    Image image;
    image.bytes = std::move(*bytes);
    image.section = CHEEMS_SECTION_CODE;
    image.description = describeAll(*variants, *own);
    image.scalar = own->scalar;
    image.parameters = std::move(variants->front().facts.parameters);
    image.context = std::move(variants->front().context);
    return image;
  }

  llvm::Expected<std::string> emit(const ModelSource &source,
                                   ProgressHandler progress) const override {
    if (source.options().emit == Emit::Stage) {
      return printStage(source, pipeline(source.options()));
    }
    auto own = CPUOptions::read(*this, source.options());
    if (!own) {
      return own.takeError();
    }
    auto made = targets(*own, source.options());
    if (!made) {
      return made.takeError();
    }
    auto variants = compileVariants(source, *own, made->back(), progress);
    if (!variants) {
      return variants.takeError();
    }
    CompiledVariant &only = variants->front();
    return source.options().emit == Emit::LLVM
               ? std::move(only.llvm)
               : std::string(only.object.data(), only.object.size());
  }

private:
  /// Best first.
  static llvm::Expected<std::vector<TargetInfo>>
  targets(const CPUOptions &own, const CompileOptions &options) {
    bool codes = options.weights == WeightFormat::Int8 ||
                 options.weights == WeightFormat::Int4;
    auto made = TargetInfo::variants(own.cpu, codes);
    if (made) {
      for (TargetInfo &target : *made) {
        target.threadSanitizer = own.raceChecks;
        target.addressSanitizer &= !own.raceChecks;
      }
    }
    return made;
  }
};
} // namespace

std::unique_ptr<Backend> createCPUBackend() {
  return std::make_unique<CPUBackend>();
}

} // namespace cheems
