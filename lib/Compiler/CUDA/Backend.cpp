// Compiles a model's kernels for NVIDIA's GPUs.
#include "CodeWriter.h"
#include "Image.h"
#include "cheems/Compiler/CUDABackend.h"
#include "cheems/Conversion/CheemsToTile/Windows.h"
#include "cheems/Import/Error.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CUDA/Assembler.h"
#include "cheems/Target/CUDA/PTX.h"
#include "lib/Compiler/StagePrinter.h"

namespace cheems {
namespace {
static_assert(ImportOptions().block % tile::kWindowRows == 0,
              "the importer's windows have kernels");

constexpr llvm::StringLiteral kPTX = "ptx", kCubin = "cubin";

/// The one that a compile of machine code cannot do without.
llvm::Expected<cuda::Assembler> findAssembler() {
  auto found = cuda::Assembler::find();
  if (!found) {
    return found.takeError();
  }
  if (!*found) {
    return llvm::make_error<UnsupportedError>(cuda::kNoAssembler);
  }
  return std::move(**found);
}

class CUDABackend : public Backend {
public:
  explicit CUDABackend(std::string cubins) : cubins(std::move(cubins)) {}

  llvm::StringRef name() const override { return "cuda"; }

  std::vector<BackendOption> options() const override { return cudaOptions(); }

  llvm::Error check(const CompileOptions &options) const override {
    if (auto gpus = gpusOf(*this, options); !gpus) {
      return gpus.takeError();
    }
    if (options.emit == Emit::LLVM || options.emit == Emit::Object) {
      return llvm::createStringError(
          "the target cuda has no stages llvm and obj: use --emit nvvm, ptx or "
          "cubin");
    }
    return llvm::Error::success();
  }

  std::vector<BackendStage>
  pipeline(const CompileOptions &options) const override {
    GPUOptions gpu = llvm::cantFail(gpusOf(*this, options)).front().options;
    std::vector<BackendStage> stages;
    auto from = CUDAStage::Imported;
    for (const CUDAPipelineStage &stage : cudaStages()) {
      stages.push_back({stringify(stage.stage).str(),
                        [=, to = stage.stage](mlir::OpPassManager &pm) {
                          buildCUDAPipeline(pm, gpu, from, to);
                        }});
      from = stage.stage;
    }
    return stages;
  }

  std::unique_ptr<ParameterWriter>
  parameterWriter(llvm::raw_ostream &os) const override {
    return std::make_unique<CodeWriter>(os);
  }

  /// "nibbles"
  std::string layoutName(mlir::Attribute) const override {
    return tile::NibblesAttr::getMnemonic().str();
  }

  std::vector<std::string> texts() const override {
    return {kPTX.str(), kCubin.str()};
  }

  llvm::Expected<Image> image(const ModelSource &source,
                              ProgressHandler progress) const override {
    auto gpus = gpusOf(*this, source.options());
    if (!gpus) {
      return gpus.takeError();
    }
    return makeCUDAImage(source, *gpus, cubins, progress);
  }

  llvm::Expected<std::string> emit(const ModelSource &source,
                                   ProgressHandler) const override {
    const CompileOptions &options = source.options();
    std::vector<BackendStage> stages = pipeline(options);
    if (!llvm::is_contained(texts(), options.stage)) {
      return printStage(source, stages);
    }
    cuda::Architecture architecture =
        llvm::cantFail(gpusOf(*this, options)).front().architecture;
    if (options.stage == kPTX) {
      return generatePTX(source, stages, architecture);
    }
    auto assembler = findAssembler(); // before the work
    if (!assembler) {
      return assembler.takeError();
    }
    auto ptx = generatePTX(source, stages, architecture);
    if (!ptx) {
      return ptx.takeError();
    }
    auto cubin = assembler->assemble(*ptx, architecture, cubins);
    if (!cubin) {
      return cubin.takeError();
    }
    return std::move(cubin->bytes);
  }

private:
  /// What `make` makes of the module after `stages`.
  static llvm::Expected<std::string> runAndMake(
      const ModelSource &source, llvm::ArrayRef<BackendStage> stages,
      llvm::function_ref<llvm::Expected<std::string>(mlir::ModuleOp)> make) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = runStages(source, stages, context);
    if (!module) {
      return module.takeError();
    }
    return make(**module);
  }

  static llvm::Expected<std::string>
  generatePTX(const ModelSource &source, llvm::ArrayRef<BackendStage> stages,
              const cuda::Architecture &architecture) {
    return runAndMake(
        source, stages,
        [&](mlir::ModuleOp module) -> llvm::Expected<std::string> {
          auto kernels = kernelsOf(module);
          if (!kernels) {
            return kernels.takeError();
          }
          return cuda::generatePTX(*kernels, architecture);
        });
  }

  std::string cubins; ///< folder of machine code by its content
};
} // namespace

std::unique_ptr<Backend> createCUDABackend(std::string cubins) {
  return std::make_unique<CUDABackend>(std::move(cubins));
}

} // namespace cheems
