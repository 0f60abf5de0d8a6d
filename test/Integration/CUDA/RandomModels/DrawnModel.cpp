#include "DrawnModel.h"
#include "test/unit/Support/F32Bound.h"
#include "test/unit/Support/RandomDraws.h"
#include <cmath>

using namespace cheems::test;
using Stored = RandomCheckpoint::Stored;

namespace {

constexpr double kBF16 = 0x1p-8, kF16 = 0x1p-11, kPair = kBF16 * kBF16;
const std::vector<Form> brain = {{Stored::BF16, "stored", true, kBF16},
                                 {Stored::F32, "bf16", false, kBF16}};
const std::vector<Form> half = {{Stored::F32, "f16", false, kF16},
                                {Stored::F16, "f16", false, kF16},
                                {Stored::BF16, "f16", true, kF16}};
// Codes up to 127 of rows whose greatest number is hardly above four times the
// mean: the difference of two such roundings, of which each errs by a code's
// part over the square root of 12.
const double kCode = 4.0 / (127.0 * std::sqrt(6.0));
const std::vector<Form> codes = {{Stored::F32, "int8", false, kCode},
                                 {Stored::F32, "int4", false, kCode},
                                 {Stored::BF16, "int4", true, kCode},
                                 {Stored::BF16, "int8", true, kCode}};

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
  bool isBrain = form.unit == kBF16, isHalf = form.unit == kF16;
  std::vector<std::string> names;
  if (isBrain || isHalf) {
    names.emplace_back("product");
  }
  if (form.entriesBF16 && drawn.anyAttention()) {
    names.emplace_back("attention");
  }
  if ((isBrain || isHalf) && drawn.anySSD()) {
    names.emplace_back("ssd_");
  }
  return names;
}

Difference cheems::test::allowed(const DrawnModel &model) {
  const RandomCheckpoint &c = model.drawn;
  // Inputs of the projections, of the output's, of the MLP's two, and of the
  // head; of experts' queries, and queries times keys. With entries in bf16
  // also queries, keys, weights and values. SSD has x, both gates, sums of a
  // chunk's rows, weights of rows, and states, in bf16 or as pairs of it.
  int64_t roundings = c.layers * 4 + 1, brainRoundings = 0, pairRoundings = 0;
  for (int64_t layer = 0; layer < c.layers; ++layer) {
    roundings += c.hasExperts(layer) ? 2 : 0;
    if (!c.isAttention(layer)) {
      (model.form.unit == kF16 ? pairRoundings : brainRoundings) += 6;
    } else if (model.form.entriesBF16) {
      brainRoundings += 4;
    }
  }
  double squares =
      static_cast<double>(roundings) * model.form.unit * model.form.unit +
      static_cast<double>(brainRoundings) * kBF16 * kBF16 +
      static_cast<double>(pairRoundings) * kPair * kPair;
  double mean = std::sqrt(squares) + f32Bound(c, model.rows);
  // Of a hundred thousand numbers hardly one is as far as six deviations.
  return {mean, 6 * mean};
}
