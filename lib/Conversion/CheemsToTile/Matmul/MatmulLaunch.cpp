// Makes the kernels of matmuls, and their launches.
#include "MatmulLaunch.h"
#include "Builder/RowCount.h"
#include "QuantizedMatmulKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// What makes the only row that is multiplied, if it is to be part of the
/// kernel: a norm, or the merging of splits, and the quantization.
struct RowMaker {
  const NormChain *norm = nullptr;
  const SplitsOfRow *pieces = nullptr;
  QuantizeEntriesOp rounding = {};
};

/// The kernel of a group, and its launch.
class GroupLaunch {
public:
  /// \param fewRows if the group has few rows: at most so many.
  /// \param isWide with the tiles of very many rows.
  GroupLaunch(const MatmulGroup &group, KernelTable &kernels, int64_t fewRows,
              RowMaker maker = {}, bool isWide = false)
      : group(group), kernels(kernels), first(group.chains.front()),
        form(first.form()), isOneRow(fewRows == 1), isWide(isWide),
        norm(maker.norm), pieces(maker.pieces), rounding(maker.rounding) {
    MatmulStrategyAttr strategy = first.strategy();
    bool makesRow = norm || pieces || rounding;
    few = makesRow   ? strategy.getMaking()
          : isOneRow ? strategy.getOne()
                     : strategy.getFew();
    many = isWide ? strategy.getWide() : strategy.getMany();
    row = strategy.getRow();
    merge = strategy.getMerge();
  }

  /// A launch before the insertion point, whose results are those of the
  /// chains.
  /// \param outs what the chains write to; then, with a norm that others read,
  ///   where that is written to.
  /// \param when the launch's condition; null: always.
  SmallVector<Value> make(ImplicitLocOpBuilder &b, ValueRange outs,
                          Value when) {
    takeOperands(outs);
    SmallVector<Type> arguments;
    auto add = [&](Value operand) {
      auto type = cast<ShapedType>(operand.getType());
      bool isFactor = llvm::is_contained(factors, operand);
      arguments.push_back(
          argumentFor(type, isFactor ? type.getRank() : type.getRank() - 1));
    };
    llvm::for_each(inputs, add);
    for (auto [number, operand] : llvm::enumerate(mapped)) {
      arguments.push_back(
          TensorMapType::get(b.getContext(), number == 0 ? rows() : columns(),
                             many.getDepth(), getElementTypeOrSelf(operand)));
    }
    llvm::for_each(outputs, add);
    SmallVector<Value> ins(inputs);
    llvm::append_range(ins, mapped);
    FlatSymbolRefAttr kernel = kernels.get(
        group.at->getLoc(), name(), arguments, warps(),
        [&](TileBuilder &t, ValueRange memory) { build(t, memory); });
    Value blocks;
    for (Value out : outs.take_front(group.chains.size())) {
      Value own = tilesOf(b, out, 1, columns());
      blocks = blocks ? b.createOrFold<arith::AddIOp>(blocks, own) : own;
    }
    return launch(b, kernel, {blocks, tilesOf(b, outs[0], 0, rows())}, ins,
                  outputs, when)
        .getResults();
  }

private:
  bool hasFewRows() const {
    return form == MatmulForm::FewRows || form == MatmulForm::QuantizedFewRows;
  }
  bool isQuantized() const { return first.products[0].isQuantized(); }
  int64_t rows() const { return hasFewRows() ? few.getRows() : many.getRows(); }
  int64_t columns() const {
    return hasFewRows() ? few.getColumns() : many.getColumns();
  }
  int64_t warps() const {
    return hasFewRows() ? few.getWarps() : many.getWarpsM() * many.getWarpsN();
  }
  int64_t bits() const {
    return int64_t(cast<QuantizedMatmulOp>(first.products[0].op).getBits());
  }
  std::string name() const {
    if (isOneRow) {
      StringRef made = norm       ? "normed_"
                       : pieces   ? "merged_"
                       : rounding ? "rounded_"
                                  : "";
      StringRef codes = !isQuantized() ? "" : bits() == 8 ? "_int8" : "_int4";
      return (made + "matmul" + codes + "_of_one_row").str();
    }
    switch (form) {
    case MatmulForm::FewRows:
      return "matmul_few_rows";
    case MatmulForm::F32:
      return "matmul_f32";
    case MatmulForm::ManyRows:
      return isWide ? "matmul_wide" : "matmul";
    case MatmulForm::Quantized:
      return bits() == 8 ? "matmul_int8" : "matmul_int4";
    case MatmulForm::QuantizedFewRows:
      return bits() == 8 ? "matmul_int8_few_rows" : "matmul_int4_few_rows";
    }
    llvm_unreachable("a form");
  }

  /// x or what it is made of, then of each chain its weights and what is read
  /// besides the sums; then, for bulk copies, x and all weights; then all
  /// results. Quantized values have their scales after them.
  void takeOperands(ValueRange outs) {
    if (norm) {
      RmsNormOp op = norm->norm;
      inputs = {op.getX(), op.getWeight()};
    } else if (pieces) {
      inputs = pieces->operands();
    } else if (rounding) {
      QuantizeEntriesOp op = rounding;
      inputs = {op.getX()};
    } else {
      llvm::append_range(inputs, first.inputs());
    }
    ownInputs = inputs.size();
    llvm::append_range(factors, inputs);
    for (const MatmulChain &chain : group.chains) {
      for (Product product : chain.products) {
        llvm::append_range(inputs, product.weights());
        llvm::append_range(factors, product.weights());
      }
      llvm::append_range(inputs, chain.others());
    }
    llvm::append_range(outputs, outs);
    if (!many || many.getCopy() != OperandCopy::Bulk) {
      return;
    }
    mapped = {inputs[0]};
    for (const MatmulChain &chain : group.chains) {
      for (Product product : chain.products) {
        mapped.push_back(product.weights()[0]);
      }
    }
  }

  /// What a block has: buffers, and the memory that its chains take in turn.
  struct Body {
    TileBuilder &t;
    ValueRange memory;
    MatmulBuffers buffers;
    Value block, rowBlock;
    Value kept; ///< where a norm is stored that others read; may be null
    Value row;  ///< the buffer of a row that the block makes; may be null
    QuantizedRow codes;
    std::optional<RowMerger> merger;
    ValueRange maps; ///< of x, and then of all weights
    size_t next, nextMap = 1;

    SmallVector<Value> take(size_t count) {
      next += count;
      return SmallVector<Value>(memory.slice(next - count, count));
    }
  };

  void build(TileBuilder &t, ValueRange memory) {
    MatmulBuffers buffers;
    if (form == MatmulForm::Quantized) {
      buffers = allocQuantized(t, many, bits(), first.products.size());
    } else if (!hasFewRows()) {
      buffers = MatmulBuffers::alloc(t, many, getElementTypeOrSelf(first.x()),
                                     first.products.size(), many.getDepth());
    }
    ValueRange outs =
        memory.take_back(outputs.size()).take_front(group.chains.size());
    Body body{t, memory, buffers};
    body.block = t.block(GridDimension::X);
    body.kept = outputs.size() > outs.size() ? memory.back() : Value();
    bool makesNumbers = !rounding && (norm || pieces);
    body.row = makesNumbers ? allocRow(t) : Value();
    body.codes = rounding ? QuantizedRow::alloc(t, this->row) : QuantizedRow{};
    if (pieces) {
      body.merger.emplace(t, merge, this->row, *pieces);
    }
    body.rowBlock = t.block(GridDimension::Y);
    body.maps = memory.slice(inputs.size(), mapped.size());
    body.next = ownInputs;
    if (outs.size() == 1) {
      buildChain(body, first, outs[0], body.block);
      return;
    }
    Value begin = t.index(0);
    for (size_t i = 0; i < outs.size(); ++i) {
      Value out = outs[i];
      Value end = t.add(begin, t.ceilDiv(t.extent(out, 1), columns()));
      Value isOwn = arith::AndIOp::create(
          t.b,
          arith::CmpIOp::create(t.b, arith::CmpIPredicate::uge, body.block,
                                begin),
          t.isLess(body.block, end));
      t.when(isOwn, [&] {
        buildChain(body, group.chains[i], out, t.sub(body.block, begin));
      });
      begin = end;
    }
  }

  /// The chain whose memory is next.
  /// \param own which of its blocks of columns.
  void buildChain(Body &body, const MatmulChain &chain, Value out, Value own) {
    TileBuilder &t = body.t;
    SmallVector<Value> weights, scales;
    for (Product product : chain.products) {
      weights.append(body.take(1));
      scales.append(body.take(product.weights().size() - 1));
    }
    SmallVector<Value> others = body.take(chain.others().size());
    auto finish = [&](ArrayRef<Value> sums, const RowsAndColumns &at) {
      Value result =
          chain.after ? apply(t, chain, sums, others, out, at) : sums[0];
      t.store(result, out, at.place(), alignmentOf(out, at));
    };
    if (auto coded = dyn_cast<QuantizedMatmulOp>(chain.products[0].op)) {
      QuantizedInputs in{body.memory[0],   body.memory[1], weights,
                         scales,           chain.depth(),  bits(),
                         coded.getGroup(), body.rowBlock,  own};
      if (rounding) {
        in.makeRow = [&] {
          body.codes.write(t, makeRow(body));
          return body.codes;
        };
      }
      buildCodes(t, body.buffers, in, finish);
      return;
    }
    // A kernel without x knows its extent from the weights.
    MatmulInputs in{pieces ? weights[0] : body.memory[0], weights,
                    chain.depth(), body.rowBlock, own};
    if (!body.maps.empty()) {
      in.xMap = body.maps[0];
      in.weightMaps = body.maps.slice(body.nextMap, weights.size());
      body.nextMap += weights.size();
    }
    if (body.row) {
      in.makeRow = [&] {
        Value made = makeRow(body);
        writeRow(t, body.merger ? round(t, made) : roundNorm(t, made),
                 body.row);
        return body.row;
      };
    }
    buildNumbers(t, body.buffers, in, finish);
  }

  /// Its first row is the one that is multiplied.
  Value allocRow(TileBuilder &t) const {
    RowTileAttr s = this->row;
    return t.alloc({1, s.getRows(), s.getColumns()},
                   getElementTypeOrSelf(first.x()),
                   /*swizzled=*/false);
  }

  Value round(TileBuilder &t, Value row) const {
    auto type = cast<RankedTensorType>(row.getType());
    return arith::TruncFOp::create(
        t.b, t.withElement(type, getElementTypeOrSelf(first.x())), row);
  }

  /// For all threads.
  static void writeRow(TileBuilder &t, Value row, Value buffer) {
    Value zero = t.index(0);
    t.write(row, buffer, zero, zero, zero);
    t.barrier();
  }

  Value roundNorm(TileBuilder &t, Value row) const {
    return inlineBody(t, norm->after, {row, Value()},
                      cast<RankedTensorType>(row.getType()));
  }

  /// The only row in f32. The first block stores what others read of a norm.
  Value makeRow(const Body &body) const {
    TileBuilder &t = body.t;
    ValueRange memory = body.memory;
    if (body.merger) {
      return body.merger->merge(t, memory);
    }
    RowTileAttr s = this->row;
    auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(),
                                   s.getThreads(), s.getWidth());
    RankedTensorType type =
        t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
    Value zero = t.index(0);
    RowsAndColumns at{zero, zero};
    Value x = t.load(type, memory[0], at.place(), alignmentOf(memory[0], at));
    if (!norm) {
      return x;
    }
    RmsNormOp op = norm->norm;
    Value y = normalize(t, x, memory[1], first.depth(),
                        op.getEpsilon().convertToDouble());
    if (Value kept = body.kept) {
      t.when(t.isEqual(body.block, zero),
             [&] { t.store(y, kept, at.place(), alignmentOf(kept, at)); });
    }
    return y;
  }

  void buildNumbers(TileBuilder &t, const MatmulBuffers &buffers,
                    const MatmulInputs &in, Finish finish) {
    switch (form) {
    case MatmulForm::F32:
      return buildMatmulF32(t, many, buffers, in, finish);
    case MatmulForm::FewRows:
      return buildMatmulOfFewRows(t, few, in, finish);
    default:
      return buildMatmul(t, many, buffers, in, finish);
    }
  }

  void buildCodes(TileBuilder &t, const MatmulBuffers &buffers,
                  const QuantizedInputs &in, Finish finish) {
    if (hasFewRows()) {
      return buildQuantizedMatmulOfFewRows(t, few, in, finish);
    }
    return buildQuantizedMatmul(t, many, buffers, in, finish);
  }

  /// The op after the matmuls.
  static Value apply(TileBuilder &t, const MatmulChain &chain,
                     ArrayRef<Value> sums, ArrayRef<Value> others, Value target,
                     const RowsAndColumns &at) {
    linalg::GenericOp after = chain.after;
    auto like = cast<RankedTensorType>(sums[0].getType());
    SmallVector<Value> sources, tiles;
    for (Value operand : after.getInputs()) {
      const auto *product =
          llvm::find_if(chain.products, [&](const Product &each) {
            return each.op == operand.getDefiningOp();
          });
      bool isSum = product != chain.products.end();
      tiles.push_back(isSum ? sums[size_t(product - chain.products.begin())]
                            : Value());
      sources.push_back(isSum ? Value() : others.front());
      others = others.drop_front(isSum ? 0 : 1);
    }
    tiles.push_back(Value());
    sources.push_back(target);
    return inlineBody(t, after,
                      loadArguments(t, after, sources, tiles, like, at), like);
  }

  const MatmulGroup &group;
  KernelTable &kernels;
  const MatmulChain &first;
  MatmulForm form;
  bool isOneRow, isWide;
  const NormChain *norm;      ///< may be null
  const SplitsOfRow *pieces;  ///< may be null
  QuantizeEntriesOp rounding; ///< may be null
  FewRowsTileAttr few;
  MatmulTileAttr many;
  RowTileAttr row; ///< that a block makes
  MergeTileAttr merge;
  SmallVector<Value> inputs, factors, outputs;
  SmallVector<Value> mapped; ///< inputs of bulk copies, once more
  size_t ownInputs = 0;      ///< those of all chains
};
} // namespace

/// Returns the tensors that the results of a group are written to.
static SmallVector<Value> outsOf(ImplicitLocOpBuilder &b,
                                 const MatmulGroup &group) {
  SmallVector<Value> outs;
  for (const MatmulChain &chain : group.chains) {
    Value out = chain.out();
    // Memory without values can be made where the launch is.
    auto empty = out.getDefiningOp<tensor::EmptyOp>();
    outs.push_back(empty ? b.clone(*empty)->getResult(0) : out);
  }
  return outs;
}

static void replaceBy(PatternRewriter &rewriter, const MatmulGroup &group,
                      ValueRange results) {
  for (auto [chain, result] : llvm::zip_equal(group.chains, results)) {
    rewriter.replaceOp(chain.last(), result);
    if (chain.after) {
      for (Product product : chain.products) {
        rewriter.eraseOp(product.op);
      }
    }
  }
}

void cheems::tile::replaceMatmuls(PatternRewriter &rewriter,
                                  const MatmulGroup &group,
                                  KernelTable &kernels) {
  ImplicitLocOpBuilder b(group.at->getLoc(), rewriter);
  b.setInsertionPoint(group.at);
  const MatmulChain &first = group.chains.front();
  SmallVector<Value> outs = outsOf(b, group);
  int64_t fewRows = fewRowsOf(first.last()).value_or(0);
  auto make = [&](int64_t rows, Value when, bool isWide = false) {
    outs = GroupLaunch(group, kernels, rows, {}, isWide).make(b, outs, when);
  };
  bool countsRows = first.form() != MatmulForm::F32 &&
                    cast<ShapedType>(first.x().getType()).isDynamicDim(0);
  if (countsRows && fewRows > 1) {
    RowCount count(b, first.x());
    make(1, count.isOne);
    make(fewRows, count.isMore);
  } else if (countsRows && first.strategy().getWide()) {
    RowLimit limit(b, first.x(), first.strategy().getWideFrom());
    make(fewRows, limit.isFewer);
    make(fewRows, limit.isMore, /*isWide=*/true);
  } else {
    make(fewRows, {});
  }
  replaceBy(rewriter, group, outs);
}

namespace {
/// Matmuls whose blocks make the row themselves where a step has one, and who
/// else reads it.
struct MakingMatmuls {
  RowMaker maker;
  ArrayRef<MatmulGroup> groups;
  /// Launches of one row come before it; null: each before its group.
  Operation *at;
  /// The norm whose row the first launch stores, since others read it, too.
  RmsNormOp kept;
};
} // namespace

/// Replaces them by launches of one row, and of more, for which the rows are
/// there.
static void replaceMaking(PatternRewriter &rewriter, ImplicitLocOpBuilder &b,
                          MakingMatmuls made, const RowCount &count,
                          KernelTable &kernels) {
  SmallVector<SmallVector<Value>> outs;
  for (const MatmulGroup &group : made.groups) {
    b.setInsertionPoint(made.at ? made.at : group.at);
    SmallVector<Value> own = outsOf(b, group);
    bool keepsHere = made.kept && outs.empty();
    if (keepsHere) {
      own.push_back(made.kept.getY());
    }
    own = GroupLaunch(group, kernels, 1, made.maker).make(b, own, count.isOne);
    if (keepsHere) {
      made.kept.getYMutable().set(own.pop_back_val());
    }
    outs.push_back(std::move(own));
  }
  int64_t fewRows = *fewRowsOf(made.groups.front().at);
  for (auto [group, own] : llvm::zip_equal(made.groups, outs)) {
    b.setInsertionPoint(group.at);
    own = GroupLaunch(group, kernels, fewRows).make(b, own, count.isMore);
  }
  for (auto [group, own] : llvm::zip_equal(made.groups, outs)) {
    replaceBy(rewriter, group, own);
  }
}

void cheems::tile::replaceNormedMatmuls(PatternRewriter &rewriter,
                                        NormChain norm,
                                        ArrayRef<MatmulGroup> groups,
                                        KernelTable &kernels) {
  ImplicitLocOpBuilder b(norm.norm.getLoc(), rewriter);
  b.setInsertionPoint(norm.last());
  RowCount count(b, norm.norm.getX());
  replaceMaking(rewriter, b,
                {{&norm},
                 groups,
                 norm.last(),
                 norm.keepsNorm() ? norm.norm : RmsNormOp()},
                count, kernels);
  replaceNorm(rewriter, norm, kernels, count.isMore);
}

void cheems::tile::replaceRoundedMatmuls(PatternRewriter &rewriter,
                                         RmsNormOp norm,
                                         QuantizeEntriesOp rounding,
                                         ArrayRef<MatmulGroup> groups,
                                         KernelTable &kernels) {
  ImplicitLocOpBuilder b(rounding.getLoc(), rewriter);
  b.setInsertionPoint(rounding);
  NormChain chain{norm, {}, {}};
  bool keeps = norm && !norm.getResult(0).hasOneUse();
  if (norm) { // what it is written to comes from the launch of one row
    rewriter.moveOpBefore(norm, rounding);
    b.setInsertionPoint(norm);
  }
  RowCount count(b, norm ? norm.getX() : rounding.getX());
  // Without a norm, what matmuls read besides the row is there where they are.
  replaceMaking(rewriter, b,
                {{norm ? &chain : nullptr, nullptr, rounding},
                 groups,
                 norm,
                 keeps ? norm : RmsNormOp()},
                count, kernels);
  replaceRounding(rewriter, rounding, kernels, count.isMore);
  if (norm) {
    replaceNorm(rewriter, chain, kernels, count.isMore);
  }
}

void cheems::tile::replaceMergedMatmuls(PatternRewriter &rewriter,
                                        const SplitsOfRow &pieces,
                                        const MatmulGroup &group,
                                        QuantizeEntriesOp rounding,
                                        KernelTable &kernels) {
  ImplicitLocOpBuilder b(group.at->getLoc(), rewriter);
  b.setInsertionPoint(rounding ? rounding : group.at);
  RowCount count(b, rounding ? rounding.getX() : group.chains.front().x());
  b.setInsertionPoint(group.at);
  SmallVector<Value> outs = outsOf(b, group);
  auto make = [&](int64_t rows, Value when, RowMaker maker = {}) {
    outs = GroupLaunch(group, kernels, rows, maker).make(b, outs, when);
  };
  make(1, pieces.isMerged, {nullptr, &pieces, rounding});
  make(1, areBoth(b, count.isOne, isNot(b, pieces.isMerged)),
       {nullptr, nullptr, rounding});
  make(*fewRowsOf(group.at), count.isMore);
  replaceBy(rewriter, group, outs);
  if (rounding) {
    replaceRounding(rewriter, rounding, kernels, count.isMore);
  }
}
