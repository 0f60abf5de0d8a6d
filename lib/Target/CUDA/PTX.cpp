// LLVM and NVVM dialects to LLVM IR to PTX.
#include "cheems/Target/CUDA/PTX.h"
#include "TargetMachine.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Signals.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include <cstdlib>

using namespace mlir;

namespace cheems::cuda {
namespace {

/// LLVM's diagnostics as an error, where it would print them and end the
/// process.
struct Diagnostics : llvm::DiagnosticHandler {
  explicit Diagnostics(std::string &reason) : reason(reason) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && reason.empty()) {
      llvm::raw_string_ostream os(reason);
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
    }
    return true;
  }
  std::string &reason;
};

/// If instruction selection does not know an operation, LLVM prints a graph of
/// many lines and ends the process. This prints the first line and the function
/// alone.
void giveUp(void *, const char *text, bool) {
  auto [graph, function] = llvm::StringRef(text).split("In function: ");
  std::string reason = graph.split('\n').first.rtrim().str();
  static const llvm::Regex address(" ?0x[0-9a-f]+:?");
  while (address.match(reason)) {
    reason = address.sub("", reason);
  }
  llvm::errs() << "error: LLVM makes no PTX of "
               << (function.empty() ? "these kernels"
                                    : "kernel @" + function.trim().str())
               << ": " << reason << "\n";
  llvm::sys::RunInterruptHandlers(); // files on the way to their name go
  std::exit(1);
}

/// Vectors wider than a register become numbers and pairs of halves: a wide one
/// that is taken apart by an index, or that lives across blocks, would go
/// through local memory. Loads and stores stay wide.
llvm::ScalarizerPass scalarizer() {
  llvm::ScalarizerPassOptions options;
  options.ScalarizeMinBits = 32;
  options.ScalarizeVariableInsertExtract = true;
  options.ScalarizeLoadStore = false;
  return llvm::ScalarizerPass(options);
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  // Our kernels say what is a vector. LLVM would pair numbers that come from
  // different registers, and pay for moving them.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(scalarizer()));
  passes.addPass(
      builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(scalarizer()));
  passes.run(module, modules);
}

/// A function that is called and has no body: CUDA's mathematics, for one,
/// which is no part of a driver. The driver itself has those that print and
/// stop.
llvm::Error checkCalls(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || call->isInlineAsm()) {
        continue;
      }
      const llvm::Function *callee = call->getCalledFunction();
      if (!callee) {
        return llvm::createStringError("kernel @" + function.getName() +
                                       " calls a function that is not known "
                                       "when compiling");
      }
      bool there = !callee->isDeclaration() || callee->isIntrinsic() ||
                   callee->getName() == "vprintf" ||
                   callee->getName() == "__assertfail";
      if (!there) {
        return llvm::createStringError("kernel @" + function.getName() +
                                       " calls @" + callee->getName() +
                                       ", which the module does not define");
      }
    }
  }
  return llvm::Error::success();
}

/// Names a function whose arrays are in local memory.
llvm::Error checkLocalMemory(llvm::StringRef ptx) {
  static const llvm::Regex start(R"(\.(entry|func) +(\([^)]*\) +)?([^ (]+))");
  static const llvm::Regex depot(
      R"(\.local .*__local_depot[0-9]+\[([0-9]+)\])");
  llvm::StringRef function, rest = ptx;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    llvm::SmallVector<llvm::StringRef> parts;
    if (start.match(line, &parts)) {
      function = parts[3];
    } else if (depot.match(line, &parts)) {
      return llvm::createStringError(
          "kernel @" + function + " keeps " + parts[1] +
          " bytes a thread in local memory, which is DRAM: index registers by "
          "constants alone");
    }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>>
generateLLVM(gpu::GPUModuleOp kernels, const Architecture &architecture,
             llvm::LLVMContext &context) {
  if (llvm::Error failed = checkKernels(kernels, architecture)) {
    return failed;
  }
  MLIRContext &mlirContext = *kernels.getContext();
  registerBuiltinDialectTranslation(mlirContext);
  registerGPUDialectTranslation(mlirContext);
  registerLLVMDialectTranslation(mlirContext);
  registerNVVMDialectTranslation(mlirContext);
  std::string reason;
  std::unique_ptr<llvm::Module> result;
  {
    ScopedDiagnosticHandler handler(&mlirContext, [&](Diagnostic &diagnostic) {
      if (reason.empty()) {
        reason = diagnostic.str();
        std::string place = placeOf(diagnostic.getLocation());
        reason += place.empty() ? "" : " in " + place;
      }
      return success();
    });
    result = translateModuleToLLVMIR(kernels, context, "cheems");
  }
  if (!result) {
    return llvm::createStringError(
        "internal error: kernels do not translate to LLVM IR: " + reason);
  }
  auto machine = targetMachine(architecture);
  if (!machine) {
    return machine.takeError();
  }
  result->setTargetTriple((*machine)->getTargetTriple());
  result->setDataLayout((*machine)->createDataLayout());
  optimise(*result, **machine);
  if (llvm::Error failed = checkCalls(*result)) {
    return failed;
  }
  return result;
}

llvm::Expected<std::string> generatePTX(gpu::GPUModuleOp kernels,
                                        const Architecture &architecture) {
  llvm::LLVMContext context;
  std::string reason;
  context.setDiagnosticHandler(std::make_unique<Diagnostics>(reason));
  auto module = generateLLVM(kernels, architecture, context);
  if (!module) {
    return module.takeError();
  }
  auto machine = targetMachine(architecture);
  if (!machine) {
    return machine.takeError();
  }
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile)) {
    return llvm::createStringError("this LLVM cannot write PTX");
  }
  {
    llvm::ScopedFatalErrorHandler handler(giveUp);
    passes.run(**module);
  }
  if (!reason.empty()) {
    return llvm::createStringError("LLVM makes no PTX of these kernels: " +
                                   reason);
  }
  if (llvm::Error failed = checkLocalMemory(text)) {
    return failed;
  }
  return text.str().str();
}

} // namespace cheems::cuda
