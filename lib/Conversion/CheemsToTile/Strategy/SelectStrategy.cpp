// cheems-select-gpu-strategy: every op that becomes kernels says how.
#include "SelectStrategy.h"
#include "Experts/ExpertGroup.h"
#include "Matmul/MatmulGroup.h"
#include "Patterns.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Utils/Refusals.h"
#include "llvm/ADT/TypeSwitch.h"

namespace cheems {
#define GEN_PASS_DEF_SELECTGPUSTRATEGYPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The last extent; none if it may be any.
static std::optional<int64_t> columnsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1)) {
    return std::nullopt;
  }
  return type.getShape().back();
}

MatmulStrategyAttr cheems::tile::strategyOfMatmuls(const MatmulChain &chain,
                                                   const Strategy &strategy) {
  int64_t depth = chain.depth(), bits = 0;
  if (auto coded = dyn_cast<QuantizedMatmulOp>(chain.products[0].op)) {
    bits = int64_t(coded.getBits());
  }
  MLIRContext *context = chain.last()->getContext();
  auto ofMany = [&](MatmulTileAttr many) {
    return MatmulStrategyAttr::get(context, many, {}, 0, {}, {}, {}, {}, {});
  };
  auto ofFew = [&](FewRowsTileAttr few, FewRowsTileAttr one,
                   FewRowsTileAttr making) {
    return MatmulStrategyAttr::get(context, {}, {}, 0, few, one, making,
                                   strategy.madeRow(depth, making),
                                   strategy.mergedSplits(depth));
  };
  int64_t rows = fewRowsOf(chain.last()).value_or(0);
  switch (chain.form()) {
  case MatmulForm::FewRows: {
    FewRowsTileAttr one = strategy.fewRows(1, depth);
    return ofFew(strategy.fewRows(rows, depth), one, one);
  }
  case MatmulForm::QuantizedFewRows:
    return ofFew(strategy.quantizedFewRows(rows, depth, bits),
                 strategy.quantizedFewRows(1, depth, bits),
                 strategy.quantizedFewRows(1, depth, bits, /*makesRow=*/true));
  case MatmulForm::Quantized:
    return ofMany(strategy.coded(chain.outputs(), chain.products.size(), bits));
  case MatmulForm::F32:
    return ofMany(strategy.matmulF32());
  case MatmulForm::ManyRows:
    return ofMany(strategy.manyRows(chain.outputs(), chain.products.size(),
                                    chain.alignment()));
  }
  llvm_unreachable("a form");
}

StrategyAttrInterface cheems::tile::strategyFor(Operation *op,
                                                const Strategy &strategy) {
  using Chosen = StrategyAttrInterface;
  auto wholeRows = [&](Value value) -> Chosen {
    auto columns = columnsOf(value);
    return columns ? Chosen(strategy.wholeRows(*columns)) : Chosen();
  };
  return llvm::TypeSwitch<Operation *, Chosen>(op)
      .Case([&](RmsNormOp norm) { return wholeRows(norm.getX()); })
      .Case([&](RotaryTableOp table) { return wholeRows(table.getCosine()); })
      .Case([&](QuantizeEntriesOp rounding) -> Chosen {
        auto columns = columnsOf(rounding.getX());
        return columns ? Chosen(strategy.piecesOfRows(*columns)) : Chosen();
      })
      .Case([&](GatherRowsOp rows) -> Chosen {
        auto columns = columnsOf(rows.getTable());
        return columns ? Chosen(strategy.oneRow(*columns)) : Chosen();
      })
      .Case([&](PositionsOp positions) -> Chosen {
        return strategy.numbers(positions.getOneRow());
      })
      .Case([&](RotaryOp rotary) -> Chosen {
        auto size = columnsOf(rotary.getX());
        int64_t turned = rotary.getTurned();
        return size ? Chosen(strategy.wholeRows(
                          std::max(turned / 2, *size - turned)))
                    : Chosen();
      })
      .Case([&](linalg::GenericOp generic) -> Chosen {
        if (isMatmulWithKeys(generic)) {
          return strategy.keyScores(
              cast<RankedTensorType>(generic.getInputs()[1].getType()),
              fewRowsOf(generic));
        }
        auto columns = isElementwise(generic) ? columnsOf(generic.getResult(0))
                                              : std::nullopt;
        return columns ? Chosen(strategy.elements(*columns)) : Chosen();
      })
      .Case<linalg::MatmulOp, QuantizedMatmulOp>([&](Operation *op) -> Chosen {
        Product product = Product::of(op);
        MatmulChain chain = product ? chainOf(product) : MatmulChain();
        return chain.has(op) ? Chosen(strategyOfMatmuls(chain, strategy))
                             : Chosen();
      })
      .Case([&](SegmentedAttentionOp attention) -> Chosen {
        return whyNoKernel(attention) ? Chosen()
                                      : Chosen(strategy.attention(attention));
      })
      .Case([&](SegmentedSSDOp ssd) -> Chosen { return strategy.ssd(ssd); })
      .Case([&](TopLogitsOp logits) -> Chosen {
        return strategy.topLogits(logits.getVocabulary(), logits.getCount());
      })
      .Case([&](RetrieveExpertsOp retrieval) {
        return Chosen(strategyOfRetrieval(retrieval, strategy));
      })
      .Case([&](MixExpertsOp mixing) {
        ExpertGroup experts = ExpertGroup::around(mixing);
        return experts.parts.empty() ? Chosen()
                                     : Chosen(experts.strategy(strategy));
      })
      .Default(Chosen());
}

/// The strategy of a group of matmuls, with tiles of very many rows if it has
/// such.
static MatmulStrategyAttr withWiderTiles(MatmulStrategyAttr chosen, GroupOp op,
                                         const Strategy &strategy) {
  MatmulGroup group = MatmulGroup::of(op);
  const MatmulChain &first = group.chains.front();
  if (first.form() != MatmulForm::ManyRows ||
      !cast<ShapedType>(first.x().getType()).isDynamicDim(0)) {
    return chosen;
  }
  SmallVector<int64_t> outputs;
  for (const MatmulChain &one : group.chains) {
    outputs.push_back(one.outputs());
  }
  bool readsTile = llvm::any_of(group.chains, [](const MatmulChain &one) {
    return llvm::any_of(one.others(), [](Value other) {
      return cast<ShapedType>(other.getType()).getRank() > 1;
    });
  });
  auto wider = strategy.wider(outputs, first.products.size(), first.alignment(),
                              readsTile);
  return wider ? MatmulStrategyAttr::get(chosen.getContext(), chosen.getMany(),
                                         wider->tiles, wider->from, {}, {}, {},
                                         {}, {})
               : chosen;
}

SmallVector<Operation *> cheems::tile::opsWithStrategy(GroupOp group) {
  auto first = [](bool hasKernels, auto root) {
    return hasKernels ? SmallVector<Operation *>{root()}
                      : SmallVector<Operation *>();
  };
  if (group.getKind() == GroupKind::Matmuls) {
    MatmulGroup matmuls = MatmulGroup::of(group);
    return first(!matmuls.chains.empty(), [&] { return matmuls.root(); });
  }
  if (group.getKind() == GroupKind::Experts) {
    ExpertGroup experts = ExpertGroup::of(group);
    return first(!experts.parts.empty(), [&] { return experts.root(); });
  }
  return group.getRoots();
}

LogicalResult cheems::tile::verifyElements(func::FuncOp function) {
  auto hasNone = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  };
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (llvm::any_of(op->getOperandTypes(), hasNone) ||
        llvm::any_of(op->getResultTypes(), hasNone)) {
      return emitUnsupported(op)
             << "is on a tensor with an extent of 0: GPUs have no kernel for "
                "it; compile for cpu";
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct SelectGPUStrategy
    : cheems::impl::SelectGPUStrategyPassBase<SelectGPUStrategy> {
  using SelectGPUStrategyPassBase::SelectGPUStrategyPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = module->getAttrOfType<cheems::tile::TargetAttr>(kTarget);
    if (!target) {
      module.emitError("has no #cheems_tile.target as cheems.target");
      return signalPassFailure();
    }
    Strategy strategy(target);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (failed(verifyElements(function))) {
        return signalPassFailure();
      }
      function.walk([&](GroupOp group) {
        for (Operation *each : opsWithStrategy(group)) {
          select(each, strategy, group);
        }
      });
    }
    markAllAnalysesPreserved();
  }

private:
  /// What an op says stays.
  void select(Operation *op, const Strategy &strategy, GroupOp group) {
    if (op->hasAttr(kStrategy)) {
      return;
    }
    StrategyAttrInterface chosen = strategyFor(op, strategy);
    if (group.getKind() == GroupKind::Matmuls) {
      chosen =
          withWiderTiles(cast<MatmulStrategyAttr>(chosen), group, strategy);
    }
    if (chosen) {
      op->setDiscardableAttr(kStrategy, chosen);
    }
  }
};
} // namespace
