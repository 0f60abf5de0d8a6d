// Attention of one sequence to entries: all of them at once, or a block.
#ifndef CHEEMS_LIB_INTERPRETER_ATTENTIONENTRIES_H
#define CHEEMS_LIB_INTERPRETER_ATTENTIONENTRIES_H

#include "Frame.h"
#include "Letters.h"
#include "SegmentTable.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Reference/OnlineAttention.h"
#include "cheems/Support/MLIR.h"

namespace cheems::interpreter {

/// Which of its entries a row sees.
template <typename OpTy> class Sight {
public:
  /// `from`: entries before those of the op.
  Sight(OpTy op, int64_t from, Frame &f)
      : from(from), first(f.integer(op.getFirst())),
        hides(op.getKind() == MaskKind::Threshold),
        hideBelow(op.getHideBelow() ? op.getHideBelow()->convertToDouble() : 0),
        mask(op.getMask() ? &f.tensor(op.getMask()) : nullptr) {
    if (op.getWindow()) {
      window = static_cast<int64_t>(*op.getWindow());
    }
    if (op.getSeen()) {
      seen = f.readIntegers(op.getSeen());
    }
    if (op.getThreshold()) {
      threshold = &f.read(op.getThreshold());
      last = &f.read(op.getLast());
      position = &f.tensor(op.getPosition());
    }
  }

  /// How many entries row t sees at most.
  int64_t count(int64_t t) const { return seen ? (*seen)[t] : first + t + 1; }

  bool operator()(int64_t t, int64_t m, int64_t j) const {
    if (from + j >= count(t) || (window && from + j < count(t) - *window) ||
        (hides && !((*mask)(m, j) >= hideBelow))) {
      return false;
    }
    if (!threshold) {
      return true;
    }
    // masks are ranked as f32
    float own = static_cast<float>((*mask)(m, j)),
          worst = static_cast<float>((*threshold)(t, m));
    return own > worst || (own == worst && (*position)(m, j) <= (*last)(t, m));
  }

private:
  int64_t from, first;
  bool hides;
  double hideBelow;
  const Tensor *mask; ///< or null
  std::optional<int64_t> window;
  std::optional<std::vector<int64_t>> seen;
  const Tensor *threshold = nullptr, *last = nullptr, *position = nullptr;
};

/// Keys or values as they are read back: codes by their scales.
inline Tensor entriesOf(Value entries, Value scales, Frame &f) {
  Tensor result = f.tensor(entries);
  if (scales) {
    const Tensor &factor = f.tensor(scales);
    int64_t size = result.shape.back();
    for (size_t i = 0; i < result.data.size(); ++i) {
      result.data[i] *= factor.data[i / size];
    }
  }
  return result;
}

template <typename OpTy> void checkShapes(OpTy op, Frame &f) {
  Letters n(f);
  n("THP", op.getQuery())("GCP", op.getKeys())("GCP", op.getValues());
  n("MC", op.getMask())("THP", op.getY())("T", op.getSeen());
  n("MC", op.getPosition())("TM", op.getThreshold())("TM", op.getLast());
  n("GC", op.getKeyScales())("GC", op.getValueScales());
}

/// Brings `state` up to date with the op's entries, of which `from` are before.
/// No row may see more than there are where `ends`, as they are the last.
template <typename OpTy>
void attend(OpTy op, int64_t from, bool ends, reference::RunningSoftmax &state,
            Frame &f) {
  const Tensor &query = f.read(op.getQuery());
  Sight<OpTy> sight(op, from, f);
  if (f.failed()) {
    return;
  }
  int64_t rows = query.shape[0], entries = f.tensor(op.getKeys()).shape[1];
  int64_t most = 0;
  for (int64_t t = 0; t < rows; ++t) {
    most = std::max(most, sight.count(t) - from);
  }
  if (ends && most > entries) {
    f.fail() << "has a row that sees " << most << " entries, of " << entries;
    return;
  }
  most = std::min(most, entries);
  for (Value each :
       {op.getKeys(), op.getValues(), op.getMask(), op.getPosition(),
        op.getKeyScales(), op.getValueScales()}) {
    int64_t heads = each ? f.tensor(each).shape[0] : 0;
    for (int64_t head = 0; head < heads; ++head) {
      checkWritten(each, {head}, most, f);
    }
  }
  if (f.failed()) {
    return;
  }
  reference::onlineAttention(
      query, entriesOf(op.getKeys(), op.getKeyScales(), f),
      entriesOf(op.getValues(), op.getValueScales(), f),
      op.getMask() ? &f.tensor(op.getMask()) : nullptr, op.getKind(),
      op.getScale().convertToDouble(), sight, state);
}

inline void setState(Operation *op, reference::RunningSoftmax state, Frame &f) {
  f.set(op->getResult(0), std::move(state.maximum));
  f.set(op->getResult(1), std::move(state.sum));
  f.set(op->getResult(2), std::move(state.y));
}

} // namespace cheems::interpreter

#endif
