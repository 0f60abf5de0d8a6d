// What every mutant goes through.
#include "Stages.h"
#include "cheems/Pipelines/CUDAPipelines.h"
#include "cheems/Pipelines/Pipelines.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "test/unit/Support/TestPaths.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace cheems::test {
using namespace mlir;

std::vector<Stage> allStages() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(
           std::string(cheems::test_paths::sourceFolder) + "/include/cheems")) {
    if (entry.path().filename() == "Passes.td") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const auto &path : files) {
    std::ifstream file(path);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  static const std::regex declaration(
      R"re(: Pass<"([^"]+)"(?:, "([^"]+)")?>)re");
  std::vector<Stage> stages;
  for (std::sregex_iterator match(text.begin(), text.end(), declaration), end;
       match != end; ++match) {
    std::string name = (*match)[1], anchor = (*match)[2];
    if (name == "cheems-interpret") {
      continue; // changes no module, and wants files to run it on
    }
    std::string nest = anchor.find("FuncOp") != std::string::npos ? "func.func"
                       : anchor.find("GPUModuleOp") != std::string::npos
                           ? "gpu.module"
                           : "";
    stages.push_back({name, nest.empty() ? name : nest + "(" + name + ")"});
  }
  // Before the whole: what fails is said to fail in the shortest of them.
  for (const PipelineStage &stage : cpuStages()) {
    std::string name = cheems::pipelineOf(stage.stage);
    stages.push_back({name, name});
  }
  for (const CUDAPipelineStage &stage : cudaStages()) {
    std::string name = "cheems-cuda-to-" + stringify(stage.stage).str();
    stages.push_back({name, name});
  }
  for (const char *name : {"cheems-fast", "cheems-scalar", "cheems-cuda"}) {
    stages.push_back({name, name});
  }
  return stages;
}

/// Whether a dim asks for a constant extent that a shape does not have.
/// Upstream calls its value undefined and verifies it, but canonicalization of
/// `memref.dim` (with the gpu dialect loaded) and the bounds of slices read
/// past the shape.
static bool asksPastTheShape(ModuleOp module) {
  return module
      .walk([](ShapedDimOpInterface dim) {
        auto shaped = dyn_cast<ShapedType>(dim.getShapedValue().getType());
        std::optional<int64_t> index = getConstantIntValue(dim.getDimension());
        bool past = shaped && shaped.hasRank() && index &&
                    (*index < 0 || *index >= shaped.getRank());
        return past ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether MLIR 22.1 prints an op of its own so that it does not parse: a
/// vector.insert or vector.extract without an operand for a position that is
/// not static, which it verifies, and a memref.prefetch with more attributes.
static bool isPrintedWrongly(ModuleOp module) {
  auto lacks = [](auto op) {
    return llvm::count_if(op.getStaticPosition(), ShapedType::isDynamic) !=
           int64_t(op.getDynamicPosition().size());
  };
  return module
      .walk([&](Operation *op) {
        auto insert = dyn_cast<vector::InsertOp>(op);
        auto extract = dyn_cast<vector::ExtractOp>(op);
        return (insert && lacks(insert)) || (extract && lacks(extract)) ||
                       (isa<memref::PrefetchOp>(op) &&
                        !op->getDiscardableAttrs().empty())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether MLIR 22.1 crashes while it parses this: it asks for the width of
/// `index` in an array, and stores a list of a linalg op that did not parse.
static bool crashesTheParser(const std::string &text) {
  static const std::regex torn(
      R"re((permutation|dimensions) =(?! \[(\d+(, \d+)*)?\]))re");
  return StringRef(text).contains("array<index") ||
         (StringRef(text).contains("linalg.") && std::regex_search(text, torn));
}

bool passThrough(MLIRContext &context, const std::string &text,
                 const std::vector<Stage> &stages,
                 llvm::function_ref<void(const std::string &)> at) {
  std::string first;
  ScopedDiagnosticHandler quiet(&context, [&](Diagnostic &diagnostic) {
    if (first.empty()) {
      first = diagnostic.str();
    }
  });
  if (crashesTheParser(text)) {
    return false;
  }
  ParserConfig config(&context);
  at("parse");
  auto module = parseSourceString<ModuleOp>(text, config);
  if (!module) {
    return false;
  }
  if (isPrintedWrongly(*module)) {
    return false;
  }
  at("print");
  std::string printed;
  llvm::raw_string_ostream(printed) << *module;
  at("parse back");
  first.clear();
  if (!parseSourceString<ModuleOp>(printed, config)) {
    llvm::errs() << "what was printed does not parse: " << first << "\n"
                 << printed;
    std::abort();
  }
  if (asksPastTheShape(*module)) {
    return false;
  }
  for (const Stage &stage : stages) {
    at(stage.name);
    OwningOpRef<ModuleOp> copy(module->clone());
    PassManager passes(&context);
    if (failed(parsePassPipeline(stage.pipeline, passes))) {
      llvm::errs() << "no such pass: " << stage.pipeline << "\n";
      std::abort();
    }
    (void)passes.run(*copy);
  }
  return true;
}

} // namespace cheems::test
