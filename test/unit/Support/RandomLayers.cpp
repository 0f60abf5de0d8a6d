// Draws what goes beyond a dense Doge: SSD layers, mask kinds, experts.
#include "test/unit/Support/RandomDraws.h"
#include <algorithm>

namespace cheems::test {
namespace {

void drawMask(RandomCheckpoint &c, Random &random) {
  using Mask = RandomCheckpoint::Mask;
  c.mask = random.pick({Mask::Bias, Mask::Bias, Mask::Threshold, Mask::Scale});
  if (c.mask != Mask::Bias) {
    c.keepWindow.reset();
  }
  if (c.mask == Mask::Threshold && random.chance(0.6)) {
    c.threshold = 0.3 + 0.6 * random.uniform();
  }
}

void drawExperts(RandomCheckpoint &c, Random &random) {
  using Experts = RandomCheckpoint::Experts;
  c.expertLayers = random.pick({Experts::First, Experts::Last, Experts::Ends,
                                Experts::Middle, Experts::All, Experts::Drawn});
  c.keyCount = random.integer(2, 6);
  // floor(sqrt(K * K + r)) is K up to r = 2 * K
  c.experts = c.keyCount * c.keyCount +
              (random.chance(0.5) ? random.integer(1, 2 * c.keyCount) : 0);
  c.expertHeads = c.authorNames ? random.integer(1, 3) : 1;
  c.expertsPerHead =
      random.integer(1, std::min(c.keyCount * c.keyCount, 2 * c.keyCount + 1));
  c.retrievalSize = 2 * random.integer(1, 6);
  c.innerScore = random.chance(0.4);
}

void drawSSD(RandomCheckpoint &c, Random &random) {
  using Decay = RandomCheckpoint::Decay;
  c.cheems = true;
  c.layers = random.integer(1, 4);
  switch (random.integer(0, 5)) {
  case 0: // attention alone
    break;
  case 1: // SSD alone
    c.attentionPeriod = random.integer(1, 3);
    c.attentionOffset = c.attentionPeriod + random.integer(0, 2);
    break;
  default:
    c.attentionPeriod = random.integer(2, 4);
    c.attentionOffset = random.integer(0, c.attentionPeriod - 1);
  }
  c.stateSize = random.pick<int64_t>({2, 4, 6, 8, 10, 18, c.headDim});
  if (c.dynamicRope) {
    c.stateSize = std::max<int64_t>(c.stateSize, 4);
  }
  c.groups = random.integer(1, c.heads);
  while (c.heads % c.groups != 0) {
    --c.groups;
  }
  c.skip = random.chance(0.5);
  c.decay = random.pick({Decay::Negative, Decay::Growing, Decay::Logarithm});
  // heads that nothing rotates may be odd
  if (!c.anyAttention() && Random(c.seed ^ 0x0dd).chance(0.5)) {
    c.headDim -= 1;
    c.hidden = c.heads * c.headDim;
  }
}

} // namespace

void drawGroups(RandomCheckpoint &c, int64_t group) {
  Random random(c.seed ^ 0x96e);
  bool wide = group == 64;
  c.hidden = wide ? 64 : random.pick<int64_t>({32, 96});
  if (!c.separateHead) {
    c.keyValueHeads = random.integer(1, 2);
    c.heads = c.keyValueHeads * random.pick<int64_t>({1, 2});
    c.headDim = c.hidden / c.heads;
    c.groups = random.chance(0.5) ? 1 : c.heads;
  }
  // an odd number, or four times one
  int64_t odd = 2 * random.integer(3, 9) + 1;
  c.intermediate = wide ? odd : 4 * odd;
}

RandomCheckpoint drawCheckpoint(uint64_t seed) {
  // of such constants one whose first 16 seeds hold every kind of layer
  Random random(seed ^ 0xe3);
  double kind = random.uniform();
  if (kind < 0.34) {
    return drawDoge(seed);
  }
  bool cheems = kind < 0.74;
  RandomCheckpoint c =
      drawDense(seed, cheems ? std::optional<bool>(true) : std::nullopt);
  if (cheems) {
    drawSSD(c, random);
  }
  drawMask(c, random);
  if (!cheems || random.chance(0.6)) {
    drawExperts(c, random);
  }
  return c;
}

} // namespace cheems::test
