// Experts: one launch has the scores, the retrieval and the sums of a row.
#include "Builder/Elementwise.h"
#include "ExpertGroup.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Kernels take any count of rows, and tables with any count of experts.
static SmallVector<Type> argumentsFor(ValueRange inputs, ValueRange outputs) {
  SmallVector<Type> arguments;
  for (ValueRange operands : {inputs, outputs}) {
    for (Value operand : operands) {
      bool isRows = cast<ShapedType>(operand.getType()).getRank() == 2;
      arguments.push_back(argumentFor(operand.getType(), isRows ? 1 : 0));
    }
  }
  return arguments;
}

namespace {
/// What the op finds is stored.
struct RetrieveToTile : GroupToKernels<GroupKind::RetrievedExperts> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    auto op = rootOf<RetrieveExpertsOp>(group);
    if (!op || !op.hasPureTensorSemantics() || whyNoKernel(op)) {
      return rewriter.notifyMatchFailure(group, "it is no retrieval alone");
    }
    inlineGroup(rewriter, group);
    RetrievalForm form = formOf(op);
    int64_t heads = cast<ShapedType>(op.getScore().getType()).getDimSize(1);
    auto s = strategyOf<ExpertsStrategyAttr>(op);
    auto body = [&](TileBuilder &t, ValueRange memory) {
      Value row = t.block(GridDimension::X), head = t.block(GridDimension::Y);
      auto buffers = RetrievalBuffers::alloc(t, s, form);
      ScoredList list = retrieve(
          t, s, form, buffers, [&](TileBuilder &t, RankedTensorType type) {
            return loadScores(t, type, memory[0], row, head);
          });
      // The first of the copies.
      Place place{{row, head, t.index(0)},
                  {1, 2},
                  {t.add(head, 1), t.index(form.experts)}};
      t.store(t.bitcast(list.bits, t.b.getF32Type()), memory[1], place);
      t.store(list.ids, memory[2], place);
    };
    ValueRange outputs = op.getDpsInits();
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "retrieve_experts",
                    argumentsFor(op.getScores(), outputs), s.getWarps(), body);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto made = launch(b, kernel,
                       {tilesOf(b, op.getScores(), 0, 1),
                        arith::ConstantIndexOp::create(b, heads)},
                       op.getScores(), outputs);
    rewriter.replaceOp(op, made.getResults());
    return success();
  }
};

struct ExpertsToTile : GroupToKernels<GroupKind::Experts> {
  using GroupToKernels::GroupToKernels;

  LogicalResult make(GroupOp group, PatternRewriter &rewriter) const override {
    ExpertGroup experts = ExpertGroup::of(group);
    if (experts.parts.empty()) {
      return rewriter.notifyMatchFailure(group, "one launch cannot have all");
    }
    inlineGroup(rewriter, group);
    MixExpertsOp root = experts.root();
    auto s = strategyOf<ExpertsStrategyAttr>(root);
    ImplicitLocOpBuilder b(root.getLoc(), rewriter);
    SmallVector<Value> inputs = experts.operands();
    llvm::append_range(inputs, experts.sources());
    SmallVector<Value> outputs;
    for (MixExpertsOp part : experts.parts) {
      outputs.push_back(filledWithZeros(part.getY()));
    }
    FlatSymbolRefAttr kernel =
        kernels.get(root.getLoc(), experts.retrieve ? "experts" : "mix_experts",
                    argumentsFor(inputs, outputs), s.getWarps(),
                    [&](TileBuilder &t, ValueRange memory) {
                      build(t, experts, s, memory);
                    });
    auto made = launch(
        b, kernel,
        {tilesOf(b, root.getX(), 0, 1),
         arith::ConstantIndexOp::create(b, int64_t(experts.parts.size()))},
        inputs, outputs);
    for (auto [part, sum] : llvm::zip_equal(experts.parts, made.getResults())) {
      rewriter.replaceOp(part, sum);
    }
    return success();
  }

private:
  /// \param memory the group's operands and sources; then the sums.
  static void build(TileBuilder &t, const ExpertGroup &group,
                    ExpertsStrategyAttr s, ValueRange memory) {
    size_t operands = group.operands().size();
    RetrievalForm form = group.form();
    MixExpertsOp mix = group.root();
    ValueRange sources = memory.slice(operands, group.sources().size());
    ValueRange outs = memory.drop_front(operands + sources.size());
    bool isQuantized = operands > 3;
    Value row = t.block(GridDimension::X), part = t.block(GridDimension::Y);
    Mixing mixing{s,
                  form.experts,
                  cast<ShapedType>(mix.getX().getType()).getDimSize(1),
                  mix.getPlacement(),
                  mix.getActivation(),
                  memory[0],
                  memory[1],
                  memory[2],
                  isQuantized ? memory[3] : Value(),
                  isQuantized ? memory[4] : Value()};
    RetrievalBuffers buffers;
    ScoreBuffer scores;
    if (group.retrieve) {
      buffers = RetrievalBuffers::alloc(t, s, form);
    }
    if (group.scores) {
      scores = ScoreBuffer::alloc(t, s);
    }
    mixing.allocate(t);
    auto listOf = [&](Value head) -> ScoredList {
      if (!group.retrieve) {
        return loadList(t, s, sources, row, head);
      }
      if (group.scores) {
        scores.compute(t, s, sources[0], sources[1], row, head);
      }
      return retrieve(
          t, s, form, buffers, [&](TileBuilder &t, RankedTensorType type) {
            return group.scores ? scores.bits(t, type)
                                : loadScores(t, type, sources[0], row, head);
          });
    };
    mixing.begin(t, row);
    Value sums = mixing.zero(t);
    if (s.getHeads() == 1) {
      sums = mixing.add(t, sums, listOf(part));
    } else {
      bool hasAll = outs.size() == 1;
      Value first = hasAll ? t.index(0) : t.mul(part, s.getHeads());
      Value end = t.index(group.heads());
      if (!hasAll) {
        end = t.minimum(t.add(first, s.getHeads()), end);
      }
      sums = t.loop(first, end, 1, sums,
                    [&](Value head, ValueRange state) -> SmallVector<Value> {
                      return {mixing.add(t, state[0], listOf(head))};
                    })[0];
    }
    if (outs.size() == 1) {
      mixing.store(t, sums, outs[0]);
      return;
    }
    for (int64_t number = 0; number < int64_t(outs.size()); ++number) {
      t.when(t.isEqual(part, t.index(number)),
             [&] { mixing.store(t, sums, outs[size_t(number)]); });
    }
  }

  /// From memory [T, H, k], the same in each row of a tile.
  static ScoredList loadList(TileBuilder &t, ExpertsStrategyAttr s,
                             ValueRange memory, Value row, Value head) {
    RankedTensorType type = tileOf(t, s.getPairs(), t.b.getI32Type());
    Value rows = t.fillInteger(t.sliceType(type, 1), 0);
    Place place{{row, head, t.index(0)}, {1, 2}};
    Value score =
        t.gather(t.withElement(type, t.b.getF32Type()), memory[0], place, rows);
    return {t.bitcast(score, t.b.getI32Type()),
            t.gather(type, memory[1], place, rows)};
  }
};
} // namespace

void cheems::tile::populateExpertsToTile(RewritePatternSet &patterns,
                                         KernelTable &kernels) {
  patterns.add<RetrieveToTile, ExpertsToTile>(patterns.getContext(), kernels);
}
