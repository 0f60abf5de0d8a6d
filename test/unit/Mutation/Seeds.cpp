// Sound modules that mutations start from.
#include "Seeds.h"
#include "cheems/Conversion/TileToNVVM/Passes.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h"
#include "cheems/Import/Checkpoint.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/Pipelines/CUDAPipelines.h"
#include "cheems/Pipelines/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/Support/TestPaths.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

namespace cheems::test {
using namespace mlir;

namespace {

const std::filesystem::path kRoot = cheems::test_paths::sourceFolder;

std::string contents(const std::filesystem::path &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> filesOf(const std::filesystem::path &folder,
                                           const std::string &extension) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// Splits at commas outside of brackets.
std::vector<std::string> listed(llvm::StringRef text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (char c : text) {
    depth += llvm::StringRef("<([").contains(c);
    depth -= llvm::StringRef(">)]").contains(c);
    if (c == ',' && depth == 0) {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  for (std::string &item : items) {
    item = llvm::StringRef(item).trim().str();
  }
  return items;
}

/// A function around ops whose operands are arguments: what an example in a
/// description leaves out. Operands and types stand as `(%a, %b : A, B)`.
std::string functionAround(const std::string &example) {
  static const std::regex group(R"(\(((?:%\w+, )*%\w+) : ([^()]*)\))");
  std::map<std::string, std::string> types;
  for (std::sregex_iterator match(example.begin(), example.end(), group), end;
       match != end; ++match) {
    std::vector<std::string> names = listed((*match)[1].str());
    std::vector<std::string> given = listed((*match)[2].str());
    for (size_t i = 0; i < std::min(names.size(), given.size()); ++i) {
      types.try_emplace(names[i], given[i]);
    }
  }
  std::vector<std::string> arguments;
  for (const auto &[name, type] : types) {
    arguments.push_back(name + ": " + type);
  }
  return "func.func @example(" + llvm::join(arguments, ", ") + ") {\n" +
         example + "\n  return\n}\n";
}

class Collector {
  static constexpr size_t kMost =
      20000; ///< a lowered mutant of more takes long

public:
  explicit Collector(MLIRContext &context) : context(context) {}

  /// Functions and kernels that are sound alone become seeds of their own;
  /// otherwise the whole is one. Text that is not sound is no seed.
  void add(const std::string &origin, const std::string &text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      return;
    }
    std::vector<std::string> alone;
    for (Operation &op : *module->getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function && !isa<tile::KernelOp, gpu::GPUModuleOp>(op)) {
        continue;
      }
      OwningOpRef<ModuleOp> single = ModuleOp::create(module->getLoc());
      (*single)->setAttrs((*module)->getAttrDictionary());
      single->push_back(op.clone());
      std::string own = printed(*single);
      if ((function && function.isExternal()) ||
          !parseSourceString<ModuleOp>(own, &context)) {
        return addWhole(origin, printed(*module));
      }
      alone.push_back(own);
    }
    for (const std::string &own : alone) {
      addWhole(origin, own);
    }
  }

  std::vector<Seed> finish() && { return std::move(seeds); }

private:
  void addWhole(const std::string &origin, const std::string &text) {
    seeds.push_back({origin, text});
    if (text.size() > kMost) {
      return; // lowering makes it no smaller
    }
    TargetDescription fast, scalar;
    scalar.scalar = true;
    half(origin + ", tiled", text, [&](OpPassManager &passes) {
      buildPipeline(passes, fast, CPUStage::Imported, CPUStage::Tiled);
    });
    half(origin + ", planned", text, [&](OpPassManager &passes) {
      buildPipeline(passes, fast, CPUStage::Imported, CPUStage::Planned);
    });
    half(origin + ", plain loops", text, [&](OpPassManager &passes) {
      buildPipeline(passes, scalar, CPUStage::Imported, CPUStage::Planned);
    });
    half(origin + ", kernels", text, [&](OpPassManager &passes) {
      buildCUDAPipeline(passes, GPUOptions(), CUDAStage::Imported,
                        CUDAStage::Tile);
    });
    half(origin + ", launches", text, [&](OpPassManager &passes) {
      buildCUDAPipeline(passes, GPUOptions(), CUDAStage::Imported,
                        CUDAStage::Launches);
    });
    half(origin + ", threads", text, [&](OpPassManager &passes) {
      passes.addPass(tile::createTilePlanSharedPass());
      passes.addPass(createLowerTilesPass());
    });
  }

  void half(const std::string &origin, const std::string &text,
            llvm::function_ref<void(OpPassManager &)> build) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    PassManager passes(&context);
    build(passes);
    if (succeeded(passes.run(*module))) {
      std::string lowered = printed(*module);
      if (lowered.size() <= kMost && lowered != text) {
        seeds.push_back({origin, lowered});
      }
    }
  }

  MLIRContext &context;
  std::vector<Seed> seeds;
};

} // namespace

std::vector<Seed> allSeeds(MLIRContext &context) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  Collector seeds(context);
  for (const char *folder :
       {"Dialect/Cheems/IR", "Dialect/CheemsCPU/IR", "Dialect/CheemsTile/IR",
        "Dialect/Cheems/Transforms", "Dialect/CheemsTile/Transforms",
        "Conversion/CheemsToCPU", "Conversion/CPUToVector",
        "Conversion/CheemsToTile", "Conversion/TileToNVVM", "Target/CPU",
        "Target/CUDA"}) {
    for (const auto &file : filesOf(kRoot / "test" / folder, ".mlir")) {
      std::string text = contents(file);
      llvm::SmallVector<llvm::StringRef> pieces;
      llvm::StringRef(text).split(pieces, "// -----");
      for (llvm::StringRef piece : pieces) {
        seeds.add(file.filename(), piece.str());
      }
    }
  }
  for (const char *dialect : {"Cheems", "CheemsCPU"}) {
    for (const auto &file :
         filesOf(kRoot / "include/cheems/Dialect" / dialect / "IR", ".td")) {
      static const std::regex example("```mlir\n([^`]*)```");
      std::string text = contents(file);
      for (std::sregex_iterator match(text.begin(), text.end(), example), end;
           match != end; ++match) {
        seeds.add(file.filename(), functionAround((*match)[1]));
      }
    }
  }
  for (const auto &folder :
       std::filesystem::directory_iterator(kRoot / "test/golden/models")) {
    auto checkpoint =
        Checkpoint::open(folder.path().string(), [](llvm::StringRef) {});
    if (!checkpoint) {
      llvm::consumeError(checkpoint.takeError());
      continue;
    }
    auto module = buildModule(context, checkpoint->model(), {});
    seeds.add(folder.path().filename(), printed(*module));
  }
  std::vector<Seed> result = std::move(seeds).finish();
  std::sort(result.begin(), result.end(),
            [](const Seed &a, const Seed &b) { return a.origin < b.origin; });
  return result;
}

} // namespace cheems::test
