// Products by fused multiply-adds. Few rows read the weights as they are stored
// and the inputs as they lie; from a whole row tile on, inputs are packed and
// weights widened once, and the tile fills the registers.
//
// Every output element is one chain of fused multiply-adds in ascending k, in
// every tile shape: a row's result does not depend on how many rows it shares a
// step with. Tiles may therefore overlap: the last one of a height begins as
// far back as it must, and stores again what was stored.
#include "LinearFMA.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
/// Rows by streams (panels of a weight) whose sums are in registers together.
struct Shape {
  int64_t rows, streams;
};

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
    full.rows = std::max<int64_t>(sums / full.streams, 1);
    // Stored weights take two of them each while they are widened.
    int64_t each = std::max<int64_t>(k.kColumns / unit.lanes, 1);
    for (int64_t rows = 1; rows < full.rows; rows *= 2) {
      int64_t streams = (unit.registers - 3) / (each * (rows + 2));
      if (streams > 0 || rows == 1) {
        few.insert(few.begin(), {rows, std::clamp<int64_t>(streams, 1, 4)});
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
    Type stored = k.op.getWeights()[0].getType();
    bool wide = cast<MemRefType>(stored).getElementType().isF32();
    Value packed = packRows(k, full.rows);
    Value many = atLeast(full.rows);
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
    std::optional<int64_t> count =
        getConstantIntValue(memref::getMixedSize(b, loc, k.weights[0], 0));
    return count ? std::min(panels, *count) : panels;
  }

  /// The panels n, n + 1, ..., the last one again where there are no more.
  SmallVector<Value> panelsFrom(Value n, int64_t count) {
    std::optional<int64_t> all =
        getConstantIntValue(memref::getMixedSize(b, loc, k.weights[0], 0));
    Value last = arith::SubIOp::create(b, loc, k.panels, k.one);
    SmallVector<Value> panels;
    for (int64_t p = 0; p < count; ++p) {
      Value panel = k.add(n, p);
      panels.push_back(
          p && !(all && *all % count == 0)
              ? arith::MinUIOp::create(b, loc, panel, last).getResult()
              : panel);
    }
    return panels;
  }

  SmallVector<FMATile::Stream> streamsOf(ArrayRef<Value> panels) {
    SmallVector<FMATile::Stream> streams;
    for (Value panel : panels) {
      for (int64_t weight = 0; weight < matrices; ++weight) {
        streams.push_back({weight, panel, k.add(panel, panels.size())});
      }
    }
    return streams;
  }

  /// `rows` by all weights of `panels`, and what becomes of the sums.
  void compute(const FMATile::Rows &rows, Value first, ArrayRef<Value> panels,
               int64_t width, Value widened, Value fetching, Value buffer) {
    SmallVector<FMATile::Stream> streams = streamsOf(panels);
    int64_t count = streams.size();
    bool direct = count <= width &&
                  rows.count * int64_t(panels.size()) * cost <= kMostUnrolled;
    for (int64_t s = 0; s < count; s += width) {
      auto part = ArrayRef(streams).slice(s, std::min(width, count - s));
      SmallVector<Value> sums = tile.multiply(
          rows, part, {widened, s * k.kColumns * k.size}, fetching);
      for (int64_t r = 0; r < rows.count; ++r) {
        ValueRange row = ValueRange(sums).slice(r * part.size(), part.size());
        if (direct) {
          storeRow(k.add(first, r), panels, row);
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
      storeRow(arith::AddIOp::create(b, loc, first, r), panels, sums);
    });
  }

  void storeRow(Value row, ArrayRef<Value> panels, ValueRange sums) {
    for (auto [p, panel] : llvm::enumerate(panels)) {
      k.store(row, panel, sums.slice(p * matrices, matrices));
    }
  }

  /// 1 in the first tile, else 0: where the weights of the next group are
  /// fetched.
  Value isFirst(Value m) {
    Value first =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, m, k.zero);
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), first);
  }

  /// Rows [from, T) as tiles of `height` rows as they lie, the last one ending
  /// with the last row.
  void tiles(Value from, int64_t height,
             llvm::function_ref<void(Value, const FMATile::Rows &)> body) {
    Value end = arith::SubIOp::create(b, loc, k.rows, k.index(height));
    k.each(from, k.rows, height, [&](Value m) {
      body(m, {{}, arith::MinUIOp::create(b, loc, m, end), height});
    });
  }

  void fewRows(ArrayRef<Shape> shapes) {
    Shape shape = shapes.front();
    auto emit = [&] {
      int64_t width = panelsOf(shape);
      Value buffer = scratch(shape.rows * width * matrices * k.kColumns);
      k.each(k.zero, k.panels, width, [&](Value n) {
        SmallVector<Value> panels = panelsFrom(n, width);
        tiles(k.zero, shape.rows, [&](Value, const FMATile::Rows &rows) {
          compute(rows, rows.first, panels, shape.streams, {}, k.one, buffer);
        });
      });
    };
    if (shapes.size() == 1) {
      return emit();
    }
    scf::IfOp::create(
        b, loc, atLeast(shape.rows),
        [&](OpBuilder &, Location) {
          emit();
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          fewRows(shapes.drop_front());
          scf::YieldOp::create(b, loc);
        });
  }

  void manyRows(Value packed, bool narrow) {
    int64_t width = panelsOf(full), streams = width * matrices;
    Value widened = narrow ? scratch(k.size * streams * k.kColumns) : Value();
    Value buffer = scratch(full.rows * streams * k.kColumns);
    k.each(k.zero, k.panels, width, [&](Value n) {
      SmallVector<Value> panels = panelsFrom(n, width);
      if (narrow) {
        SmallVector<FMATile::Stream> all = streamsOf(panels);
        for (int64_t s = 0; s < streams; s += full.streams) {
          tile.widen(
              ArrayRef(all).slice(s, std::min(full.streams, streams - s)),
              {widened, s * k.kColumns * k.size});
        }
      }
      Value done = k.zero;
      if (packed) {
        Value height = k.index(full.rows);
        done = arith::SubIOp::create(
            b, loc, k.rows, arith::RemUIOp::create(b, loc, k.rows, height));
        k.each(k.zero, done, full.rows, [&](Value m) {
          Value first = arith::MulIOp::create(b, loc, m, k.index(k.size));
          compute({packed, first, full.rows}, m, panels, full.streams, widened,
                  isFirst(m), buffer);
        });
      }
      tiles(done, few.front().rows, [&](Value m, const FMATile::Rows &rows) {
        compute(rows, rows.first, panels, full.streams, widened,
                packed ? Value() : isFirst(m), buffer);
      });
    });
  }
};
} // namespace

LogicalResult cheems::lowerLinearFMA(LinearKernel &kernel) {
  Multiply(kernel).run();
  return success();
}
