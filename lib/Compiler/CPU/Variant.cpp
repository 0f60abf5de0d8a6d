// Compiles the variants of a model's code, side by side.
#include "Variant.h"
#include "cheems/Dialect/Cheems/Utils/ParameterTable.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Pipelines/PassFailure.h"
#include "cheems/Pipelines/Pipelines.h"
#include "cheems/Pipelines/Registration.h"
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
  void stageDone() { add(1); }
  void allDone() { add(kStages); } ///< of one variant

private:
  static constexpr size_t kStages = 3; // passes, LLVM IR, object
  void add(size_t count) {
    std::lock_guard guard(mutex);
    done += count;
    handler("code", static_cast<double>(done) / stages);
  }
  std::mutex mutex;
  ProgressHandler handler;
  size_t stages, done = 0;
};

/// All variants live in one shared object, so each entry carries the name of
/// its own.
void nameEntries(mlir::ModuleOp module, llvm::StringRef variant) {
  for (mlir::Operation &op : module.getOps()) {
    if (auto entry = op.getAttrOfType<mlir::StringAttr>(kEntry)) {
      op.setAttr(kEntry,
                 mlir::StringAttr::get(module.getContext(),
                                       entry.getValue() + "_" + variant));
    }
  }
}

/// Read before the module is lowered to LLVM.
ModuleFacts collectFacts(mlir::ModuleOp module) {
  ModuleFacts facts;
  auto workspace = [&](llvm::StringRef name) {
    auto need =
        module.lookupSymbol(name)->getAttrOfType<mlir::DenseI64ArrayAttr>(
            cpu::kWorkspace);
    return std::array<int64_t, 3>{need[0], need[1], need[2]};
  };
  auto entry = [&](llvm::StringRef name) {
    return module.lookupSymbol(name)
        ->getAttrOfType<mlir::StringAttr>(kEntry)
        .str();
  };
  facts.generalEntry = entry("step");
  facts.decodeEntry = entry("step_decode");
  facts.generalWorkspace = workspace("step");
  facts.decodeWorkspace = workspace("step_decode");
  facts.decodeRows = module.lookupSymbol("step_decode")
                         ->getAttrOfType<mlir::IntegerAttr>(kMostRows)
                         .getInt();
  facts.parameters = parametersOf(module);
  if (auto strategy =
          module->getAttrOfType<cpu::StepStrategyAttr>(cpu::kStrategy)) {
    facts.prefill = strategy.getPrefill();
    if (strategy.getChunk() > 0) {
      facts.ssdChunk = strategy.getChunk();
    }
  }
  auto marks = [&](llvm::StringRef name) {
    std::vector<std::string> parts;
    module.lookupSymbol(name)->walk(
        [&](MarkOp mark) { parts.push_back(mark.getPart().str()); });
    return parts;
  };
  facts.generalMarks = marks("step");
  facts.decodeMarks = marks("step_decode");
  return facts;
}

/// A variant on its way to code.
struct Work {
  CompiledVariant &variant;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< on buffers
  TargetDescription description;            ///< what passes are told
  std::string text; ///< of `module`, without what is the variant's own
  CompiledVariant *twin = nullptr; ///< has the same code
};

/// Which code the passes are for whose output follows.
void announce(const ModelSource &source, const CompiledVariant &variant) {
  if (source.options().watchPasses) {
    llvm::errs() << "// passes for " << variant.target.name << "\n";
  }
}

llvm::Error lowerToBuffers(const ModelSource &source, Work &work) {
  CompiledVariant &variant = work.variant;
  announce(source, variant);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  variant.context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = source.module(*variant.context);
  if (!module) {
    return module.takeError();
  }
  work.module = std::move(*module);
  if (llvm::Error failed =
          runPasses(*work.module, [&](mlir::OpPassManager &pm) {
            buildPipeline(pm, work.description, CPUStage::Imported,
                          CPUStage::Planned);
          })) {
    return failed;
  }
  // Kernels have been chosen by it; nothing reads it any more.
  (*work.module)->removeAttr(kTarget);
  llvm::raw_string_ostream(work.text) << *work.module;
  nameEntries(*work.module, variant.target.name);
  variant.facts = collectFacts(*work.module);
  return llvm::Error::success();
}

llvm::Error generateCode(const ModelSource &source, Work &work,
                         Progress &progress) {
  CompiledVariant &variant = work.variant;
  announce(source, variant);
  if (llvm::Error failed =
          runPasses(*work.module, [&](mlir::OpPassManager &pm) {
            buildPipeline(pm, work.description, CPUStage::Planned,
                          CPUStage::LLVM);
          })) {
    return failed;
  }
  progress.stageDone();

  llvm::LLVMContext context;
  auto code = generateLLVM(*work.module, variant.target, context);
  if (!code) {
    return code.takeError();
  }
  work.module = {};
  progress.stageDone();
  if (source.options().emit == Emit::LLVM) {
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

/// Two variants may have come to the same kernels, as they do for models of
/// f32. Then the code of the lesser variant serves both, because it runs
/// wherever the other one runs.
void findTwins(llvm::MutableArrayRef<Work> works) {
  for (size_t i = 0; i < works.size(); ++i) {
    for (size_t j = works.size() - 1; j > i && !works[i].twin; --j) {
      if (works[i].text == works[j].text &&
          llvm::all_of(works[j].variant.target.features,
                       [&](const std::string &feature) {
                         return works[i].variant.target.has(feature);
                       })) {
        works[i].twin = &works[j].variant;
      }
    }
  }
}

/// Does `step` for all. As many run at a time as this process has CPUs, or one
/// after the other if passes print. Returns the first failure in order.
llvm::Error forAll(llvm::MutableArrayRef<Work> works, bool watched,
                   llvm::function_ref<llvm::Error(Work &)> step) {
  std::vector<std::optional<llvm::Error>> outcomes(works.size());
  llvm::DefaultThreadPool pool(watched
                                   ? llvm::hardware_concurrency(1)
                                   : llvm::optimal_concurrency(works.size()));
  for (auto [work, outcome] : llvm::zip_equal(works, outcomes)) {
    pool.async([&work = work, &outcome = outcome, &step] {
      outcome.emplace(step(work));
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
  return first;
}

/// What must be equal for variants to share one file. Each has a context of its
/// own, so attributes are compared as text.
std::string contract(const ModuleFacts &facts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(facts.parameters, os);
  os << '\n'
     << llvm::join(facts.generalMarks, ",") << '\n'
     << llvm::join(facts.decodeMarks, ",");
  return text;
}
} // namespace

TargetDescription describe(const TargetInfo &target,
                           const CPUOptions &options) {
  TargetDescription description = target.describe(options.scalar);
  description.groupExperts = options.groupExperts;
  return description;
}

llvm::Expected<std::vector<CompiledVariant>>
compileVariants(const ModelSource &source, const CPUOptions &options,
                llvm::ArrayRef<TargetInfo> targets, ProgressHandler progress) {
  std::vector<CompiledVariant> variants(targets.size());
  for (auto [variant, target] : llvm::zip_equal(variants, targets)) {
    variant.target = target;
  }
  std::vector<Work> works;
  works.reserve(variants.size());
  for (CompiledVariant &variant : variants) {
    works.push_back(
        {variant, {}, describe(variant.target, options), {}, nullptr});
  }
  Progress together(progress, targets.size());
  bool watched = source.options().watchPasses;
  if (llvm::Error failed = forAll(works, watched, [&](Work &work) {
        return lowerToBuffers(source, work);
      })) {
    return std::move(failed);
  }
  findTwins(works);
  if (llvm::Error failed =
          forAll(works, watched, [&](Work &work) -> llvm::Error {
            if (!work.twin) {
              return generateCode(source, work, together);
            }
            work.variant.facts.generalEntry = work.twin->facts.generalEntry;
            work.variant.facts.decodeEntry = work.twin->facts.decodeEntry;
            together.allDone();
            return llvm::Error::success();
          })) {
    return std::move(failed);
  }
  for (const CompiledVariant &variant : variants) {
    if (contract(variant.facts) != contract(variants.front().facts)) {
      return llvm::createStringError(
          "internal error: variants " + variants.front().target.name + " and " +
          variant.target.name + " differ in weights or marks");
    }
  }
  return variants;
}

} // namespace cheems
