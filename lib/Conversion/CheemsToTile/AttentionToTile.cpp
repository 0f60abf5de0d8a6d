// Attention: a launch attends, with what stands before it in the step. Another
// one stores the step's entries before, unless these are one row each.
#include "AttentionInputs.h"
#include "Patterns.h"
#include "RoundedOutput.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The greatest head that registers and shared memory have room for.
constexpr int64_t kMostHeadSize = 256;

std::optional<StringRef> cheems::tile::whyNoKernel(SegmentedAttentionOp op) {
  Type stored = op.getKeys().getType().getElementType();
  if (op.getKind() == MaskKind::Threshold) {
    return "has a mask of kind threshold";
  }
  if (op.getKeep()) {
    return "keeps a window of entries";
  }
  if (!stored.isBF16() && !stored.isF32()) {
    return "stores entries of 8 bits";
  }
  if (op.getHeadSize() > kMostHeadSize || op.getHeadSize() % 2 != 0) {
    return "has heads of an odd size, or of more than 256";
  }
  return std::nullopt;
}

namespace {
/// The launches of one op.
class AttentionLaunches {
public:
  AttentionLaunches(ImplicitLocOpBuilder &b, SegmentedAttentionOp op,
                    KernelTable &kernels, const Strategy &strategy)
      : b(b), op(op), kernels(kernels), strategy(strategy), shape(op),
        query(HeadsBefore::of(op.getQuery())),
        added{HeadsBefore::of(op.getKey()),
              HeadsBefore::of(op.getValue()),
              {op.getMask(), {}, {}, {}}},
        pools{op.getKeys(), op.getValues(), op.getMasks()}, y(op.getY()) {
    isExact = shape.stored.isF32();
    sizes = isExact        ? strategy.attentionF32(shape.size, shape.oneRow)
            : shape.oneRow ? strategy.attentionOfOneRow(shape.size)
                           : strategy.attention(shape.size);
    // Then one block has the entry.
    storesFirst = shape.oneRow && headBlocks() == 1;
    if (storesFirst) {
      added.mask = MaskBefore::productOf(op.getMask());
    }
    if (!isExact && !shape.oneRow) {
      // Its blocks would make tiles of a prompt's queries whose layout is that
      // of products: more instructions than a launch of its own has.
      query = {op.getQuery(), {}, {}};
    }
  }

  /// \param outputs memory for them, rounded if it has them so.
  SmallVector<Value> make(Value outputs) {
    y = outputs;
    if (!storesFirst) {
      storeEntries();
    }
    Value result = isExact || !shape.oneRow ? attend() : attendInPieces();
    return {result, pools[0], pools[1], pools[2]};
  }

private:
  /// How many blocks the query heads of a state head are.
  int64_t headBlocks() const {
    return llvm::divideCeil(shape.queriesPerState(), sizes.rows);
  }
  Value segments() { return tilesOf(b, op.getSegments(), 0, 1); }
  /// How many blocks of rows the longest segment may have.
  Value blocksOfRows(int64_t rows) {
    return shape.oneRow ? count(1) : tilesOf(b, op.getQuery(), 0, rows);
  }
  Value count(int64_t number) {
    return arith::ConstantIndexOp::create(b, number);
  }

  void storeEntries() {
    LaunchOperands operands;
    added.addTo(operands);
    operands.read(op.getSegments());
    operands.read(op.getLayer());
    writePools(operands);
    RowStrategy s = strategy.entries(shape.half(), shape.oneRow);
    auto body = [&](TileBuilder &t, ValueRange m) {
      buildStoreEntries(t, s, shape, memoryOf(operands, m),
                        added.in(operands, m));
    };
    FlatSymbolRefAttr kernel = kernels.get(op.getLoc(), "store_entries",
                                           operands.types(), s.warps(), body);
    auto made = launch(
        b, kernel,
        {blocksOfRows(s.tileRows()), count(shape.stateHeads), segments()},
        operands.inputs, operands.outputs);
    pools.assign(made.result_begin(), made.result_end());
  }

  /// What the launch of attention has besides its outputs.
  LaunchOperands operandsOfAttention() {
    LaunchOperands operands;
    query.addTo(operands);
    operands.read(op.getSegments());
    operands.read(op.getLayer());
    if (storesFirst) {
      added.addTo(operands);
      writePools(operands);
    } else {
      llvm::for_each(pools, [&](Value pool) { operands.read(pool); });
    }
    return operands;
  }

  void writePools(LaunchOperands &operands) {
    llvm::for_each(pools, [&](Value pool) { operands.write(pool); });
  }

  AttentionMemory memoryOf(const LaunchOperands &operands, ValueRange m) {
    return {operands.in(m, op.getSegments()), operands.in(m, op.getLayer()),
            operands.in(m, pools[0]), operands.in(m, pools[1]),
            operands.in(m, pools[2])};
  }

  /// Calls `body` with the kernel's memory and what it takes from the step.
  void build(const LaunchOperands &operands, ValueRange m,
             function_ref<void(const AttentionMemory &, const HeadRows &,
                               const FirstStores &)>
                 body) {
    NewEntries entries;
    FirstStores stores{nullptr, strategy.wholeRows(shape.half())};
    if (storesFirst) {
      entries = added.in(operands, m);
      stores.added = &entries;
    }
    body(memoryOf(operands, m), query.in(operands, m), stores);
  }

  /// The pools behind a launch whose further results are returned.
  SmallVector<Value> takePools(LaunchOp made) {
    SmallVector<Value> results(made.getResults());
    if (storesFirst) {
      pools.assign(results.begin(), results.begin() + 3);
      results.erase(results.begin(), results.begin() + 3);
    }
    return results;
  }

  /// Blocks of rows, or the heads of one row.
  Value attend() {
    LaunchOperands operands = operandsOfAttention();
    operands.write(y);
    auto body = [&](TileBuilder &t, ValueRange m) {
      build(operands, m,
            [&](const AttentionMemory &memory, const HeadRows &rows,
                const FirstStores &stores) {
              Value out = operands.in(m, y);
              if (isExact) {
                buildAttentionF32(t, sizes, shape, memory, rows, stores, out);
              } else {
                buildAttention(t, sizes, shape, memory, rows.memory, out);
              }
            });
    };
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), isExact ? "attention_f32" : "attention",
                    operands.types(), sizes.warps(), body);
    int64_t heads =
        shape.oneRow ? shape.stateHeads * headBlocks() : shape.queryHeads;
    auto made =
        launch(b, kernel, {blocksOfRows(sizes.rows), count(heads), segments()},
               operands.inputs, operands.outputs);
    return takePools(made).front();
  }

  /// Pieces of one row's entries each.
  Value attendInPieces() {
    Value pieces = tilesOf(b, op.getKeys(), 3, sizes.entries);
    SmallVector<OpFoldResult> extents = {
        segments(), b.getIndexAttr(shape.queryHeads), pieces};
    Type f32 = b.getF32Type();
    SmallVector<Value> partial = {tensor::EmptyOp::create(b, extents, f32),
                                  tensor::EmptyOp::create(b, extents, f32)};
    extents.push_back(b.getIndexAttr(shape.size));
    partial.push_back(tensor::EmptyOp::create(b, extents, f32));
    LaunchOperands operands = operandsOfAttention();
    llvm::for_each(partial, [&](Value part) { operands.write(part); });
    auto body = [&](TileBuilder &t, ValueRange m) {
      build(operands, m,
            [&](const AttentionMemory &memory, const HeadRows &rows,
                const FirstStores &stores) {
              ValueRange parts = m.take_back(3);
              buildAttentionOfOneRow(t, sizes, shape, memory, rows, stores,
                                     {parts[0], parts[1], parts[2]});
            });
    };
    FlatSymbolRefAttr kernel =
        kernels.get(op.getLoc(), "attention_of_one_row", operands.types(),
                    sizes.warps(), body);
    auto made = launch(
        b, kernel, {pieces, count(shape.stateHeads * headBlocks()), segments()},
        operands.inputs, operands.outputs);
    return merge(takePools(made));
  }

  Value merge(ValueRange partial) {
    RowStrategy s = strategy.wholeRows(shape.size);
    LaunchOperands operands;
    operands.read(op.getSegments());
    llvm::for_each(partial, [&](Value part) { operands.read(part); });
    operands.write(y);
    auto body = [&](TileBuilder &t, ValueRange m) {
      buildMergePieces(t, s, shape, sizes.entries, m[0], {m[1], m[2], m[3]},
                       m[4]);
    };
    FlatSymbolRefAttr kernel = kernels.get(op.getLoc(), "merge_pieces",
                                           operands.types(), s.warps(), body);
    return launch(b, kernel, {count(shape.queryHeads), segments()},
                  operands.inputs, operands.outputs)
        .getResult(0);
  }

  ImplicitLocOpBuilder &b;
  SegmentedAttentionOp op;
  KernelTable &kernels;
  const Strategy &strategy;
  AttentionShape shape;
  HeadsBefore query;
  EntriesBefore added;
  SmallVector<Value> pools; ///< as they are now
  Value y;
  bool isExact;
  AttentionStrategy sizes;
  bool storesFirst; ///< the kernel of attention stores entries itself
};

struct AttentionToTile : ToKernel<SegmentedAttentionOp> {
  using ToKernel::ToKernel;

  LogicalResult matchAndRewrite(SegmentedAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (auto why = whyNoKernel(op)) {
      return rewriter.notifyMatchFailure(op, *why);
    }
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    AttentionLaunches launches(b, op, kernels, strategy);
    RoundedOutput rounded = RoundedOutput::behind(op.getResult(0));
    SmallVector<Value> results = launches.make(rounded.memory(b, op.getY()));
    results[0] = rounded.replace(b, rewriter, results[0], op.getY());
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void cheems::tile::populateAttentionToTile(RewritePatternSet &patterns,
                                           KernelContext kit) {
  patterns.add<AttentionToTile>(patterns.getContext(), kit);
}
