// LLVM dialect to LLVM IR to an x86-64 object.
#include "cheems/Target/CPU/CodeGenerator.h"
#include "RaceChecks.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

namespace cheems {

/// Loop strength reduction takes more than a third of the time in the back end,
/// and no code of ours runs faster with it. Its analyses run even if a gate
/// skips the pass. There is no other way to leave it out.
static void withoutStrengthReduction() {
  llvm::cl::Option *option =
      llvm::cl::getRegisteredOptions().lookup("disable-lsr");
  if (option) {
    static_cast<llvm::cl::opt<bool> *>(option)->setValue(true);
  }
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
targetMachine(const TargetInfo &target) {
  static const bool initialised = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    withoutStrengthReduction();
    return true;
  }();
  (void)initialised;
  std::string error;
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend) {
    return llvm::createStringError("this LLVM has no x86-64 back end: " +
                                   error);
  }
  std::string features;
  for (const std::string &feature : target.features) {
    features += (features.empty() ? "+" : ",+") + feature;
  }
  // The features say everything; a CPU name would bring a scheduling model and
  // tuning of its own.
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, "x86-64", features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// Lets bf16 values pass through memory as integers. Some bf16 values live
/// across basic blocks, for example a key that is copied while its new address
/// is checked. On targets without the type, a library's function would widen
/// and narrow them again.
static void moveBF16AsIntegers(llvm::Function &function) {
  auto integer = [](llvm::Type *type) -> llvm::Type * {
    return type->getScalarType()->isBFloatTy()
               ? type->getWithNewType(
                     llvm::Type::getInt16Ty(type->getContext()))
               : nullptr;
  };
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::IRBuilder<> b(&instruction);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (llvm::Type *type = integer(load->getType())) {
        llvm::LoadInst *bits = b.CreateAlignedLoad(
            type, load->getPointerOperand(), load->getAlign());
        bits->copyMetadata(*load);
        load->replaceAllUsesWith(b.CreateBitCast(bits, load->getType()));
        load->eraseFromParent();
      }
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      llvm::Value *value = store->getValueOperand();
      if (llvm::Type *type = integer(value->getType())) {
        b.CreateAlignedStore(b.CreateBitCast(value, type),
                             store->getPointerOperand(), store->getAlign())
            ->copyMetadata(*store);
        store->eraseFromParent();
      }
    }
  }
}

/// The passes of -O2 that our code gains by, each fewer times than there,
/// because our own passes make kernels nearly as they run. Descriptors of
/// memrefs are taken apart before constants are passed between functions, which
/// is slow on structs. The vectoriser is for the loops over single numbers that
/// are left. Jump threading is for a step without a profile: the step then
/// tests for one only once.
constexpr llvm::StringLiteral kPasses =
    "function<eager-inv>(sroa,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint;max-iterations=1>),"
    "ipsccp,deadargelim,constmerge,globaldce,cgscc(inline),"
    "function<eager-inv>(sroa,early-cse<memssa>,jump-threading,"
    "loop-mssa(loop-rotate,licm),simplifycfg,"
    "loop(indvars,loop-deletion,loop-unroll-full),sroa,gvn,"
    "instcombine<no-verify-fixpoint;max-iterations=1>,"
    "loop-mssa(licm),adce,simplifycfg,loop-vectorize,"
    "instcombine<no-verify-fixpoint;max-iterations=1>,"
    "loop-mssa(licm),simplifycfg,div-rem-pairs),"
    "globaldce";

llvm::Expected<std::unique_ptr<llvm::Module>>
generateLLVM(mlir::ModuleOp module, const TargetInfo &target,
             llvm::LLVMContext &context) {
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  std::string reason;
  std::unique_ptr<llvm::Module> result;
  {
    mlir::ScopedDiagnosticHandler handler(
        module.getContext(), [&](mlir::Diagnostic &diagnostic) {
          if (reason.empty()) {
            reason = ": " + diagnostic.str();
            std::string place = placeOf(diagnostic.getLocation());
            reason += place.empty() ? "" : " in " + place;
          }
          return mlir::success();
        });
    result = mlir::translateModuleToLLVMIR(module, context, "cheems");
  }
  if (!result) {
    return llvm::createStringError(
        "internal error: the module does not translate to LLVM IR" + reason);
  }
  auto machine = targetMachine(target);
  if (!machine) {
    return machine.takeError();
  }
  result->setTargetTriple((*machine)->getTargetTriple());
  result->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : *result) {
    function.addFnAttr("target-features", (*machine)->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
    // Loops stay loops: a call of memset or memcpy would be a symbol from
    // outside.
    function.addFnAttr("no-builtins");
    moveBF16AsIntegers(function);
    if (target.addressSanitizer && !function.isDeclaration()) {
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
    }
    if (target.threadSanitizer && !function.isDeclaration()) {
      function.addFnAttr(llvm::Attribute::SanitizeThread);
    }
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine->get());
  llvm::TargetLibraryInfoImpl library((*machine)->getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kPasses));
  if (target.addressSanitizer) {
    // Last: what optimisation removed need not be checked.
    llvm::AddressSanitizerOptions options;
    options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
    passes.addPass(llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false,
                                              /*UseOdrIndicator=*/false));
  }
  passes.run(*result, modules);
  if (target.threadSanitizer) {
    announceVectorAccesses(*result);
    llvm::ModulePassManager checks;
    checks.addPass(
        llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
    modules.clear();
    functions.clear();
    checks.run(*result, modules);
  }
  return result;
}

/// " in FUNCTION" for the function that needs the symbol, if the object tells.
/// Instructions that the target does not have become calls late.
static std::string callerOf(const llvm::object::ObjectFile &object,
                            llvm::StringRef name) {
  using namespace llvm::object;
  for (const SectionRef &section : object.sections()) {
    llvm::Expected<section_iterator> code = section.getRelocatedSection();
    if (!code) {
      llvm::consumeError(code.takeError());
      continue;
    }
    for (const RelocationRef &relocation : section.relocations()) {
      if (llvm::cantFail(relocation.getSymbol()->getName()) != name) {
        continue;
      }
      std::string caller;
      uint64_t start = 0;
      for (const SymbolRef &symbol : object.symbols()) {
        uint64_t value = llvm::cantFail(symbol.getValue());
        if (llvm::cantFail(symbol.getType()) == SymbolRef::ST_Function &&
            llvm::cantFail(symbol.getSection()) == *code && value >= start &&
            value <= relocation.getOffset()) {
          start = value;
          caller = " in " + llvm::cantFail(symbol.getName()).str();
        }
      }
      return caller;
    }
  }
  return "";
}

llvm::Expected<Object> generateObject(llvm::Module &module,
                                      const TargetInfo &target) {
  auto machine = targetMachine(target);
  if (!machine) {
    return machine.takeError();
  }
  Object object;
  llvm::raw_svector_ostream os(object);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                      llvm::CodeGenFileType::ObjectFile)) {
    return llvm::createStringError("this LLVM cannot write object files");
  }
  passes.run(module);

  auto parsed =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
          llvm::StringRef(object.data(), object.size()), "object"));
  if (!parsed) {
    return parsed.takeError();
  }
  for (const llvm::object::SymbolRef &symbol : (*parsed)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!flags || !name) {
      return llvm::joinErrors(flags ? llvm::Error::success()
                                    : flags.takeError(),
                              name ? llvm::Error::success() : name.takeError());
    }
    bool outside = *flags & llvm::object::SymbolRef::SF_Undefined;
    bool known = name->empty() || *name == "cheems_parallel_for" ||
                 (target.addressSanitizer && name->starts_with("__asan_")) ||
                 (target.threadSanitizer && name->starts_with("__tsan_"));
    if (outside && !known) {
      return llvm::createStringError(
          "internal error: the compiled code would call " + *name +
          callerOf(**parsed, *name));
    }
  }
  return object;
}

} // namespace cheems
