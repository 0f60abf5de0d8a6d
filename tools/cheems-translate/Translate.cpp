// Reads a module and writes the code of its kernels.
#include "Translate.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CUDA/Assembler.h"
#include "cheems/Target/CUDA/LaunchPlan.h"
#include "cheems/Target/CUDA/PTX.h"
#include "lib/Support/OutputFile.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "runtime/Error.h"
#include "runtime/Process/CachePlace.h"
#include "runtime/Process/Output.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace cheems::translate {
namespace {

/// Turns a failure of the libraries into the tools' exception.
template <typename Value> Value checked(llvm::Expected<Value> result) {
  if (!result) {
    throw Error(llvm::toString(result.takeError()));
  }
  return std::move(*result);
}

OwningOpRef<ModuleOp> read(const Options &options, MLIRContext &context) {
  std::string message;
  auto file = openInputFile(options.input, &message);
  if (!file) {
    throw Error(message);
  }
  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  // Its errors are lines with a place.
  SourceMgrDiagnosticHandler handler(*source, &context);
  auto module = parseSourceFile<ModuleOp>(source, &context);
  if (!module) {
    throw Error((options.input == "-" ? "the input" : options.input) +
                " is no valid MLIR module");
  }
  return module;
}

gpu::GPUModuleOp kernelsOf(ModuleOp module, const Options &options) {
  gpu::GPUModuleOp found;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    if (found) {
      throw Error("there are two modules of kernels, @" +
                  found.getName().str() + " and @" + kernels.getName().str() +
                  ": give one");
    }
    found = kernels;
  }
  if (!found) {
    throw Error((options.input == "-" ? "the input" : options.input) +
                " has no gpu.module: cheems-tile-to-nvvm makes one of "
                "cheems_tile kernels");
  }
  return found;
}

std::string assembled(const std::string &ptx,
                      const cuda::Architecture &architecture,
                      const Options &options) {
  auto assembler = checked(cuda::Assembler::find());
  if (!assembler) {
    throw Error(Status::unsupported, cuda::kNoAssembler);
  }
  std::string cache = standardCache();
  prepareCache(cache);
  cuda::Cubin cubin =
      checked(assembler->assemble(ptx, architecture, cache + "/cubins"));
  if (options.resources) {
    for (const cuda::KernelResources &kernel : cubin.kernels) {
      printMessage(kernel.kernel + ": " + std::to_string(kernel.registers) +
                   " registers, " + std::to_string(kernel.stack) +
                   " bytes of local memory");
    }
  }
  return std::move(cubin.bytes);
}

std::string codeOf(gpu::GPUModuleOp kernels, const Options &options) {
  auto known = cuda::Architecture::find(options.architecture);
  if (!known) {
    throw Error(Status::unsupported, llvm::toString(known.takeError()));
  }
  const cuda::Architecture &architecture = *known;
  if (options.form != Form::LLVM) {
    std::string ptx = checked(cuda::generatePTX(kernels, architecture));
    return options.form == Form::PTX ? ptx
                                     : assembled(ptx, architecture, options);
  }
  llvm::LLVMContext context;
  auto module = checked(cuda::generateLLVM(kernels, architecture, context));
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

} // namespace

void translate(const Options &options) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  auto module = read(options, context);
  std::string code = options.form == Form::Plan
                         ? checked(cuda::writePlan(*module, /*inLines=*/true))
                         : codeOf(kernelsOf(*module, options), options);
  llvm::Error failed =
      writeText(options.output, [&](llvm::raw_ostream &os) { os << code; });
  if (!failed) {
    return;
  }
  bool left = false;
  llvm::visitErrors(failed, [&](const llvm::ErrorInfoBase &each) {
    left |= each.convertToErrorCode() == std::errc::broken_pipe;
  });
  std::string message = llvm::toString(std::move(failed));
  if (left) {
    throw OutputClosed();
  }
  throw Error(message);
}

} // namespace cheems::translate
