// The text of attention, and drawn inputs.
#include "AttentionForm.h"
#include "cheems/abi.h"
#include <numeric>

namespace cheems::test {

using reference::Segment;
using reference::Tensor;

namespace {

constexpr int64_t kLayers = 2;

Tensor withNaNs(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(shape);
  std::fill(tensor.data.begin(), tensor.data.end(),
            std::numeric_limits<double>::quiet_NaN());
  return tensor;
}

/// A pool as the op names it.
struct Pool {
  std::string name, type;
};

std::string poolType(std::initializer_list<int64_t> extents,
                     const std::string &element) {
  std::string text = "tensor<?x" + std::to_string(kLayers) + "x";
  for (int64_t extent : extents) {
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  }
  return text + element + ">";
}

std::vector<Pool> poolsOf(const AttentionForm &form) {
  std::string entries = poolType({form.states, -1, form.size},
                                 form.isQuantized()           ? "i8"
                                 : form.stored == Number::F32 ? "f32"
                                                              : "bf16");
  std::vector<Pool> pools = {{"%keys", entries}, {"%values", entries}};
  if (form.isMasked()) {
    pools.push_back({"%masks", poolType({form.masks, -1}, "f32")});
  }
  if (form.keep) {
    pools.push_back({"%positions", poolType({form.states, -1}, "i32")});
  }
  if (form.isQuantized()) {
    pools.push_back({"%key_scales", poolType({form.states, -1}, "f32")});
    pools.push_back({"%value_scales", poolType({form.states, -1}, "f32")});
  }
  if (form.counts()) {
    pools.push_back({"%counts", poolType({form.states}, "i32")});
  }
  return pools;
}

template <typename Text>
std::string joined(const std::vector<Pool> &pools, Text text) {
  std::string all;
  for (const Pool &pool : pools) {
    all += (all.empty() ? "" : ", ") + text(pool);
  }
  return all;
}

std::string nameOf(MaskKind kind) {
  return kind == MaskKind::Bias    ? "bias"
         : kind == MaskKind::Scale ? "scale"
         : kind == MaskKind::None  ? "none"
                                   : "threshold";
}

} // namespace

std::string AttentionForm::rowsType(int64_t heads) const {
  return "tensor<?x" + std::to_string(heads) + "x" + std::to_string(size) +
         "xf32>";
}

std::string AttentionForm::maskType() const {
  return "tensor<?x" + std::to_string(masks) + "xf32>";
}

std::string AttentionForm::poolTypes() const {
  return joined(poolsOf(*this), [](const Pool &pool) { return pool.type; });
}

std::string AttentionForm::poolArguments() const {
  return joined(poolsOf(*this),
                [](const Pool &pool) { return pool.name + ": " + pool.type; });
}

std::string AttentionForm::poolResults() const {
  int number = 0;
  return joined(poolsOf(*this),
                [&](const Pool &) { return "%r#" + std::to_string(++number); });
}

std::string AttentionForm::opText() const {
  std::string query = rowsType(queries), key = rowsType(keys);
  std::vector<Pool> pools = poolsOf(*this),
                    first(pools.begin(), pools.begin() + (isMasked() ? 3 : 2));
  std::string text = "  %r:" + std::to_string(1 + pools.size()) +
                     " = cheems.segmented_attention " + nameOf(kind) +
                     " scale " + std::to_string(scale());
  if (keep) {
    text += " keep " + std::to_string(keep);
  }
  if (kind == MaskKind::Threshold) {
    text += " hide_below " + std::to_string(hideBelow);
  }
  if (!visible.empty()) {
    std::string heads;
    for (bool sees : visible) {
      heads +=
          (heads.empty() ? "" : ", ") + std::string(sees ? "true" : "false");
    }
    text += " visible [" + heads + "]";
  }
  if (window) {
    text += " window " + std::to_string(window);
  }
  text += std::string(" block 64 ") + (oneRow ? "one_row " : "") +
          "ins(%q, %key, %value : " + query + ", " + key + ", " + key + ")" +
          (givesMasks() ? " mask(%mask : " + maskType() + ")" : "") +
          " segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, " +
          joined(first, [](const Pool &pool) { return pool.name; }) + " : " +
          query + ", " +
          joined(first, [](const Pool &pool) { return pool.type; }) + ")";
  for (auto pool = pools.begin() + static_cast<ptrdiff_t>(first.size());
       pool != pools.end(); ++pool) {
    if (pool->name == "%key_scales") {
      text += " scales(%key_scales, %value_scales : " + pool->type + ", " +
              pool->type + ")";
      ++pool;
      continue;
    }
    text += " " + pool->name.substr(1) + "(" + pool->name + " : " + pool->type +
            ")";
  }
  return text + " -> " + query + ", " + poolTypes() + "\n";
}

std::string textOf(const AttentionForm &form) {
  std::string query = form.rowsType(form.queries),
              key = form.rowsType(form.keys),
              results = query + ", " + form.poolTypes();
  return "func.func @attend(%q: " + query + ", %key: " + key +
         ", %value: " + key + ", %mask: " + form.maskType() +
         ", %segments: tensor<?x8xi32>, %layer: index, %y: " + query + ", " +
         form.poolArguments() + ") -> (" + results + ") {\n" + form.opText() +
         "  return %r#0, " + form.poolResults() + " : " + results + "\n}\n";
}

/// The masks have few different numbers, or many.
static double drawnMask(Random &random, bool hasTies) {
  double mask = random.uniform(0, 4);
  return nearest(hasTies ? std::floor(mask * 4) / 4 : mask, Number::F32);
}

/// Distinct positions below `position`, in no order.
static std::vector<int64_t> drawnPositions(Random &random, int64_t count,
                                           int64_t position) {
  std::vector<int64_t> all(static_cast<size_t>(position));
  std::iota(all.begin(), all.end(), 0);
  for (int64_t i = 0; i < count; ++i) {
    std::swap(all[i], all[random.between(i, position - 1)]);
  }
  all.resize(static_cast<size_t>(count));
  return all;
}

/// What a sequence has stored in one state head.
static void drawEntries(AttentionStep &step, Random &random,
                        const Segment &segment, int64_t g, bool hasTies) {
  const AttentionForm &form = step.form;
  int64_t count = segment.position;
  if (form.keep) {
    count = std::min(count, form.keep);
  } else if (form.counts()) {
    count = random.between(0, count);
    step.counts(segment.slot, step.layer, g) = static_cast<double>(count);
  }
  bool inOrder = count == segment.position;
  std::vector<int64_t> positions =
      drawnPositions(random, inOrder ? 0 : count, segment.position);
  auto number = [&] {
    return form.isQuantized() ? static_cast<double>(random.between(-127, 127))
                              : nearest(random.uniform(-2, 2), form.stored);
  };
  // While entry e is row e, heads that store one key head have the same.
  int64_t first = inOrder && !form.counts() ? g / (form.states / form.keys) *
                                                  (form.states / form.keys)
                                            : g;
  // A ring has no more than the rows that blocks read.
  constexpr int64_t block = CHEEMS_RING_UNIT / 2;
  int64_t begin =
      form.window ? std::max<int64_t>(0, count - form.window - block) : 0;
  for (int64_t row = begin; row < count; ++row) {
    int64_t e = form.window ? row % step.capacity : row;
    for (int64_t p = 0; p < form.size; ++p) {
      for (Tensor *pool : {&step.keys, &step.values}) {
        (*pool)(segment.slot, step.layer, g, e, p) =
            first < g ? (*pool)(segment.slot, step.layer, first, e, p)
                      : number();
      }
    }
    for (Tensor *scales : {&step.keyScales, &step.valueScales}) {
      if (form.isQuantized()) {
        (*scales)(segment.slot, step.layer, g, e) =
            first < g ? (*scales)(segment.slot, step.layer, first, e)
                      : nearest(random.uniform(0, 2.0 / 127), Number::F32);
      }
    }
    int64_t perState = form.masks / form.states;
    for (int64_t m = g * perState; m < (g + 1) * perState; ++m) {
      step.masks(segment.slot, step.layer, m, e) =
          form.visible.empty() ? drawnMask(random, hasTies)
                               : double(form.visible[m]);
    }
    if (form.keep) {
      step.positions(segment.slot, step.layer, g, e) =
          static_cast<double>(inOrder ? e : positions[e]);
    }
  }
}

AttentionStep drawnStep(const AttentionForm &form, Random &random,
                        int64_t sequences, int64_t longest, int64_t most) {
  AttentionStep step;
  step.form = form;
  step.slots = sequences + 1;
  step.layer = random.between(0, kLayers - 1);
  int64_t rows = 0, needed = 0;
  for (int64_t s = 0; s < sequences; ++s) {
    int64_t length = form.oneRow ? 1 : random.between(1, longest);
    int64_t position = random.once(3) ? 0 : random.between(0, most);
    // Slots go down, and one is not used.
    step.segments.push_back({sequences - s, rows, length, position, 0});
    rows += length;
    needed = std::max(needed, position + length);
  }
  constexpr int64_t block = 64;
  step.capacity = (form.keep ? std::min(needed, form.keep) + block : needed) +
                  random.between(0, 70);
  if (form.window) {
    constexpr int64_t unit = CHEEMS_RING_UNIT;
    int64_t ring = ((form.window + longest + unit - 1) / unit + 1) * unit;
    step.capacity = std::min(step.capacity, ring);
  }
  // Queries have few bits, so that they are not rounded.
  step.query =
      random.tensor({rows, form.queries, form.size}, -2, 2, Number::BF16);
  step.key = random.tensor({rows, form.keys, form.size}, -2, 2);
  step.value = random.tensor({rows, form.keys, form.size}, -2, 2);
  bool hasTies = random.once(2);
  step.mask = Tensor({rows, form.masks});
  for (double &mask : step.mask.data) {
    mask = drawnMask(random, hasTies);
  }
  step.keys =
      withNaNs({step.slots, kLayers, form.states, step.capacity, form.size});
  step.masks = withNaNs({step.slots, kLayers, form.masks, step.capacity});
  const llvm::SmallVector<int64_t> none = {0};
  step.positions = step.keyScales = step.counts = Tensor(none);
  if (form.isQuantized()) { // an integer cannot be NaN
    step.keys = Tensor(step.keys.shape);
    step.keyScales =
        withNaNs({step.slots, kLayers, form.states, step.capacity});
  }
  step.values = step.keys;
  step.valueScales = step.keyScales;
  if (form.keep) {
    step.positions = Tensor({step.slots, kLayers, form.states, step.capacity});
    // Before a step, entry e has the position e.
    for (size_t i = 0; i < step.positions.data.size(); ++i) {
      step.positions.data[i] =
          static_cast<double>(i % static_cast<size_t>(step.capacity));
    }
  }
  if (form.counts()) {
    step.counts = Tensor({step.slots, kLayers, form.states});
  }
  for (const Segment &segment : step.segments) {
    for (int64_t g = 0; g < form.states; ++g) {
      drawEntries(step, random, segment, g, hasTies);
    }
  }
  return step;
}

Array tableOf(const std::vector<Segment> &segments, bool oneRow) {
  Array table(Number::I32, {static_cast<int64_t>(segments.size()), 8});
  int64_t at = 0;
  for (const Segment &s : segments) {
    for (int64_t value :
         {s.slot, s.start, oneRow ? 0 : s.length, s.position, s.ropeLength,
          int64_t(-1), int64_t(-1), int64_t(-1)}) {
      table.set(at++, static_cast<double>(value));
    }
  }
  return table;
}

AttentionOutcome::AttentionOutcome(const AttentionStep &step)
    : y(Number::F32, step.query.shape), keys(step.form.stored, step.keys),
      values(step.form.stored, step.values), masks(Number::F32, step.masks),
      positions(Number::I32, step.positions),
      keyScales(Number::F32, step.keyScales),
      valueScales(Number::F32, step.valueScales),
      counts(Number::I32, step.counts) {}

std::optional<AttentionOutcome> run(TileModule &module,
                                    const AttentionStep &step,
                                    const std::vector<Segment> &segments,
                                    const AttentionOutcome *before) {
  Array query(Number::F32, step.query), key(Number::F32, step.key),
      value(Number::F32, step.value), mask(Number::F32, step.mask),
      table = tableOf(segments, step.form.oneRow);
  AttentionOutcome outcome(step);
  if (before) {
    outcome = *before;
  }
  std::vector<Argument> arguments = {
      &query,     &key,       &value,        &mask,          &table,
      step.layer, &outcome.y, &outcome.keys, &outcome.values};
  if (step.form.isMasked()) {
    arguments.emplace_back(&outcome.masks);
  }
  if (step.form.keep) {
    arguments.emplace_back(&outcome.positions);
  }
  if (step.form.isQuantized()) {
    arguments.emplace_back(&outcome.keyScales);
    arguments.emplace_back(&outcome.valueScales);
  }
  if (step.form.counts()) {
    arguments.emplace_back(&outcome.counts);
  }
  if (!module.call("attend", arguments)) {
    return std::nullopt;
  }
  return outcome;
}

std::vector<unsigned char> rowsOf(const Array &y, int64_t start,
                                  int64_t length) {
  auto perRow = static_cast<int64_t>(y.bytes().size()) / y.shape()[0];
  return {y.bytes().begin() + start * perRow,
          y.bytes().begin() + (start + length) * perRow};
}

} // namespace cheems::test
