// Matmuls by fused multiply-adds. For few rows, weights are read as they are
// stored and inputs as they lie. From `kFewRows` rows on, inputs are packed and
// weights are widened once, and a tile fills the registers.
//
// Every output element is one chain of fused multiply-adds in ascending k, in
// every shape of tile. So a row's result does not depend on the other rows of a
// step, and tiles may overlap. The last tile of a height begins as far back as
// it must, and stores again what was stored.
#include "LinearFMA.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// Rows by streams (panels of a weight) whose sums are in registers together.
struct Shape {
  int64_t rows, streams;
};

/// General registers left for rows.
constexpr int64_t kMostAddresses = 4;

class Multiply {
public:
  explicit Multiply(LinearKernel &kernel)
      : k(kernel), b(kernel.b), loc(kernel.loc), tile(kernel),
        matrices(kernel.weights.size()) {
    const VectorUnit &unit = k.unit;
    // Some registers are for weights and the spread input.
    int64_t sums =
        std::max<int64_t>((unit.registers - 4) * unit.lanes / k.kColumns, 1);
    full.streams = sums >= 12 ? 2 : 1;
    // Packing turns squares of as many rows as lanes.
    full.rows = std::clamp<int64_t>(sums / full.streams, 1, unit.lanes);
    // Stored weights take two of them each while they are widened.
    int64_t each = std::max<int64_t>(k.kColumns / unit.lanes, 1);
    for (int64_t rows = 1; rows < full.rows; rows *= 2) {
      int64_t streams = (unit.registers - 3) / (each * (rows + 2));
      if (streams > 0 || rows == 1) {
        few.insert(few.begin(),
                   {rows, std::clamp<int64_t>(streams, 1, kStreams)});
      }
    }
    for (Operation &op : k.op.getEpilogue().front().without_terminator()) {
      bool simple = isa<arith::ArithDialect>(op.getDialect());
      cost += op.hasTrait<OpTrait::ConstantLike>() ? 0 : simple ? 1 : 16;
    }
  }

  void run() {
    auto strategy = k.op->getAttrOfType<MatmulStrategyAttr>(kStrategy);
    if (strategy && strategy.getFewRows()) {
      return fewRows(few);
    }
    Type stored = k.op.getWeights()[0].getType();
    bool wide = cast<MemRefType>(stored).getElementType().isF32();
    Value packed = packRows(k, full.rows, kFewRows);
    Value many = atLeast(kFewRows);
    scf::IfOp::create(
        b, loc, many,
        [&](OpBuilder &, Location) {
          manyRows(packed, !wide);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          fewRows(few);
          scf::YieldOp::create(b, loc);
        });
  }

private:
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  FMATile tile;
  int64_t matrices;
  Shape full;
  SmallVector<Shape> few; ///< heights fall
  int64_t cost = 0;       ///< of the epilogue

  Value atLeast(int64_t rows) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, k.rows,
                                 k.index(rows));
  }

  Value scratch(int64_t elements) {
    return memref::AllocOp::create(b, loc,
                                   MemRefType::get({elements}, b.getF32Type()));
  }

  /// Panels of which `shape` holds all weights at once, at least one.
  int64_t panelsOf(const Shape &shape) {
    int64_t panels = std::max<int64_t>(shape.streams / matrices, 1);
    std::optional<int64_t> count = k.panelCount();
    return count ? std::min(panels, *count) : panels;
  }

  /// The group after the next `next` panels is the next one.
  SmallVector<FMATile::Stream> streamsOf(ArrayRef<Value> panels, int64_t next) {
    SmallVector<FMATile::Stream> streams;
    for (Value panel : panels) {
      for (int64_t weight = 0; weight < matrices; ++weight) {
        streams.push_back({weight, panel, k.add(panel, next)});
      }
    }
    return streams;
  }

  /// Widened weights from stream `s` on of those that begin at `widened`.
  FMATile::Widened part(const FMATile::Widened &widened, int64_t s) {
    if (!widened.buffer) {
      return {};
    }
    return {widened.buffer, k.add(widened.base, s * k.kColumns * k.size)};
  }

  /// `rows` by all weights of `panels`, and what becomes of the sums.
  void compute(const FMATile::Rows &rows, ArrayRef<Value> panels, int64_t width,
               const FMATile::Widened &widened, const FMATile::Fetch &fetch,
               int64_t next) {
    SmallVector<FMATile::Stream> streams = streamsOf(panels, next);
    int64_t count = streams.size();
    bool direct = count <= width &&
                  rows.count * int64_t(panels.size()) * cost <= kMostUnrolled;
    Value buffer = direct ? Value() : scratch(rows.count * count * k.kColumns);
    for (int64_t s = 0; s < count; s += width) {
      auto part = ArrayRef(streams).slice(s, std::min(width, count - s));
      SmallVector<Value> sums =
          tile.multiply(rows, part, this->part(widened, s), fetch);
      for (int64_t r = 0; r < rows.count; ++r) {
        ValueRange row = ValueRange(sums).slice(r * part.size(), part.size());
        if (direct) {
          storeRow(tile.rowOf(rows, k.index(r)), panels, row);
          continue;
        }
        for (auto [i, sum] : llvm::enumerate(row)) {
          vector::StoreOp::create(
              b, loc, sum, buffer,
              ValueRange{k.index((r * count + s + i) * k.kColumns)});
        }
      }
    }
    if (direct) {
      return;
    }
    k.each(k.zero, k.index(rows.count), 1, [&](Value r) {
      Value at = arith::MulIOp::create(b, loc, r, k.index(count * k.kColumns));
      SmallVector<Value> sums;
      for (int64_t s = 0; s < count; ++s) {
        sums.push_back(vector::LoadOp::create(b, loc, k.column, buffer,
                                              k.add(at, s * k.kColumns)));
      }
      storeRow(tile.rowOf(rows, r), panels, sums);
    });
  }

  void storeRow(Value row, ArrayRef<Value> panels, ValueRange sums) {
    for (auto [p, panel] : llvm::enumerate(panels)) {
      k.store(row, panel, sums.slice(p * matrices, matrices));
    }
  }

  /// Tile `number` of `count` fetches its share of the next group. A tile that
  /// is alone fetches only if it reads few streams. With several streams the
  /// processor's own prefetching is better.
  FMATile::Fetch share(Value number, Value count, bool alone) {
    Value pace =
        arith::CeilDivUIOp::create(b, loc, k.index(k.kColumns * k.pair), count);
    if (!alone) {
      Value several = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                            count, k.one);
      pace = arith::SelectOp::create(b, loc, several, pace, k.zero);
    }
    Value steps =
        arith::MulIOp::create(b, loc, number, k.index(k.size / k.pair));
    return {arith::MulIOp::create(b, loc, steps, pace), pace};
  }

  /// Rows from `from` on, in tiles of `shape`, as they lie. If there are enough
  /// rows, the last tile ends with the last row. Otherwise it repeats rows.
  void
  tiles(Value from, const Shape &shape, bool enough,
        llvm::function_ref<void(const FMATile::Rows &, const FMATile::Fetch &)>
            body) {
    Value each = k.index(shape.rows);
    Value count = arith::CeilDivUIOp::create(
        b, loc, arith::SubIOp::create(b, loc, k.rows, from), each);
    k.each(k.zero, count, 1, [&](Value number) {
      Value top = arith::AddIOp::create(
          b, loc, from, arith::MulIOp::create(b, loc, number, each));
      if (enough) {
        Value last = arith::SubIOp::create(b, loc, k.rows, each);
        top = arith::MinUIOp::create(b, loc, top, last);
      }
      body({top, shape.rows, !enough, {}, {}},
           share(number, count, shape.streams < kStreams));
    });
  }

  /// `shapes.front()` unless a lower one holds all rows.
  void fewRows(ArrayRef<Shape> shapes) {
    Shape shape = shapes.front();
    bool lowest = shapes.size() == 1;
    // Rows that may repeat have an address each.
    bool enough = shape.rows > kMostAddresses || lowest;
    // If rows or panels have an address each, or if there are two weights, no
    // registers are left for more addresses.
    bool fetches =
        !lowest && !k.mayRepeat(panelsOf(shape)) && (enough || matrices == 1);
    auto emit = [&] {
      int64_t width = panelsOf(shape);
      k.each(k.zero, k.panels, width, [&](Value n) {
        SmallVector<Value> panels = k.panelsFrom(n, width);
        tiles(k.zero, shape, enough,
              [&](const FMATile::Rows &rows, const FMATile::Fetch &fetch) {
                compute(rows, panels, shape.streams, {},
                        fetches ? fetch : FMATile::Fetch(), width);
              });
      });
    };
    if (lowest) {
      return emit();
    }
    scf::IfOp::create(
        b, loc, atLeast(enough ? shape.rows : shape.rows / 2 + 1),
        [&](OpBuilder &, Location) {
          emit();
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          fewRows(shapes.drop_front());
          scf::YieldOp::create(b, loc);
        });
  }

  /// Panels whose widened weights are kept while all rows pass by.
  int64_t keptPanels(int64_t width) {
    int64_t bytes = k.size * matrices * k.kColumns * int64_t(sizeof(float));
    int64_t kept = kWidenedBytes / bytes;
    if (std::optional<int64_t> count = k.panelCount()) {
      kept = std::min(kept, *count);
    }
    return std::max<int64_t>(kept / width, 1) * width;
  }

  void manyRows(Value packed, bool narrow) {
    int64_t width = panelsOf(full), streams = width * matrices;
    int64_t kept = keptPanels(width);
    int64_t each = k.kColumns * k.size; // of a stream
    Value buffer = narrow ? scratch(kept * matrices * each) : Value();
    // Widens group `n` of the panels from `first` on.
    auto widenedAt = [&](Value first, Value n) -> FMATile::Widened {
      if (!narrow) {
        return {};
      }
      Value before = arith::SubIOp::create(b, loc, n, first);
      return {buffer,
              arith::MulIOp::create(b, loc, before, k.index(matrices * each))};
    };
    k.each(k.zero, k.panels, kept, [&](Value first) {
      Value end = arith::MinUIOp::create(b, loc, k.add(first, kept), k.panels);
      auto groups =
          [&](llvm::function_ref<void(ArrayRef<Value>, FMATile::Widened)>
                  body) {
            k.each(first, end, width, [&](Value n) {
              body(k.panelsFrom(n, width), widenedAt(first, n));
            });
          };
      if (narrow) {
        groups([&](ArrayRef<Value> panels, FMATile::Widened widened) {
          SmallVector<FMATile::Stream> all = streamsOf(panels, kept);
          for (int64_t s = 0; s < streams; s += full.streams) {
            tile.widen(
                ArrayRef(all).slice(s, std::min(full.streams, streams - s)),
                part(widened, s));
          }
        });
      }
      auto rowsOf = [&](const FMATile::Rows &rows,
                        const FMATile::Fetch &fetch) {
        groups([&](ArrayRef<Value> panels, FMATile::Widened widened) {
          compute(rows, panels, full.streams, widened, fetch, kept);
        });
      };
      Value done = k.zero;
      if (packed) {
        Value height = k.index(full.rows);
        Value count = arith::DivUIOp::create(b, loc, k.rows, height);
        done = arith::MulIOp::create(b, loc, count, height);
        k.each(k.zero, count, 1, [&](Value number) {
          Value top = arith::MulIOp::create(b, loc, number, height);
          Value at = arith::MulIOp::create(b, loc, top, k.index(k.size));
          rowsOf({top, full.rows, false, packed, at},
                 share(number, count, false));
        });
      }
      tiles(done, few.front(), true,
            [&](const FMATile::Rows &rows, const FMATile::Fetch &fetch) {
              rowsOf(rows, packed ? FMATile::Fetch() : fetch);
            });
    });
  }
};
} // namespace

LogicalResult cheems::lowerLinearFMA(LinearKernel &kernel) {
  Multiply(kernel).run();
  return success();
}
