// What the evaluator says of a step of attention, and how near a GPU's is.
#include "AttentionModules.h"
#include "Counts.h"
#include <map>

namespace cheems::test {

using reference::AttentionPools;
using reference::AttentionRows;
using reference::Segment;
using reference::SegmentedAttentionOptions;
using reference::Tensor;

namespace {

/// What the evaluator has, and the same of the values' magnitudes, which
/// bounds what an error of weights does.
struct Evaluated {
  AttentionPools pools;
  Tensor y, bound;
};

Evaluated evaluated(const AttentionStep &step) {
  const AttentionForm &form = step.form;
  SegmentedAttentionOptions options;
  // The module's text has six digits of the scale.
  options.scale = std::stod(std::to_string(form.scale()));
  options.storesBF16 = form.stored == Number::BF16;
  options.kind = form.kind;
  options.hideBelow = form.hideBelow;
  options.visible = form.visible;
  if (form.window) {
    options.window = form.window;
  }
  AttentionRows rows{step.query, step.key, step.value, step.mask};
  if (!form.givesMasks()) {
    rows.mask.reset();
  }
  Evaluated result{
      {step.keys, step.values, step.masks, {}, {}, {}, {}}, {}, {}};
  if (!form.isMasked()) {
    result.pools.masks.reset();
  }
  if (form.keep) {
    options.keep = form.keep;
    result.pools.positions = step.positions;
  }
  if (form.isQuantized()) {
    result.pools.keyScales = step.keyScales;
    result.pools.valueScales = step.valueScales;
  }
  if (form.counts()) {
    result.pools.counts = step.counts;
  }
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

using Bytes = std::vector<unsigned char>;

/// Element `at` of an array, in pieces of `count` elements.
Bytes pieceOf(const Array &array, int64_t at, int64_t count) {
  auto size = static_cast<int64_t>(sizeOf(array.number())) * count;
  return {array.bytes().begin() + at * size,
          array.bytes().begin() + (at + 1) * size};
}

/// The entries that a window keeps of a sequence in one head, by position.
std::map<double, std::array<Bytes, 3>>
keptEntries(const AttentionStep &step, const Array &keys, const Array &values,
            const Array &masks, const Array &positions, const Segment &segment,
            int64_t head) {
  std::map<double, std::array<Bytes, 3>> entries;
  int64_t layers = keys.shape()[1],
          row =
              ((segment.slot * layers + step.layer) * step.form.states + head) *
              step.capacity;
  int64_t count = std::min(segment.position + segment.length, step.form.keep);
  for (int64_t e = row; e < row + count; ++e) {
    entries[positions.get(e)] = {pieceOf(keys, e, step.form.size),
                                 pieceOf(values, e, step.form.size),
                                 pieceOf(masks, e, 1)};
  }
  EXPECT_EQ(static_cast<int64_t>(entries.size()), count);
  return entries;
}

} // namespace

/// Entries of heads that nobody sees are as before: nobody asks for them.
static void dropUnseen(const AttentionStep &step, AttentionPools &pools) {
  const AttentionForm &form = step.form;
  int64_t perState = form.masks / form.states;
  auto restore = [&](Tensor &pool, const Tensor &before, int64_t heads) {
    auto perHead = static_cast<int64_t>(pool.data.size()) /
                   (pool.shape[0] * pool.shape[1] * heads);
    for (int64_t row = 0; row < pool.shape[0] * pool.shape[1] * heads; ++row) {
      auto first = form.visible.begin() +
                   row % heads * form.masks / heads / perState * perState;
      if (std::find(first, first + perState, true) == first + perState) {
        std::copy_n(before.data.begin() + row * perHead, perHead,
                    pool.data.begin() + row * perHead);
      }
    }
  };
  restore(pools.keys, step.keys, form.states);
  restore(pools.values, step.values, form.states);
  restore(*pools.masks, step.masks, form.masks);
  if (form.isQuantized()) {
    restore(*pools.keyScales, step.keyScales, form.states);
    restore(*pools.valueScales, step.valueScales, form.states);
  }
}

void expectPools(const AttentionStep &step, const AttentionOutcome &got) {
  AttentionPools pools = evaluated(step).pools;
  if (!step.form.visible.empty()) {
    dropUnseen(step, pools);
  }
  Array keys(step.form.stored, pools.keys),
      values(step.form.stored, pools.values),
      masks(Number::F32, pools.masks.value_or(step.masks));
  if (step.form.keep) {
    Array positions(Number::I32, *pools.positions);
    for (const Segment &segment : step.segments) {
      for (int64_t g = 0; g < step.form.states; ++g) {
        EXPECT_EQ(keptEntries(step, got.keys, got.values, got.masks,
                              got.positions, segment, g),
                  keptEntries(step, keys, values, masks, positions, segment, g))
            << "head " << g << " of slot " << segment.slot;
      }
    }
    return;
  }
  EXPECT_EQ(got.keys.bytes(), keys.bytes());
  EXPECT_EQ(got.values.bytes(), values.bytes());
  EXPECT_EQ(got.masks.bytes(), masks.bytes());
  if (step.form.isQuantized()) {
    EXPECT_EQ(got.keyScales.bytes(),
              Array(Number::F32, *pools.keyScales).bytes());
    EXPECT_EQ(got.valueScales.bytes(),
              Array(Number::F32, *pools.valueScales).bytes());
  }
  if (step.form.counts()) {
    EXPECT_EQ(got.counts.bytes(), Array(Number::I32, *pools.counts).bytes());
  }
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

void holdCases(const std::vector<AttentionForm> &forms, int64_t longest,
               int64_t most, const std::vector<std::string> &units) {
  Modules modules(forms, units);
  forEachCase([&](uint64_t number) {
    auto [module, form, unit] = modules.of(number);
    SCOPED_TRACE(unit + "\n" + textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    AttentionStep step =
        drawnStep(form, random, random.between(1, 3), longest, most);
    auto outcome = run(*module, step, step.segments);
    ASSERT_TRUE(outcome);
    expectPools(step, *outcome);
    expectOutputs(step, *outcome);
    // A sequence alone has the same bits.
    for (const Segment &segment : step.segments) {
      auto alone = run(*module, step, {segment});
      ASSERT_TRUE(alone);
      EXPECT_EQ(rowsOf(alone->y, segment.start, segment.length),
                rowsOf(outcome->y, segment.start, segment.length));
    }
  });
}

} // namespace cheems::test
