// What is computed with tiles, each as a whole: what a thread holds of it
// changes no number, but for the order of sums.
#include "Elements.h"
#include "Handlers.h"
#include "Memory.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include <cmath>
#include <limits>

namespace cheems::interpreter {
using namespace mlir;

/// result[m, n] = c[m, n] + sum_k a[m, k] * b[n, k]
static Tensor product(const Tensor &a, const Tensor &b, Tensor c) {
  for (int64_t m = 0; m < c.shape[0]; ++m) {
    for (int64_t n = 0; n < c.shape[1]; ++n) {
      for (int64_t k = 0; k < a.shape[1]; ++k) {
        c(m, n) += a(m, k) * b(n, k);
      }
    }
  }
  return c;
}

static void mma(tile::MmaOp op, Frame &f) {
  const Tensor &a = f.read(op.getA()), &b = f.read(op.getB()),
               &c = f.read(op.getC());
  if (!f.failed()) {
    f.set(op.getResult(), product(a, b, c));
  }
}

/// A stage of a buffer, all of which is written.
static std::optional<Tensor> stageOf(Value buffer, int64_t s, Frame &f) {
  const Tensor &whole = f.memory(buffer).contents();
  if (s < 0 || s >= whole.shape[0]) {
    f.fail() << "takes stage " << s << " of " << whole.shape[0];
    return std::nullopt;
  }
  Tensor taken = whole.rows(s, 1);
  auto at = llvm::find_if(taken.data, isUninitialised);
  if (at != taken.data.end()) {
    f.fail() << "reads element "
             << indexText(whole.shape, s * int64_t(taken.data.size()) +
                                           (at - taken.data.begin()))
             << " of a buffer, which nothing has written, or a copy that is "
                "not waited for";
    return std::nullopt;
  }
  return taken.reshaped({whole.shape[1], whole.shape[2]});
}

/// Products of warpgroups are there at once: here nothing is under way.
template <typename OpTy> static void multiplyStages(OpTy op, Frame &f) {
  auto a = stageOf(op.getA(), f.integer(op.getStageA()), f);
  auto b = a ? stageOf(op.getB(), f.integer(op.getStageB()), f) : std::nullopt;
  const Tensor &c = f.read(op.getC());
  if (!f.failed()) {
    f.set(op.getResult(), product(*a, *b, c));
  }
}

/// The same of a tile, with columns of several stages beside each other.
static void multiplyRegisters(tile::WarpgroupMmaRegistersOp op, Frame &f) {
  const Tensor &a = f.read(op.getA()), &c = f.read(op.getC());
  int64_t first = f.integer(op.getStageB());
  if (f.failed()) {
    return;
  }
  int64_t columns = op.getB().getType().getColumns();
  Tensor transposed({c.shape[1], a.shape[1]});
  for (int64_t n = 0; n < c.shape[1]; n += columns) {
    auto stage = stageOf(op.getB(), first + n / columns, f);
    if (!stage) {
      return;
    }
    for (int64_t k = 0; k < a.shape[1]; ++k) {
      for (int64_t i = 0; i < columns; ++i) {
        transposed(n + i, k) = (*stage)(k, i);
      }
    }
  }
  f.set(op.getResult(), product(a, transposed, c));
}

static double combined(tile::Combine combine, double a, double b) {
  if (combine == tile::Combine::Add) {
    return a + b;
  }
  return std::isnan(a) || std::isnan(b)
             ? std::numeric_limits<double>::quiet_NaN()
             : std::max(a, b);
}

/// result[i] = combine over j of tile[i, j], or over i of tile[i, j] as
/// result[j].
static void reduce(tile::ReduceOp op, Frame &f) {
  const Tensor &tile = f.read(op.getTile());
  if (f.failed()) {
    return;
  }
  auto axis = size_t(op.getAxis());
  Tensor result(ArrayRef<int64_t>(tile.shape[1 - axis]));
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    for (int64_t j = 0; j < tile.shape[axis]; ++j) {
      double element = axis == 1 ? tile(i, j) : tile(j, i);
      result(i) =
          j == 0 ? element : combined(op.getCombine(), result(i), element);
    }
  }
  f.set(op.getResult(), std::move(result));
}

/// result[i, j] = sum over k <= j of tile[i, k].
static void prefixSum(tile::PrefixSumOp op, Frame &f) {
  Tensor result = f.read(op.getTile());
  if (f.failed()) {
    return;
  }
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    for (int64_t j = 1; j < result.shape[1]; ++j) {
      result(i, j) += result(i, j - 1);
    }
  }
  f.set(op.getResult(), std::move(result));
}

/// result[i, j] = vector[i], or vector[j] where the rows are gone.
static void broadcast(tile::BroadcastOp op, Frame &f) {
  const Tensor &vector = f.read(op.getVector());
  auto slice = cast<tile::SliceAttr>(op.getVector().getType().getEncoding());
  Tensor result(op.getResult().getType().getShape());
  for (int64_t i = 0; i < result.shape[0]; ++i) {
    for (int64_t j = 0; j < result.shape[1]; ++j) {
      result(i, j) = vector(slice.getAxis() == 1 ? i : j);
    }
  }
  f.set(op.getResult(), std::move(result));
}

/// result[i, j] = i with axis 0, and j with axis 1.
static void indices(tile::IndicesOp op, Frame &f) {
  Tensor result(op.getResult().getType().getShape());
  size_t place = 0;
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    result.data[place++] = double(index[size_t(op.getAxis())]);
    return true;
  });
  f.set(op.getResult(), std::move(result));
}

/// 16 times the codes of a part.
static void nibbles(tile::NibblesOp op, Frame &f) {
  const Tensor &packed = f.read(op.getPacked());
  if (f.failed()) {
    return;
  }
  auto part = static_cast<int64_t>(op.getPart());
  Tensor result({packed.shape[0], packed.shape[1] / 2});
  for (int64_t m = 0; m < packed.shape[0]; ++m) {
    for (int64_t k = 0; k < result.shape[1]; ++k) {
      int64_t byte = k / 32 * 64 + k / 4 % 4 * 16 + 4 * part + k % 4;
      auto bits = static_cast<uint8_t>(static_cast<int64_t>(packed(m, byte)));
      uint8_t half = k / 16 % 2 ? bits & 0xf0 : bits << 4;
      result(m, k) = static_cast<int8_t>(half);
    }
  }
  f.set(op.getResult(), std::move(result));
}

void addTiles(Handlers &handlers) {
  handlers.add<tile::MmaOp>(mma);
  handlers.add<tile::NibblesOp>(nibbles);
  handlers.add<tile::FmaOp>(multiplyStages<tile::FmaOp>);
  handlers.add<tile::WarpgroupMmaOp>(multiplyStages<tile::WarpgroupMmaOp>);
  handlers.add<tile::WarpgroupMmaRegistersOp>(multiplyRegisters);
  handlers.add<tile::WarpgroupWaitOp>([](tile::WarpgroupWaitOp op, Frame &f) {
    f.set(op.getResult(), f.value(op.getTile()));
  });
  handlers.add<tile::ReduceOp>(reduce);
  handlers.add<tile::PrefixSumOp>(prefixSum);
  handlers.add<tile::BroadcastOp>(broadcast);
  handlers.add<tile::IndicesOp>(indices);
  // The sums of warps are whole here already.
  handlers.add<tile::SumPartialsOp>([](tile::SumPartialsOp op, Frame &f) {
    f.set(op.getResult(), f.value(op.getPartials()));
  });
  handlers.add<tile::ConvertLayoutOp>([](tile::ConvertLayoutOp op, Frame &f) {
    f.set(op.getResult(), f.value(op.getTile()));
  });
}

} // namespace cheems::interpreter
