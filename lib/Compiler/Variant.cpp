// Compiles the variants of a model's code, side by side.
#include "Variant.h"
#include "cheems/Pipelines/Registration.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <mutex>

namespace cheems {
namespace {
/// Stages done, of all variants together.
class Progress {
public:
  Progress(ProgressHandler handler, size_t variants)
      : handler(handler), stages(kStages * variants) {}
  void stageDone() {
    std::lock_guard guard(mutex);
    handler("code", static_cast<double>(++done) / stages);
  }

private:
  static constexpr size_t kStages = 3; // passes, LLVM IR, object
  std::mutex mutex;
  ProgressHandler handler;
  size_t stages, done = 0;
};

llvm::Error runPasses(mlir::ModuleOp module,
                      llvm::function_ref<void(mlir::OpPassManager &)> build) {
  mlir::PassManager passes(module.getContext());
  // After every pass it would take a third of the time; our tests have it.
  passes.enableVerifier(false);
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
  if (mlir::failed(passes.run(module)) || mlir::failed(mlir::verify(module))) {
    return llvm::createStringError("internal error: " + diagnostics);
  }
  return llvm::Error::success();
}

/// All variants live in one shared object, so each entry carries the name of
/// its own.
void nameEntries(mlir::ModuleOp module, llvm::StringRef variant) {
  for (mlir::Operation &op : module.getOps()) {
    if (auto entry = op.getAttrOfType<mlir::StringAttr>("cheems.entry")) {
      op.setAttr("cheems.entry",
                 mlir::StringAttr::get(module.getContext(),
                                       entry.getValue() + "_" + variant));
    }
  }
}

llvm::Error compileVariant(const VariantSource &source, Variant &variant,
                           Progress &progress) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  variant.context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = buildModule(*variant.context, source.config, source.import);
  if (mlir::failed(mlir::verify(*module))) {
    return llvm::createStringError(
        "internal error: the imported module is invalid");
  }
  nameEntries(*module, variant.target.name);
  TargetDescription target = variant.target.describe(source.scalar);
  if (llvm::Error failed = runPasses(*module, [&](mlir::OpPassManager &pm) {
        buildFusePipeline(pm, target);
        buildBufferizePipeline(pm, target);
      })) {
    return failed;
  }
  variant.facts = collectFacts(*module, source.import.block);
  if (llvm::Error failed = runPasses(*module, [&](mlir::OpPassManager &pm) {
        buildLLVMPipeline(pm, target);
      })) {
    return failed;
  }
  progress.stageDone();

  llvm::LLVMContext context;
  auto code = generateLLVM(*module, variant.target, context);
  if (!code) {
    return code.takeError();
  }
  module = {};
  progress.stageDone();
  if (source.emitLLVM) {
    llvm::raw_string_ostream(variant.llvm) << **code;
    return llvm::Error::success();
  }
  auto object = generateObject(**code, variant.target);
  if (!object) {
    return object.takeError();
  }
  variant.object = std::move(*object);
  progress.stageDone();
  return llvm::Error::success();
}

/// What must be equal for variants to share one file.
std::string contract(const ModuleFacts &facts) {
  std::string text;
  llvm::raw_string_ostream(text) << facts.parameters << facts.state << '\n'
                                 << llvm::join(facts.generalMarks, ",") << '\n'
                                 << llvm::join(facts.decodeMarks, ",");
  return text;
}
} // namespace

llvm::Expected<std::vector<Variant>>
compileVariants(const VariantSource &source, llvm::ArrayRef<TargetInfo> targets,
                ProgressHandler progress) {
  std::vector<Variant> variants(targets.size());
  for (auto [variant, target] : llvm::zip_equal(variants, targets)) {
    variant.target = target;
  }
  std::vector<std::optional<llvm::Error>> outcomes(targets.size());
  Progress together(progress, targets.size());
  llvm::DefaultThreadPool pool(llvm::optimal_concurrency(targets.size()));
  for (auto [variant, outcome] : llvm::zip_equal(variants, outcomes)) {
    pool.async([&source, &together, &variant = variant, &outcome = outcome] {
      outcome.emplace(compileVariant(source, variant, together));
    });
  }
  pool.wait();
  llvm::Error first = llvm::Error::success();
  for (std::optional<llvm::Error> &outcome : outcomes) {
    if (first) {
      llvm::consumeError(std::move(*outcome));
    } else {
      first = std::move(*outcome);
    }
  }
  if (first) {
    return std::move(first);
  }
  for (const Variant &variant : variants) {
    if (contract(variant.facts) != contract(variants.front().facts)) {
      return llvm::createStringError(
          "internal error: variants " + variants.front().target.name + " and " +
          variant.target.name + " differ in weights, state or marks");
    }
  }
  return variants;
}

} // namespace cheems
