// Makes the image for NVIDIA's GPUs: for each, a plan of launches and its
// code.
#include "Image.h"
#include "cheems/Dialect/Cheems/Utils/ParameterTable.h"
#include "cheems/Pipelines/PassFailure.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CUDA/Assembler.h"
#include "cheems/Target/CUDA/LaunchPlan.h"
#include "cheems/Target/CUDA/PTX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace cheems {
namespace {

/// What one GPU needs, and what is known of it then.
struct Compiled {
  std::string plan, ptx, cubin;
  std::unique_ptr<mlir::MLIRContext> context; ///< owns `parameters`
  std::vector<StoredParameterAttr> parameters;
  int64_t decodeRows = 0;
};

/// Returns the rows of the entry for decoding.
llvm::Expected<int64_t> decodeRowsOf(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    auto rows = function->getAttrOfType<mlir::IntegerAttr>(kMostRows);
    if (rows && function->hasAttr(kEntry)) {
      return rows.getInt();
    }
  }
  return llvm::createStringError("the model has no entry for decoding");
}

llvm::Expected<Compiled> compileFor(const GPU &gpu, const ModelSource &source,
                                    const std::function<void()> &stageDone) {
  if (source.options().watchPasses) {
    llvm::errs() << "// passes for " << gpu.architecture.name << "\n";
  }
  Compiled made;
  mlir::DialectRegistry registry;
  registerDialects(registry);
  made.context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = source.module(*made.context);
  if (!module) {
    return module.takeError();
  }
  auto lower = [&](CUDAStage from, CUDAStage to) {
    return runPasses(**module, [&](mlir::OpPassManager &pm) {
      buildCUDAPipeline(pm, gpu.options, from, to);
    });
  };
  if (llvm::Error failed = lower(CUDAStage::Imported, CUDAStage::Launches)) {
    return std::move(failed);
  }
  auto rows = decodeRowsOf(**module);
  if (!rows) {
    return rows.takeError();
  }
  made.decodeRows = *rows;
  made.parameters = parametersOf(**module);
  if (llvm::Error failed = lower(CUDAStage::Launches, CUDAStage::Plan)) {
    return std::move(failed);
  }
  auto plan = cuda::writePlan(**module, /*inLines=*/false);
  if (!plan) {
    return plan.takeError();
  }
  made.plan = std::move(*plan);
  stageDone();
  if (llvm::Error failed = lower(CUDAStage::Plan, CUDAStage::NVVM)) {
    return std::move(failed);
  }
  stageDone();
  auto kernels = kernelsOf(**module);
  if (!kernels) {
    return kernels.takeError();
  }
  auto ptx = cuda::generatePTX(*kernels, gpu.architecture);
  if (!ptx) {
    return ptx.takeError();
  }
  made.ptx = std::move(*ptx);
  stageDone();
  return made;
}

/// The section's bytes, and where its parts are.
class Section {
public:
  /// [offset, size]; parts begin at multiples of 64 bytes.
  llvm::json::Array add(llvm::StringRef part) {
    bytes.resize(llvm::alignTo(bytes.size(), 64));
    llvm::json::Array place{int64_t(bytes.size()), int64_t(part.size())};
    bytes += part;
    return place;
  }
  std::string bytes;
};

} // namespace

llvm::Expected<mlir::gpu::GPUModuleOp> kernelsOf(mlir::ModuleOp module) {
  auto kernels = module.getOps<mlir::gpu::GPUModuleOp>();
  if (kernels.empty()) {
    return llvm::createStringError("the model has no kernels");
  }
  return *kernels.begin();
}

llvm::Expected<Image> makeCUDAImage(const ModelSource &source,
                                    llvm::ArrayRef<GPU> gpus,
                                    const std::string &cubins,
                                    ProgressHandler progress) {
  auto assembler = cuda::Assembler::find();
  if (!assembler) {
    return assembler.takeError();
  }
  // Launches, kernels, PTX and, where there is a ptxas, machine code.
  double stages = double(gpus.size()) * (*assembler ? 4 : 3), done = 0;
  auto stageDone = [&] { progress("code", ++done / stages); };

  Image image;
  Section section;
  llvm::json::Array described;
  for (const GPU &each : gpus) {
    llvm::StringRef name = each.architecture.name;
    auto made = compileFor(each, source, stageDone);
    if (!made) {
      return made.takeError();
    }
    llvm::json::Object gpu{{"architecture", name},
                           {"plan", section.add(made->plan)}};
    // The driver takes text up to its zero.
    gpu["ptx"] =
        section.add(llvm::StringRef(made->ptx.c_str(), made->ptx.size() + 1));
    if (*assembler) {
      auto cubin =
          (*assembler)->assembleAnyway(made->ptx, each.architecture, cubins);
      if (!cubin) {
        return cubin.takeError();
      }
      if (!cubin->faults.empty()) {
        image.notes.push_back(
            ("machine code for " + name +
             " is slower than it could be: " + llvm::join(cubin->faults, "; "))
                .str());
      }
      gpu["cubin"] = section.add(cubin->bytes);
      stageDone();
    }
    described.push_back(std::move(gpu));
    // Parameters are stored as rows, and so the same for each GPU.
    image.parameters = std::move(made->parameters);
    image.context = std::move(made->context);
    image.description["decode_rows"] = made->decodeRows;
  }
  image.description["cards"] = std::move(described);
  if (!*assembler) {
    image.notes.push_back(
        ("the file has no machine code for GPUs, so the driver finishes its "
         "PTX when it is loaded: " +
         llvm::StringRef(cuda::kNoAssembler))
            .str());
  }
  image.bytes = std::move(section.bytes);
  return image;
}

} // namespace cheems
