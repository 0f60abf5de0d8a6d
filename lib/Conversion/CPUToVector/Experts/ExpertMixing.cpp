// The sum of a row's experts, eight at a time: a piece. First come their
// products with the row, then their weights. The sum of the weighted rows is
// then added to y. In a decode step with large tables, pieces are iterations,
// and their sums are added in order. Otherwise rows are iterations. A prefill
// then fetches the experts of the next row while it reads those of this one.
#include "ExpertMixing.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

Mixing::Mixing(OpBuilder &b, MixExpertsOp op, const VectorUnit &unit)
    : KernelBuilder{b, op.getLoc()}, op(op),
      lanes(VectorType::get({kLanes}, b.getF32Type())) {
  auto score = cast<MemRefType>(op.getScore().getType());
  auto table = cast<MemRefType>(op.getDown().getType());
  size = table.getDimSize(1);
  heads = score.getDimSize(1);
  count = score.getDimSize(2);
  sums = unit.lanes < kLanes ? kPiece / 2 : kPiece;
  // One line of quantized values, one of bf16, two of f32.
  step = table.getElementType().isInteger() ? 4 : 2;
  deinterleaved = table.getElementType().isBF16();
  strategy = op->getAttrOfType<ExpertsStrategyAttr>(kStrategy);
  if (!strategy) {
    strategy = expertsStrategy(op, /*fewRows=*/false);
  }
}

void Mixing::parallel(ArrayRef<OpFoldResult> counts,
                      function_ref<void(ValueRange)> body) {
  auto loop = scf::ForallOp::create(b, loc, counts, ValueRange(), std::nullopt,
                                    [&](OpBuilder &, Location, ValueRange at) {
                                      body(at);
                                      scf::InParallelOp::create(b, loc);
                                    });
  loop->setAttr(kName, b.getStringAttr("mix_experts"));
}

void Mixing::addTo(Value t, Value sum, Value d, Value mask) {
  store(add(load(op.getY(), t, d, mask), sum), op.getY(), t, d, mask);
}

void Mixing::row(Value t, Value after) {
  auto write = [&](Value sum, Value d, Value mask) { addTo(t, sum, d, mask); };
  each(index(0), index(heads), 1, [&](Value h) {
    Softmax of = softmax(t, h);
    each(index(0), index(full() * kPiece), kPiece,
         [&](Value first) { piece(t, h, first, kPiece, of, after, write); });
    if (rest()) {
      piece(t, h, index(full() * kPiece), rest(), of, after, write);
    }
  });
}

void Mixing::mixRows(Value rows) {
  int64_t inTurn = strategy.getRows();
  Value last = arith::SubIOp::create(b, loc, rows, index(1));
  Value blocks = arith::CeilDivUIOp::create(b, loc, rows, index(inTurn));
  parallel({blocks}, [&](ValueRange at) {
    Value from = mul(at[0], inTurn);
    Value to = arith::MinUIOp::create(b, loc, add(from, inTurn), rows);
    each(from, to, 1, [&](Value t) {
      row(t, arith::MinUIOp::create(b, loc, add(t, 1), last));
    });
  });
}

void Mixing::mixAlone(Value rows) {
  parallel({rows}, [&](ValueRange at) {
    Value t = at[0];
    if (strategy.getFetch()) {
      each(index(0), index(heads), 1, [&](Value h) {
        each(index(0), index(count), 1,
             [&](Value i) { fetchAll(experts(t, h, i, 1)); });
      });
    }
    row(t, Value());
  });
}

void Mixing::pieceAlone(Value t, Value h, Value first, int64_t n, Write write) {
  fetchAll(experts(t, h, first, n));
  piece(t, h, first, n, softmax(t, h), Value(), write);
}

void Mixing::mixPieces(Value rows) {
  int64_t perHead = pieces(), all = heads * perHead;
  Value partial;
  if (all > 1) {
    auto type = cast<MemRefType>(op.getX().getType());
    bool dynamic = type.isDynamicDim(0);
    partial = memref::AllocOp::create(
        b, loc,
        MemRefType::get({type.getDimSize(0), all, size}, b.getF32Type()),
        dynamic ? ValueRange{mostRows()} : ValueRange());
  }
  parallel({rows, b.getIndexAttr(all)}, [&](ValueRange at) {
    Value t = at[0], p = at[1];
    Value h = arith::DivUIOp::create(b, loc, p, index(perHead));
    Value first =
        mul(arith::RemUIOp::create(b, loc, p, index(perHead)), kPiece);
    auto write = [&](Value sum, Value d, Value mask) {
      partial ? store(sum, partial, {t, p}, d, mask) : addTo(t, sum, d, mask);
    };
    if (rest() == 0 || full() == 0) {
      pieceAlone(t, h, first, rest() ? rest() : kPiece, write);
      return;
    }
    Value whole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        first, index(full() * kPiece));
    scf::IfOp::create(
        b, loc, whole,
        [&](OpBuilder &, Location) {
          pieceAlone(t, h, first, kPiece, write);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          pieceAlone(t, h, first, rest(), write);
          scf::YieldOp::create(b, loc);
        });
  });
  if (partial) {
    each(index(0), rows, 1, [&](Value t) { addPieces(partial, t, all); });
  }
}

void Mixing::addPieces(Value partial, Value t, int64_t all) {
  columns(
      {},
      [&](Value d, int64_t vectors, Value mask,
          ValueRange) -> SmallVector<Value> {
        auto at = [&](int64_t v) { return add(d, v * kLanes); };
        SmallVector<Value> sum;
        for (int64_t v = 0; v < vectors; ++v) {
          sum.push_back(load(op.getY(), t, at(v), mask));
        }
        sum = loop(index(0), index(all), 1, sum, [&](Value p, ValueRange args) {
          SmallVector<Value> next;
          for (int64_t v = 0; v < vectors; ++v) {
            next.push_back(add(args[v], load(partial, {t, p}, at(v), mask)));
          }
          return next;
        });
        for (int64_t v = 0; v < vectors; ++v) {
          store(sum[v], op.getY(), t, at(v), mask);
        }
        return {};
      });
}

Value Mixing::mostRows() {
  Value source = sourceOfRows(op.getX());
  auto alloc = source.getDefiningOp<memref::AllocOp>();
  return alloc && alloc.getDynamicSizes().size() == 1 &&
                 alloc.getType().isDynamicDim(0)
             ? alloc.getDynamicSizes()[0]
             : memref::DimOp::create(b, loc, source, index(0)).getResult();
}

void Mixing::lower() {
  Value rows = memref::DimOp::create(b, loc, op.getX(), index(0));
  switch (strategy.getOrder()) {
  case ExpertOrder::ByGroup:
    return mixGroups(rows, strategy.getRows());
  case ExpertOrder::ByPiece:
    return mixPieces(rows);
  case ExpertOrder::ByRow:
    return strategy.getRows() == 1 ? mixAlone(rows) : mixRows(rows);
  }
}

LogicalResult cheems::lowerMixing(MixExpertsOp op, const VectorUnit &unit,
                                  RewriterBase &rewriter) {
  Mixing mixing(rewriter, op, unit);
  if (mixing.heads > 0 && mixing.count > 0) {
    mixing.lower();
  }
  return success();
}
