// cheems-plan-share-areas: areas that are never in use at the same time become
// one.
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h"

namespace cheems::plan {
#define GEN_PASS_DEF_PLANSHAREAREASPASS
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h.inc"
} // namespace cheems::plan

using namespace mlir;
using namespace cheems::plan;

namespace {
/// The launches that use an area, by their numbers.
struct Use {
  AreaOp area;
  size_t number; ///< of the area
  size_t first, last;
};

/// Memory of an area that may serve others.
struct Memory {
  AreaOp area;
  size_t freeFrom; ///< the launch from which on nobody uses it
};

using LaunchNumbers = llvm::DenseMap<Operation *, size_t>;

/// Adds the launches that have `address`, or a tensor map of it, to `launches`.
void follow(Value address, const LaunchNumbers &numbers,
            SmallVectorImpl<size_t> &launches) {
  for (Operation *user : address.getUsers()) {
    if (auto map = dyn_cast<TensorMapOp>(user)) {
      follow(map, numbers, launches);
    } else if (auto found = numbers.find(user); found != numbers.end()) {
      launches.push_back(found->second);
    }
  }
}

struct ShareAreas : cheems::plan::impl::PlanShareAreasPassBase<ShareAreas> {
  void runOnOperation() override {
    LaunchNumbers numbers;
    getOperation().walk(
        [&](LaunchOp launch) { numbers[launch] = numbers.size(); });
    SmallVector<Use> uses;
    for (auto area :
         llvm::make_early_inc_range(getOperation().getOps<AreaOp>())) {
      SmallVector<size_t> launches;
      follow(area, numbers, launches);
      if (!launches.empty()) {
        uses.push_back({area, uses.size(), *llvm::min_element(launches),
                        *llvm::max_element(launches)});
      } else if (area->use_empty()) {
        area.erase();
      }
    }
    llvm::sort(uses, [](const Use &a, const Use &b) {
      return std::pair(a.first, a.number) < std::pair(b.first, b.number);
    });
    SmallVector<Memory> all;
    for (Use &use : uses) {
      auto *memory = llvm::find_if(all, [&](Memory &each) {
        return each.area.getBytes() == use.area.getBytes() &&
               each.freeFrom <= use.first;
      });
      if (memory == all.end()) {
        all.push_back({use.area, use.last + 1});
        continue;
      }
      merge(use.area, memory->area);
      memory->freeFrom = use.last + 1;
    }
  }

  /// Launches with `area` have `memory`.
  static void merge(AreaOp area, AreaOp memory) {
    // It may stand after tensor maps of the other one.
    if (area->isBeforeInBlock(memory)) {
      memory->moveBefore(area);
    }
    area.replaceAllUsesWith(memory.getResult());
    area.erase();
  }
};
} // namespace
