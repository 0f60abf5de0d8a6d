// Each stage knows where ops come from: their locations name parts of layers,
// and tensors of the checkpoint.
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Import/Checkpoint.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/Pipelines/PassFailure.h"
#include "cheems/Pipelines/Pipelines.h"
#include "cheems/Pipelines/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "test/unit/Support/TestPaths.h"
#include "gmock/gmock.h"
#include <set>

namespace cheems {
namespace {
using namespace mlir;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// One number for many places, or a scalar of an op that names its own: these
/// say nothing.
bool mayBeNameless(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<linalg::LinalgOp>(op->getParentOp());
}

class Locations : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    Checkpoint checkpoint = llvm::cantFail(
        Checkpoint::open(std::string(cheems::test_paths::sourceFolder) +
                             "/test/golden/models/" + GetParam(),
                         [](llvm::StringRef) {}));
    module = buildModule(*context, checkpoint.model(), {});
  }

  void run(CPUStage from, CPUStage to) {
    llvm::cantFail(runPasses(*module, [&](OpPassManager &pm) {
      buildPipeline(pm, TargetDescription(), from, to);
    }));
  }

  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

TEST_P(Locations, everyOpOfAStepNamesAPartAtEveryStage) {
  CPUStage at = CPUStage::Imported;
  while (true) {
    std::set<std::string> nameless;
    module->walk([&](Operation *op) {
      if (op->getParentOfType<func::FuncOp>() && !mayBeNameless(op) &&
          partsOf(op->getLoc()).empty()) {
        nameless.insert(op->getName().getStringRef().str());
      }
    });
    EXPECT_THAT(nameless, IsEmpty()) << "at stage " << stringify(at).str();
    if (at == CPUStage::Outlined) {
      break;
    }
    auto next = static_cast<CPUStage>(static_cast<int>(at) + 1);
    run(at, next);
    at = next;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Locations,
                         testing::Values("cheems-moe", "cheems-paper",
                                         "cheems-long", "doge-window"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

struct MergedLocations : Locations {};

TEST_P(MergedLocations, matmulsNameAllTheirTensors) {
  run(CPUStage::Imported, CPUStage::Fused);
  std::set<std::string> products;
  module->walk([&](cpu::LinearOp op) {
    products.insert(describeParts(op->getLoc()));
    EXPECT_FALSE(partsOf(op.getWeights()[0].getLoc()).empty());
  });
  EXPECT_THAT(
      products,
      ElementsAre("attn.dt_proj", "attn.o_proj, post_sequence_residual",
                  "attn.q_proj, k_proj, v_proj",
                  "feed_forward", // the product keys
                  "feed_forward.down_proj", "feed_forward.gate_proj, up_proj",
                  "feed_forward.queries", "ssd.c_proj, b_proj, x_proj, dt_proj",
                  "ssd.out_proj, post_sequence_residual", "word_embed"));
}

TEST_P(MergedLocations, pairedTablesNameBoth) {
  run(CPUStage::Imported, CPUStage::Fused);
  std::set<std::string> tables;
  module->walk([&](ParameterOp op) {
    if (op.getNames().size() == 2 && op.getByColumns()) {
      tables.insert(describeParts(op->getLoc()));
    }
  });
  EXPECT_THAT(tables, Contains("layers.0.feed_forward.down_embed, up_embed"));
}

INSTANTIATE_TEST_SUITE_P(Experts, MergedLocations,
                         testing::Values("cheems-moe"));
} // namespace
} // namespace cheems
