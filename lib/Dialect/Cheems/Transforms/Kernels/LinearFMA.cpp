// Products by fused multiply-adds. Few rows read the weights as they are stored
// and the inputs as they lie; from a whole row tile on, inputs are packed and
// weights widened once, and the tile fills the registers.
//
// Every output element is one chain of fused multiply-adds in ascending k, in
// every tile shape: a row's result does not depend on how many rows it shares a
// step with. Tiles may therefore overlap: the last one of a height begins as
// far back as it must, and stores again what was stored.
#include "LinearFMA.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
/// Rows by streams (panels of a weight) whose sums are in registers together.
struct Shape {
  int64_t rows, streams;
};

/// From so many rows on, widening the weights once is the smaller cost.
constexpr int64_t kManyRows = 64;

/// So many streams keep the processor's own prefetching busy.
constexpr int64_t kStreams = 4;

/// Steps of k that pass by all rows at once: kStreams panels of so many, and
/// what is fetched for the next ones, stay in the first cache.
constexpr int64_t kBlock = 32;

/// General registers left for rows.
constexpr int64_t kMostAddresses = 4;

/// Widened weights of so many bytes stay in the second cache, beside the inputs
/// and sums that pass through it.
constexpr int64_t kWidenedBytes = 512 * 1024;

/// Epilogues are repeated for so many vectors before they become a loop.
constexpr int64_t kMostUnrolled = 32;

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
    Block *epilogue =
        k.op.getEpilogue().empty() ? nullptr : &k.op.getEpilogue().front();
    if (epilogue) {
      for (Operation &op : epilogue->without_terminator()) {
        bool simple = isa<arith::ArithDialect>(op.getDialect());
        cost += op.hasTrait<OpTrait::ConstantLike>() ? 0 : simple ? 1 : 16;
      }
    }
  }

  void run() {
    // Decoding many sequences is a general step's work (docs/abi.md).
    if (k.op->getParentOfType<func::FuncOp>()->hasAttr("cheems.decode")) {
      return fewRows(few);
    }
    Type stored = k.op.getWeights()[0].getType();
    bool wide = cast<MemRefType>(stored).getElementType().isF32();
    Value packed = packRows(k, full.rows, kManyRows);
    Value many = atLeast(kManyRows);
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

  SmallVector<FMATile::Stream> streamsOf(ArrayRef<Value> panels) {
    SmallVector<FMATile::Stream> streams;
    for (Value panel : panels) {
      for (int64_t weight = 0; weight < matrices; ++weight) {
        streams.push_back({weight, panel});
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
               const FMATile::Widened &widened, const FMATile::Fetch &fetch) {
    SmallVector<FMATile::Stream> streams = streamsOf(panels);
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

  /// A panel's elements.
  int64_t panelSize() { return k.kColumns * k.size; }

  /// Of what lies from `begin` on, tile `number` of `count` fetches its share
  /// in so many steps.
  FMATile::Fetch share(Value begin, Value number, Value count, Value steps) {
    Value pace =
        arith::CeilDivUIOp::create(b, loc, k.index(k.kColumns * k.pair), count);
    Value before = arith::MulIOp::create(
        b, loc, arith::MulIOp::create(b, loc, number, steps), pace);
    return {arith::AddIOp::create(b, loc, begin, before), pace};
  }

  /// Tiles of `height` rows, as they lie, that rows from `from` on need.
  Value tilesFrom(Value from, int64_t height) {
    return arith::CeilDivUIOp::create(
        b, loc, arith::SubIOp::create(b, loc, k.rows, from), k.index(height));
  }

  /// Tile `number` of them. The last one ends with the last row where there
  /// are enough of them, else with repetitions.
  FMATile::Rows rowsOf(Value from, Value number, int64_t height, bool enough) {
    Value each = k.index(height);
    Value top = arith::AddIOp::create(
        b, loc, from, arith::MulIOp::create(b, loc, number, each));
    if (enough) {
      Value last = arith::SubIOp::create(b, loc, k.rows, each);
      top = arith::MinUIOp::create(b, loc, top, last);
    }
    return {top, height, !enough, {}, {}};
  }

  /// `shapes.front()` unless a lower one holds all rows.
  void fewRows(ArrayRef<Shape> shapes) {
    Shape shape = shapes.front();
    if (shapes.size() == 1) {
      int64_t width = panelsOf(shape);
      k.each(k.zero, k.panels, width, [&](Value n) {
        SmallVector<Value> panels = k.panelsFrom(n, width);
        k.each(k.zero, k.rows, 1, [&](Value row) {
          compute({row, 1, false, {}, {}}, panels, shape.streams, {}, {});
        });
      });
      return;
    }
    // Rows that may repeat have an address each.
    bool enough = shape.rows > kMostAddresses;
    scf::IfOp::create(
        b, loc, atLeast(enough ? shape.rows : shape.rows / 2 + 1),
        [&](OpBuilder &, Location) {
          blockedRows(shape, enough);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          fewRows(shapes.drop_front());
          scf::YieldOp::create(b, loc);
        });
  }

  /// Rows that have room in scratch for their sums.
  int64_t mostFewRows() {
    int64_t count = cast<MemRefType>(k.x.getType()).getDimSize(0);
    return ShapedType::isDynamic(count) ? kManyRows
                                        : std::min(count, kManyRows);
  }

  /// Rows of which all tiles pass by a block of k of kStreams panels before the
  /// next block is read.
  void blockedRows(const Shape &shape, bool enough) {
    int64_t part = panelsOf(shape), group = panelsOf({shape.rows, kStreams});
    group = llvm::alignTo(group, part);
    int64_t streams = group * matrices, steps = k.size / k.pair;
    int64_t tiles = llvm::divideCeil(mostFewRows(), shape.rows);
    int64_t line = k.kColumns;
    Value buffer = scratch(tiles * shape.rows * streams * line);
    // Where rows or panels have an address each, or there are two weights, no
    // registers are left for more addresses.
    bool fetches = !k.mayRepeat(group) && (enough || matrices == 1);
    Value count = tilesFrom(k.zero, shape.rows);
    Value block = k.index(std::min(kBlock, steps)), alone;
    if (part == group) {
      // Panels side by side that are read once are fetched by the processor.
      alone =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, k.one);
      block = arith::SelectOp::create(b, loc, alone, k.index(steps), block);
    }
    Value tileSize = k.index(shape.rows * streams * line);
    Value nothing = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
    k.each(k.zero, k.panels, group, [&](Value n) {
      SmallVector<Value> panels = k.panelsFrom(n, group);
      k.each(k.zero, arith::MulIOp::create(b, loc, count, tileSize), line,
             [&](Value at) {
               vector::StoreOp::create(b, loc, nothing, buffer, at);
             });
      auto blocks = scf::ForOp::create(b, loc, k.zero, k.index(steps), block);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(blocks.getBody());
        Value from = blocks.getInductionVar();
        Value to = arith::MinUIOp::create(
            b, loc, arith::AddIOp::create(b, loc, from, block), k.index(steps));
        // The next block, of the next panels behind the last one.
        Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, to,
                                           k.index(steps));
        Value next = arith::SelectOp::create(
            b, loc, last, k.index(group * panelSize()),
            arith::MulIOp::create(b, loc, to, k.index(line * k.pair)));
        k.each(k.zero, count, 1, [&](Value number) {
          FMATile::Rows rows = rowsOf(k.zero, number, shape.rows, enough);
          FMATile::Fetch fetch;
          if (fetches) {
            fetch = share(next, number, count, block);
            if (alone) {
              fetch.pace =
                  arith::SelectOp::create(b, loc, alone, k.zero, fetch.pace);
            }
          }
          Value first = arith::MulIOp::create(b, loc, number, tileSize);
          k.each(k.zero, k.index(group), part, [&](Value p) {
            Value at = arith::AddIOp::create(
                b, loc, first,
                arith::MulIOp::create(b, loc, p, k.index(matrices * line)));
            SmallVector<Value> some = k.panelsFrom(
                arith::AddIOp::create(b, loc, n, p), part, k.mayRepeat(group));
            accumulate(rows, streamsOf(some), shape.streams, fetch, {from, to},
                       buffer, at, streams);
          });
        });
      }
      k.each(k.zero, k.rows, 1, [&](Value row) {
        // The last tile's rows may begin in the one before.
        Value slot = row;
        if (enough) {
          Value before = arith::MulIOp::create(
              b, loc, arith::SubIOp::create(b, loc, count, k.one),
              k.index(shape.rows));
          Value behind =
              arith::SubIOp::create(b, loc, k.add(before, shape.rows), k.rows);
          Value late = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                             row, before);
          slot = arith::AddIOp::create(
              b, loc, row,
              arith::SelectOp::create(b, loc, late, behind, k.zero));
        }
        Value at = arith::MulIOp::create(b, loc, slot, k.index(streams * line));
        SmallVector<Value> sums;
        for (int64_t s = 0; s < streams; ++s) {
          sums.push_back(vector::LoadOp::create(b, loc, k.column, buffer,
                                                k.add(at, s * line)));
        }
        storeRow(row, panels, sums);
      });
    });
  }

  /// Adds `steps` of k to the sums in `buffer`, [row][stride][16] from `base`
  /// on.
  void accumulate(const FMATile::Rows &rows, ArrayRef<FMATile::Stream> streams,
                  int64_t width, const FMATile::Fetch &fetch,
                  const FMATile::Steps &steps, Value buffer, Value base,
                  int64_t stride) {
    int64_t count = streams.size();
    for (int64_t s = 0; s < count; s += width) {
      auto part = streams.slice(s, std::min(width, count - s));
      int64_t size = part.size();
      auto at = [&](int64_t i) {
        return k.add(base, (i / size * stride + s + i % size) * k.kColumns);
      };
      SmallVector<Value> sums;
      for (int64_t i = 0; i < rows.count * size; ++i) {
        sums.push_back(vector::LoadOp::create(b, loc, k.column, buffer, at(i)));
      }
      sums = tile.multiply(rows, part, {}, fetch, steps, sums);
      for (auto [i, sum] : llvm::enumerate(sums)) {
        vector::StoreOp::create(b, loc, sum, buffer, at(i));
      }
    }
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
    // Of the panels from `first` on the group from `n` on.
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
          SmallVector<FMATile::Stream> all = streamsOf(panels);
          for (int64_t s = 0; s < streams; s += full.streams) {
            tile.widen(
                ArrayRef(all).slice(s, std::min(full.streams, streams - s)),
                part(widened, s));
          }
        });
      }
      auto multiply = [&](const FMATile::Rows &rows,
                          const FMATile::Fetch &fetch) {
        groups([&](ArrayRef<Value> panels, FMATile::Widened widened) {
          compute(rows, panels, full.streams, widened, fetch);
        });
      };
      Value next = k.index(kept * panelSize());
      Value steps = k.index(k.size / k.pair), done = k.zero;
      if (packed) {
        Value height = k.index(full.rows);
        Value count = arith::DivUIOp::create(b, loc, k.rows, height);
        done = arith::MulIOp::create(b, loc, count, height);
        k.each(k.zero, count, 1, [&](Value number) {
          Value top = arith::MulIOp::create(b, loc, number, height);
          Value at = arith::MulIOp::create(b, loc, top, k.index(k.size));
          multiply({top, full.rows, false, packed, at},
                   share(next, number, count, steps));
        });
      }
      int64_t height = few.front().rows;
      Value count = tilesFrom(done, height);
      k.each(k.zero, count, 1, [&](Value number) {
        multiply(rowsOf(done, number, height, true),
                 packed ? FMATile::Fetch() : share(next, number, count, steps));
      });
    });
  }
};
} // namespace

LogicalResult cheems::lowerLinearFMA(LinearKernel &kernel) {
  Multiply(kernel).run();
  return success();
}
