#include "DrawnModel.h"
#include "test/unit/Support/RandomDraws.h"
#include <algorithm>
#include <cmath>
#include <utility>

using namespace cheems::test;
using Stored = RandomCheckpoint::Stored;

namespace {

const std::vector<Form> brain = {{Stored::BF16, "stored", true, kUnitBF16},
                                 {Stored::F32, "bf16", false, kUnitBF16}};
const std::vector<Form> half = {{Stored::F32, "f16", false, kUnitF16},
                                {Stored::F16, "f16", false, kUnitF16},
                                {Stored::BF16, "f16", true, kUnitF16}};
const std::vector<Form> codes = {{Stored::F32, "int8", false, 0.0, 8},
                                 {Stored::F32, "int4", false, 0.0, 4},
                                 {Stored::BF16, "int4", true, 0.0, 4},
                                 {Stored::BF16, "int8", true, 0.0, 8}};

/// What both kinds have.
void drawSizes(DrawnModel &model, Random &random, int64_t headDim) {
  RandomCheckpoint &c = model.drawn;
  c.headDim = headDim;
  c.keyValueHeads = random.integer(1, 2);
  c.heads = c.keyValueHeads * (c.keyValueHeads == 1 ? random.integer(1, 2) : 1);
  c.hidden = c.separateHead ? random.pick({48, 72, 96}) : c.heads * c.headDim;
  c.maxPositions = c.dynamicRope ? 128 : 2048;
  c.factor = c.dynamicRope ? 2.0 : 1.0;
  // No key is dropped.
  c.keepWindow = random.chance(0.5) ? std::optional(model.rows) : std::nullopt;
  c.stored = model.form.stored;
}

} // namespace

DrawnModel cheems::test::drawDenseModel(uint64_t number) {
  Random random(number ^ 0x6b0);
  const std::vector<Form> *all[] = {&brain, &half, &codes};
  // Six models have all three with heads of either size, and each form comes
  // with either size within a few seeds.
  const std::vector<Form> &kinds = *all[number % 3];
  DrawnModel model{kinds[(number / 3 + 3 * (number / 6)) % kinds.size()],
                   drawDoge(number), random.integer(200, 230)};
  drawSizes(model, random, number / 3 % 2 ? 128 : 64);
  RandomCheckpoint &c = model.drawn;
  c.layers = random.integer(1, 2);
  // In one layer masks are hardly ever so near to each other that a rounding
  // keeps another key. In two no key is dropped.
  if (c.layers == 1) {
    c.keepWindow = random.integer(50, 150);
  }
  return model;
}

DrawnModel cheems::test::drawCheemsModel(uint64_t number) {
  using Decay = RandomCheckpoint::Decay;
  Random random(number ^ 0x55d);
  const std::vector<Form> &kinds = number % 2 ? half : brain;
  DrawnModel model{kinds[number / 4 % kinds.size()], drawDense(number, true),
                   random.integer(200, 230)};
  RandomCheckpoint &c = model.drawn;
  c.cheems = true;
  drawSizes(model, random, (number + number / 2) % 2 ? 128 : 64);
  c.layers = 2;
  c.attentionPeriod = 2;
  c.attentionOffset = random.integer(0, 1);
  c.stateSize = 128;
  c.groups = random.chance(0.5) ? c.heads : 1;
  c.skip = random.chance(0.5);
  c.decay = random.pick({Decay::Negative, Decay::Logarithm});
  c.expertLayers = RandomCheckpoint::Experts::Last;
  // All pairs of few keys, or the best of many.
  bool everyExpert = random.chance(0.5);
  c.keyCount = everyExpert ? random.integer(2, 3) : random.integer(6, 12);
  c.experts = c.keyCount * c.keyCount;
  c.expertHeads = random.integer(1, 2);
  c.expertsPerHead = everyExpert ? c.experts : random.integer(4, 8);
  c.retrievalSize = 2 * random.integer(4, 16);
  c.innerScore = random.chance(0.4);
  return model;
}

std::string DrawnModel::describe() const {
  return drawn.describe() + ", weights " + form.weights;
}

std::vector<std::string> DrawnModel::of16Bits() const {
  bool isBrain = form.unit == kUnitBF16, isHalf = form.unit == kUnitF16;
  std::vector<std::string> names;
  if (isBrain || isHalf) {
    names.emplace_back("matmul");
  }
  if (form.entriesBF16 && drawn.anyAttention()) {
    names.emplace_back("attention");
  }
  if ((isBrain || isHalf) && drawn.anySSD()) {
    names.emplace_back("ssd_");
  }
  return names;
}

static std::vector<RoundedPart> partsOf(const DrawnModel &model,
                                        RoundedPart &head) {
  const RandomCheckpoint &c = model.drawn;
  bool isCode = model.form.quantizedBits != 0,
       isBrain = model.form.unit == kUnitBF16;
  using Units = std::vector<double>;
  auto together = [](std::initializer_list<Units> lists) {
    Units all;
    for (const Units &list : lists) {
      all.insert(all.end(), list.begin(), list.end());
    }
    return all;
  };
  // Returns the units of a matmul's inputs. The module that rounds nothing has
  // no quantized weights either.
  auto inputs = [&](int64_t length) -> Units {
    if (!isCode) {
      return {model.form.unit};
    }
    bool four = model.form.quantizedBits == 4 && length % 32 == 0;
    return {unitOfQuantized(127, length),
            four ? unitOfQuantized(8, length % 64 == 0 ? 64 : 32)
                 : unitOfQuantized(127, length)};
  };
  Units entries = Units(model.form.entriesBF16 ? 2 : 0, kUnitBF16);
  int64_t outputs = c.heads * c.headDim;
  std::vector<RoundedPart> parts;
  for (int64_t layer = 0; layer < c.layers; ++layer) {
    RoundedPart &sequence = parts.emplace_back();
    sequence.before = inputs(c.hidden);
    sequence.factors = 4;
    if (c.isAttention(layer)) {
      // The value, the query, the key and the mask have the input's error; the
      // mask is a matmul of the rounded value.
      sequence.after = together({inputs(c.headDim), entries, inputs(outputs)});
      sequence.compiled = entries; // queries, and weights of values
      sequence.length = 2 * model.rows + c.headDim;
    } else {
      // x, b, c and the decay have it. Kernels round x, b and c, both gates,
      // the sums of a chunk's rows, the weights of rows, and states, in bf16
      // or as pairs of it.
      sequence.after =
          together({Units(isBrain ? 3 : 0, kUnitBF16), inputs(outputs)});
      sequence.compiled =
          isBrain ? Units(6, kUnitBF16) : Units(9, kUnitBF16 * kUnitBF16);
      sequence.length = 2 * model.rows + c.stateSize;
    }
    RoundedPart &state = parts.emplace_back();
    state.before = inputs(c.hidden);
    // A gate and what it gates; of experts the input, and a key of either half
    // in a score that is an exponent.
    bool experts = c.hasExperts(layer);
    state.factors = experts ? 4 : 2;
    state.after = together(
        {experts ? inputs(c.hidden) : Units(), inputs(c.intermediate)});
    state.length = c.hidden + c.intermediate;
  }
  head.before = inputs(c.hidden);
  head.length = c.hidden;
  return parts;
}

static RoundingBounds formulasOf(const DrawnModel &model) {
  RoundedPart head;
  std::vector<RoundedPart> parts = partsOf(model, head);
  return roundingBounds(parts, head);
}

int64_t Form::digits() const { return unit == kUnitF16 ? 11 : 8; }

RoundingBounds cheems::test::boundsOf(const DrawnModel &model,
                                      double straight) {
  // Errors of a model that passes much on are not quite straight, and a few of
  // them may be most of what is seen.
  constexpr double bent = 3.0;
  // What was measured rounds the inputs of matmuls, and nothing else.
  DrawnModel inputs = model;
  inputs.form.unit = std::ldexp(1.0, -static_cast<int>(model.form.digits()));
  inputs.form.entriesBF16 = false;
  inputs.form.quantizedBits = 0;
  double wider = std::max(1.0, bent * straight / formulasOf(inputs).rounded);
  RoundingBounds bounds = formulasOf(model);
  return {wider * bounds.rounded, wider * bounds.compiled};
}
