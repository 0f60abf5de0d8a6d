// The text of attention, drawn inputs, and the comparison with the evaluator.
#include "AttentionForm.h"

namespace cheems::test {

using reference::AttentionPools;
using reference::AttentionRows;
using reference::Segment;
using reference::SegmentedAttentionOptions;
using reference::Tensor;

namespace {

constexpr int64_t kLayers = 2;

Tensor withNaNs(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(shape);
  std::fill(tensor.data.begin(), tensor.data.end(),
            std::numeric_limits<double>::quiet_NaN());
  return tensor;
}

/// What the evaluator has, and the same of the values' magnitudes, which
/// bounds what an error of weights does.
struct Evaluated {
  AttentionPools pools;
  Tensor y, bound;
};

Evaluated evaluated(const AttentionStep &step) {
  SegmentedAttentionOptions options;
  // The module's text has six digits of the scale.
  options.scale = std::stod(std::to_string(step.form.scale()));
  options.storesBF16 = step.form.stored == Number::BF16;
  AttentionRows rows{step.query, step.key, step.value, step.mask};
  Evaluated result{
      {step.keys, step.values, step.masks, {}, {}, {}, {}}, {}, {}};
  AttentionPools magnitudes = result.pools;
  result.y = segmentedAttention(rows, step.segments, step.layer, options,
                                result.pools);
  for (Tensor *tensor : {&rows.value, &magnitudes.values}) {
    for (double &number : tensor->data) {
      number = std::abs(number);
    }
  }
  result.bound =
      segmentedAttention(rows, step.segments, step.layer, options, magnitudes);
  return result;
}

} // namespace

std::string AttentionForm::rowsType(int64_t heads) const {
  return "tensor<?x" + std::to_string(heads) + "x" + std::to_string(size) +
         "xf32>";
}

std::string AttentionForm::maskType() const {
  return "tensor<?x" + std::to_string(masks) + "xf32>";
}

static std::string entriesType(const AttentionForm &form) {
  return "tensor<?x" + std::to_string(kLayers) + "x" +
         std::to_string(form.states) + "x?x" + std::to_string(form.size) + "x" +
         (form.stored == Number::F32 ? "f32>" : "bf16>");
}

static std::string masksType(const AttentionForm &form) {
  return "tensor<?x" + std::to_string(kLayers) + "x" +
         std::to_string(form.masks) + "x?xf32>";
}

std::string AttentionForm::poolTypes() const {
  return entriesType(*this) + ", " + entriesType(*this) + ", " +
         masksType(*this);
}

std::string AttentionForm::poolArguments() const {
  return "%keys: " + entriesType(*this) + ", %values: " + entriesType(*this) +
         ", %masks: " + masksType(*this);
}

std::string AttentionForm::opText() const {
  std::string query = rowsType(queries), key = rowsType(keys),
              results = query + ", " + poolTypes();
  return "  %r:4 = cheems.segmented_attention bias scale " +
         std::to_string(scale()) + " block 64 " + (oneRow ? "one_row " : "") +
         "ins(%q, %key, %value : " + query + ", " + key + ", " + key +
         ") mask(%mask : " + maskType() +
         ") segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, "
         "%keys, %values, %masks : " +
         results + ") -> " + results + "\n";
}

std::string textOf(const AttentionForm &form) {
  std::string query = form.rowsType(form.queries),
              key = form.rowsType(form.keys),
              results = query + ", " + form.poolTypes();
  return "func.func @attend(%q: " + query + ", %key: " + key +
         ", %value: " + key + ", %mask: " + form.maskType() +
         ", %segments: tensor<?x8xi32>, %layer: index, %y: " + query + ", " +
         form.poolArguments() + ") -> (" + results + ") {\n" + form.opText() +
         "  return %r#0, %r#1, %r#2, %r#3 : " + results + "\n}\n";
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
  step.capacity = needed + random.between(0, 70);
  // Queries have few bits, so that they are not rounded.
  step.query =
      random.tensor({rows, form.queries, form.size}, -2, 2, Number::BF16);
  step.key = random.tensor({rows, form.keys, form.size}, -2, 2);
  step.value = random.tensor({rows, form.keys, form.size}, -2, 2);
  step.mask = random.tensor({rows, form.masks}, 0, 4);
  step.keys =
      withNaNs({step.slots, kLayers, form.states, step.capacity, form.size});
  step.values = step.keys;
  step.masks = withNaNs({step.slots, kLayers, form.masks, step.capacity});
  for (const Segment &segment : step.segments) {
    for (int64_t e = 0; e < segment.position; ++e) {
      for (int64_t g = 0; g < form.states; ++g) {
        for (int64_t p = 0; p < form.size; ++p) {
          step.keys(segment.slot, step.layer, g, e, p) =
              nearest(random.uniform(-2, 2), form.stored);
          step.values(segment.slot, step.layer, g, e, p) =
              nearest(random.uniform(-2, 2), form.stored);
        }
      }
      for (int64_t m = 0; m < form.masks; ++m) {
        step.masks(segment.slot, step.layer, m, e) =
            nearest(random.uniform(0, 4), Number::F32);
      }
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
      values(step.form.stored, step.values), masks(Number::F32, step.masks) {}

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
  if (!module.call("attend",
                   {&query, &key, &value, &mask, &table, step.layer, &outcome.y,
                    &outcome.keys, &outcome.values, &outcome.masks})) {
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

void expectPools(const AttentionStep &step, const AttentionOutcome &got) {
  AttentionPools pools = evaluated(step).pools;
  EXPECT_EQ(got.keys.bytes(), Array(step.form.stored, pools.keys).bytes());
  EXPECT_EQ(got.values.bytes(), Array(step.form.stored, pools.values).bytes());
  EXPECT_EQ(got.masks.bytes(), Array(Number::F32, pools.masks).bytes());
}

void expectOutputs(const AttentionStep &step, const AttentionOutcome &got,
                   double ofScores, double ofResult) {
  auto [pools, want, bound] = evaluated(step);
  // Weights are rounded to bf16, or have the error of a score of about 16 in
  // f32, whose sum has P terms.
  double relative = step.form.stored == Number::BF16
                        ? kBF16
                        : (static_cast<double>(step.form.size) + 64) * 4 * kF32;
  // Each weight changes by what its score does, and so does their sum.
  relative += std::expm1(2 * ofScores);
  for (size_t i = 0; i < want.data.size(); ++i) {
    double value = got.y.get(static_cast<int64_t>(i));
    ASSERT_LE(std::abs(value - want.data[i]),
              (relative + ofResult) * bound.data[i])
        << "element " << i << " is " << value << ", the evaluator has "
        << want.data[i];
  }
}

} // namespace cheems::test
