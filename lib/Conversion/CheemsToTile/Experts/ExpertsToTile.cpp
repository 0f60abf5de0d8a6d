// Experts: one launch has the scores, the retrieval and the sum of a head,
// where they follow each other.
#include "ExpertKernels.h"
#include "Patterns.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"

namespace cheems {
#define GEN_PASS_DEF_EXPERTSTOTILEPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

static RetrievalForm formOf(RetrieveExpertsOp op) {
  return {shapeOf(op.getScores())[3], shapeOf(op.getScore())[2],
          op.getAscending()};
}

std::optional<std::string> cheems::tile::whyNoKernel(RetrieveExpertsOp op) {
  RetrievalForm form = formOf(op);
  if (form.keys > kMostKeys) {
    return "has more than " + std::to_string(kMostKeys) + " keys per half";
  }
  if (form.kept() > kMostKept) {
    return "makes pairs of more than " + std::to_string(kMostKept) +
           " keys per half";
  }
  return std::nullopt;
}

std::optional<std::string> cheems::tile::whyNoKernel(MixExpertsOp op) {
  if (shapeOf(op.getScore())[2] > kMostExperts) {
    return "adds more than " + std::to_string(kMostExperts) +
           " experts of a head";
  }
  if (shapeOf(op.getX())[1] > kMostTableColumns) {
    return "has rows of more than " + std::to_string(kMostTableColumns) +
           " numbers";
  }
  return std::nullopt;
}

/// The retrieval whose results the sum alone reads; null if there is none.
static RetrieveExpertsOp retrievalFor(MixExpertsOp op) {
  auto retrieve = op.getScore().getDefiningOp<RetrieveExpertsOp>();
  bool isOwn = retrieve && op.getExpert().getDefiningOp() == retrieve &&
               op.getScore().hasOneUse() && op.getExpert().hasOneUse() &&
               !whyNoKernel(retrieve);
  return isOwn ? retrieve : RetrieveExpertsOp();
}

/// Whether a sum takes the retrieval with it.
static bool isTaken(RetrieveExpertsOp op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    auto mix = dyn_cast<MixExpertsOp>(user);
    return mix && retrievalFor(mix) == op && !whyNoKernel(mix);
  });
}

/// The scores that a sum of few rows can take with its retrieval; null if there
/// are none.
static linalg::GenericOp scoresFor(MixExpertsOp op,
                                   RetrieveExpertsOp retrieve) {
  auto scores = retrieve.getScores().getDefiningOp<linalg::GenericOp>();
  bool isOwn = scores && isMatmulWithKeys(scores) && scores->hasOneUse() &&
               hasFewRows(op);
  return isOwn ? scores : linalg::GenericOp();
}

ExpertsStrategyAttr cheems::tile::strategyOfExperts(RetrieveExpertsOp op,
                                                    const Strategy &strategy) {
  if (whyNoKernel(op) || isTaken(op)) {
    return {};
  }
  RetrievalForm form = formOf(op);
  return strategy.experts(shapeOf(op.getScore())[1], form.keys,
                          rankedPairs(form), form.experts, 1,
                          Float32Type::get(op.getContext()), hasFewRows(op),
                          /*withKeys=*/false);
}

ExpertsStrategyAttr cheems::tile::strategyOfExperts(MixExpertsOp op,
                                                    const Strategy &strategy) {
  if (whyNoKernel(op)) {
    return {};
  }
  int64_t experts = shapeOf(op.getScore())[2], keys = 1, pairs = experts;
  bool withKeys = false;
  if (RetrieveExpertsOp retrieve = retrievalFor(op)) {
    RetrievalForm form = formOf(retrieve);
    keys = form.keys;
    pairs = rankedPairs(form);
    linalg::GenericOp scores = scoresFor(op, retrieve);
    withKeys = scores && Strategy::takesKeys(cast<RankedTensorType>(
                             scores.getInputs()[1].getType()));
  }
  auto table = cast<RankedTensorType>(op.getDown().getType());
  return strategy.experts(shapeOf(op.getScore())[1], keys, pairs, experts,
                          table.getDimSize(1), table.getElementType(),
                          hasFewRows(op), withKeys);
}

/// Kernels take any count of rows, and tables with any count of experts.
static SmallVector<Type> argumentsFor(ValueRange inputs, ValueRange outputs) {
  SmallVector<Type> arguments;
  for (ValueRange operands : {inputs, outputs}) {
    for (Value operand : operands) {
      bool isRows = shapeOf(operand).size() == 2;
      arguments.push_back(argumentFor(operand.getType(), isRows ? 1 : 0));
    }
  }
  return arguments;
}

/// The matrix [E, 1] that scales [E] are all of; else they themselves.
static Value columnOf(Value scales) {
  auto slice = scales.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice.getSourceType().getNumElements() ==
                      slice.getType().getNumElements()
             ? slice.getSource()
             : scales;
}

namespace {
/// The op runs by itself: what it finds is stored.
struct RetrieveToTile : ToKernel<RetrieveExpertsOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(RetrieveExpertsOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(op, "it is on buffers");
    }
    if (auto why = whyNoKernel(op)) {
      return rewriter.notifyMatchFailure(op, *why);
    }
    if (isTaken(op)) {
      return rewriter.notifyMatchFailure(op, "the sum takes it");
    }
    RetrievalForm form = formOf(op);
    int64_t heads = shapeOf(op.getScore())[1];
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

/// What one kernel has.
struct ExpertChain {
  MixExpertsOp mix;
  RetrieveExpertsOp retrieve; ///< may be null
  linalg::GenericOp scores;   ///< may be null

  /// x and the tables, with the scales of quantized values.
  SmallVector<Value> operands() {
    SmallVector<Value> all = {mix.getX(), mix.getDown(), mix.getUp()};
    for (Value scales : {mix.getDownScales(), mix.getUpScales()}) {
      if (scales) {
        all.push_back(columnOf(scales));
      }
    }
    return all;
  }

  /// The ids come from these buffers, which follow the operands.
  SmallVector<Value> sources() {
    if (scores) {
      return scores.getDpsInputs();
    }
    if (retrieve) {
      return {retrieve.getScores()};
    }
    return {mix.getScore(), mix.getExpert()};
  }
};

struct MixToTile : ToKernel<MixExpertsOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(MixExpertsOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(op, "it is on buffers");
    }
    if (auto why = whyNoKernel(op)) {
      return rewriter.notifyMatchFailure(op, *why);
    }
    ExpertChain chain = chainOf(op);
    int64_t heads = shapeOf(op.getScore())[1],
            experts = shapeOf(op.getScore())[2];
    RetrievalForm form = chain.retrieve ? formOf(chain.retrieve)
                                        : RetrievalForm{1, experts, false};
    auto s = strategyOf<ExpertsStrategyAttr>(op);

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> inputs = chain.operands();
    llvm::append_range(inputs, chain.sources());
    int64_t parts = llvm::divideCeil(heads, s.getHeads());
    SmallVector<Value> outputs;
    for (int64_t part = 0; part < parts; ++part) {
      outputs.push_back(tensor::EmptyOp::create(
          b, tensor::getMixedSizes(b, b.getLoc(), op.getX()), b.getF32Type()));
    }
    StringRef name = chain.retrieve ? "experts" : "mix_experts";
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), name, argumentsFor(inputs, outputs),
                    s.getWarps(), [&](TileBuilder &t, ValueRange memory) {
                      build(t, chain, s, form, heads, memory);
                    });
    auto made = launch(
        b, kernel,
        {tilesOf(b, op.getX(), 0, 1), arith::ConstantIndexOp::create(b, parts)},
        inputs, outputs);
    rewriter.replaceOp(op, addAll(b, made.getResults(), op.getY()));
    return success();
  }

private:
  static ExpertChain chainOf(MixExpertsOp op) {
    ExpertChain chain{op, {}, {}};
    chain.retrieve = retrievalFor(op);
    if (chain.retrieve && strategyOf<ExpertsStrategyAttr>(op).getWithKeys()) {
      chain.scores = scoresFor(op, chain.retrieve);
    }
    return chain;
  }

  /// \param memory the chain's operands and sources; then the sums.
  static void build(TileBuilder &t, ExpertChain chain, ExpertsStrategyAttr s,
                    const RetrievalForm &form, int64_t heads,
                    ValueRange memory) {
    size_t operands = chain.operands().size();
    ValueRange sources = memory.slice(operands, chain.sources().size());
    ValueRange outs = memory.drop_front(operands + sources.size());
    bool isQuantized = operands > 3;
    Value row = t.block(GridDimension::X), part = t.block(GridDimension::Y);
    Mixing mixing{s,
                  form.experts,
                  shapeOf(chain.mix.getX())[1],
                  chain.mix.getPlacement(),
                  chain.mix.getActivation(),
                  memory[0],
                  memory[1],
                  memory[2],
                  isQuantized ? memory[3] : Value(),
                  isQuantized ? memory[4] : Value()};
    RetrievalBuffers buffers;
    ScoreBuffer scores;
    if (chain.retrieve) {
      buffers = RetrievalBuffers::alloc(t, s, form);
    }
    if (chain.scores) {
      scores = ScoreBuffer::alloc(t, s);
    }
    mixing.allocate(t);
    auto listOf = [&](Value head) -> ScoredList {
      if (!chain.retrieve) {
        return loadList(t, s, sources, row, head);
      }
      if (chain.scores) {
        scores.compute(t, s, sources[0], sources[1], row, head);
      }
      return retrieve(
          t, s, form, buffers, [&](TileBuilder &t, RankedTensorType type) {
            return chain.scores ? scores.bits(t, type)
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
      Value end = t.index(heads);
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

  /// y + the parts, in their order. What a matmul or an elementwise op gives
  /// is an input, so that one kernel can have all.
  static Value addAll(ImplicitLocOpBuilder &b, ValueRange parts, Value y) {
    Operation *before = y.getDefiningOp();
    bool isInput =
        isa_and_nonnull<linalg::MatmulOp, QuantizedMatmulOp, linalg::GenericOp>(
            before);
    SmallVector<Value> inputs(parts);
    Value out = y;
    if (isInput) {
      inputs.insert(inputs.begin(), y);
      out = tensor::EmptyOp::create(
          b, tensor::getMixedSizes(b, b.getLoc(), parts[0]), b.getF32Type());
    }
    SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, out.getType(), inputs, out, maps, loops,
               [&](OpBuilder &inner, Location loc, ValueRange arguments) {
                 Value sum = isInput ? arguments[0] : arguments.back();
                 for (Value part : arguments.slice(isInput, parts.size())) {
                   sum = arith::AddFOp::create(inner, loc, sum, part);
                 }
                 linalg::YieldOp::create(inner, loc, sum);
               })
        .getResult(0);
  }
};
} // namespace

static bool isOfExperts(Operation *op) {
  return isa<RetrieveExpertsOp, MixExpertsOp>(op);
}

namespace {
struct ExpertsToTile : cheems::impl::ExpertsToTilePassBase<ExpertsToTile> {
  using ExpertsToTilePassBase::ExpertsToTilePassBase;

  void runOnOperation() override {
    if (failed(verifyStrategiesOfExperts(getOperation()))) {
      return signalPassFailure();
    }
    KernelTable kernels(getOperation());
    auto populate = [&](RewritePatternSet &patterns) {
      // The sum takes its retrieval with it.
      patterns.add<MixToTile>(&getContext(), kernels, /*benefit=*/2);
      patterns.add<RetrieveToTile>(&getContext(), kernels);
    };
    bool hasExperts = getOperation()
                          .walk([](Operation *op) {
                            return isOfExperts(op) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                          })
                          .wasInterrupted();
    if (hasExperts &&
        (failed(rewriteFunctions(getOperation(), populate)) ||
         failed(rewriteFunctions(getOperation(), populateFuseElementwise)))) {
      signalPassFailure();
    }
  }
};
} // namespace
