// segmented_attention: pools out of the frame, the evaluator, and back.
#include "Handlers.h"
#include "Letters.h"
#include "SegmentTable.h"
#include <cmath>

namespace cheems::interpreter {
using namespace mlir;
using reference::Segment;

static void checkShapes(SegmentedAttentionOp op, Frame &f) {
  Letters n(f);
  n("THP", op.getQuery())("TgP", op.getKey())("TgP", op.getValue());
  n("TM", op.getMask())("THP", op.getY())("SLGCP", op.getKeys());
  n("SLGCP", op.getValues())("SLMC", op.getMasks())("SLGC", op.getPositions());
  n("SLGC", op.getKeyScales())("SLGC", op.getValueScales());
  n("SLG", op.getCounts());
}

/// Entries that a head has of a sequence before the step.
static int64_t entriesBefore(SegmentedAttentionOp op, const Segment &s,
                             int64_t layer, int64_t head, Frame &f) {
  if (s.position == 0) {
    return 0;
  }
  if (op.getCounts()) {
    const Tensor &counts = f.tensor(op.getCounts());
    int64_t place = (s.slot * counts.shape[1] + layer) * counts.shape[2] + head;
    return f.element(op.getCounts(), place).asInteger();
  }
  return reference::storedEntries(s.position, op.getKeep());
}

/// Pools have the room, and what is read of them is written.
static void checkPools(SegmentedAttentionOp op, ArrayRef<Segment> segments,
                       int64_t layer, Frame &f) {
  ArrayRef<int64_t> shape = f.tensor(op.getKeys()).shape;
  int64_t heads = shape[2], capacity = shape[3],
          masks = op.getMaskHeads() / heads;
  for (const Segment &s : segments) {
    for (int64_t head = 0; head < heads && !f.failed(); ++head) {
      int64_t before = entriesBefore(op, s, layer, head, f),
              after = op.getCounts() ? before + s.length
                                     : reference::storedEntries(
                                           s.position + s.length, op.getKeep());
      if (op.getWindow()) { // what no row sees may have lost its place
        int64_t window = static_cast<int64_t>(*op.getWindow());
        after = std::min(after, window - 1 + s.length);
        before = std::min(before, capacity);
      }
      if (before < 0 || after > capacity) {
        f.fail() << "stores " << after << " entries of slot " << s.slot
                 << ", and pools have room for " << capacity;
        return;
      }
      for (Value pool : {Value(op.getKeys()), Value(op.getValues()),
                         Value(op.getPositions()), Value(op.getKeyScales()),
                         Value(op.getValueScales())}) {
        if (pool) {
          checkWritten(pool, {s.slot, layer, head}, before, f);
        }
      }
      for (int64_t m = head * masks; op.getMasks() && m < (head + 1) * masks;
           ++m) {
        checkWritten(op.getMasks(), {s.slot, layer, m}, before, f);
      }
    }
  }
}

static reference::SegmentedAttentionOptions optionsOf(SegmentedAttentionOp op) {
  reference::SegmentedAttentionOptions options;
  options.kind = op.getKind();
  options.scale = op.getScale().convertToDouble();
  options.keep = op.getKeep();
  options.window = op.getWindow();
  if (op.getHideBelow()) {
    options.hideBelow = op.getHideBelow()->convertToDouble();
  }
  if (op.getVisible()) {
    options.visible.assign(op.getVisible()->begin(), op.getVisible()->end());
  }
  options.storesBF16 = op.getKeys().getType().getElementType().isBF16();
  return options;
}

/// What keys are to be ranked by: what is given, or their masks.
static Choice choiceOf(SegmentedAttentionOp op, const Tensor &masks,
                       ArrayRef<Segment> segments, Frame &f) {
  Choice choice{f.choices()->next("masks"), masks, masks, Tensor(masks.shape)};
  choice.keep = op.getKeep().value_or(0);
  choice.hideBelow =
      op.getHideBelow() ? op.getHideBelow()->convertToDouble() : 0.0;
  choice.first.resize(masks.shape[0]);
  for (const Segment &s : segments) {
    std::fill_n(choice.first.begin() + s.start, s.length, s.start);
  }
  if (const Tensor *given = f.given(choice.name, masks.shape)) {
    for (size_t i = 0; i < given->data.size(); ++i) {
      double rank = given->data[i];
      choice.chosen.data[i] = std::isnan(rank) ? masks.data[i] : rank;
    }
  }
  return choice;
}

static void segmentedAttention(SegmentedAttentionOp op, Frame &f) {
  checkShapes(op, f);
  if (f.failed()) {
    return;
  }
  auto optional = [&](Value pool) {
    return pool ? std::optional(f.tensor(pool)) : std::nullopt;
  };
  reference::AttentionRows rows{f.read(op.getQuery()), f.read(op.getKey()),
                                f.read(op.getValue()), std::nullopt};
  if (op.getMask()) {
    rows.mask = f.read(op.getMask());
  }
  reference::AttentionPools pools{
      f.tensor(op.getKeys()),      f.tensor(op.getValues()),
      optional(op.getMasks()),     optional(op.getPositions()),
      optional(op.getKeyScales()), optional(op.getValueScales()),
      optional(op.getCounts())};
  auto segments = segmentsOf(cast<SegmentedOpInterface>(op.getOperation()),
                             rows.query.shape[0], f);
  int64_t layer = f.integer(op.getLayer());
  if (f.failed() || !hasSlots(segments, layer, pools.keys, f)) {
    return;
  }
  checkPools(op, segments, layer, f);
  if (f.failed()) {
    return;
  }
  bool chooses = f.choices() && rows.mask && (op.getKeep() || op.getCounts());
  if (chooses) {
    f.choices()->made.push_back(choiceOf(op, *rows.mask, segments, f));
    rows.rank = f.choices()->made.back().chosen;
  }
  if (f.failed()) {
    return;
  }
  f.set(op.getResult(0),
        reference::segmentedAttention(
            rows, segments, layer, optionsOf(op), pools,
            chooses ? &f.choices()->made.back().loss : nullptr));
  if (chooses) {
    double unit = deviationOf(*rows.mask);
    for (double &each : f.choices()->made.back().loss.data) {
      each /= unit;
    }
  }
  unsigned next = 1;
  f.set(op.getResult(next++), std::move(pools.keys));
  f.set(op.getResult(next++), std::move(pools.values));
  for (std::optional<Tensor> *pool :
       {&pools.masks, &pools.positions, &pools.keyScales, &pools.valueScales,
        &pools.counts}) {
    if (*pool) {
      f.set(op.getResult(next++), std::move(**pool));
    }
  }
}

void addSegmentedAttention(Handlers &handlers) {
  handlers.add<SegmentedAttentionOp>(segmentedAttention);
}

} // namespace cheems::interpreter
