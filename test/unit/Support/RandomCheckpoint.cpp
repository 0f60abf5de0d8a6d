// Draws the configuration of a random dense Doge, and tells what was drawn.
#include "test/unit/Support/RandomCheckpoint.h"
#include "test/unit/Support/RandomDraws.h"
#include <sstream>

namespace cheems::test {

int64_t Random::integer(int64_t low, int64_t high) {
  // the bias of the remainder is far below anything a test could notice
  return low +
         static_cast<int64_t>(engine() % static_cast<uint64_t>(high - low + 1));
}

double Random::uniform() {
  return static_cast<double>(engine() >> 11) * 0x1p-53;
}

double Random::normal() {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) {
    sum += uniform();
  }
  return sum;
}

/// A size a kernel finds awkward: no multiple of 16.
static int64_t awkwardSize(Random &random, int64_t low) {
  int64_t size = random.integer(low, 80);
  return size % 16 == 0 ? size - 1 : size;
}

RandomCheckpoint drawDense(uint64_t seed, std::optional<bool> authorNames) {
  Random random(seed);
  RandomCheckpoint c;
  c.seed = seed;
  c.authorNames = random.chance(0.5);
  c.authorNames = authorNames.value_or(c.authorNames);
  c.queryKeyNorms = random.chance(0.5);
  c.maskPerAttentionHead = random.chance(0.5);
  c.tied = random.chance(0.5);
  c.attentionBias = random.chance(0.4);
  c.mlpBias = c.authorNames ? c.attentionBias : random.chance(0.4);
  c.gated = !c.authorNames || random.chance(0.6);
  c.separateHead = !c.authorNames && random.chance(0.5);
  c.dynamicRope = random.chance(0.4);
  c.oldRopeFields = c.authorNames || random.chance(0.4);
  c.sharded = random.chance(0.2);
  c.activation = random.pick({"silu", "gelu", "relu"});

  c.keyValueHeads = random.integer(1, 3);
  c.heads = c.keyValueHeads * random.integer(1, 3);
  c.headDim = random.pick<int64_t>({4, 6, 8, 10, 14, 18});
  if (c.separateHead) {
    // one or two components alone would leave nothing but the signs after a
    // norm
    c.hidden = awkwardSize(random, 5);
  } else {
    c.headDim = c.heads > 4 ? random.pick<int64_t>({4, 6, 8}) : c.headDim;
    if (c.heads * c.headDim % 16 == 0) {
      c.headDim = 6; // heads is never a multiple of 8
    }
    c.hidden = c.heads * c.headDim;
  }
  c.intermediate = awkwardSize(random, 1);
  c.vocabulary = awkwardSize(random, 5);
  c.layers = random.integer(1, 3);

  if (c.dynamicRope) {
    c.maxPositions = random.integer(8, 24);
    c.factor = random.pick({2.0, 2.5, 4.0});
  } else {
    c.maxPositions = random.pick<int64_t>({64, 100, 2048});
  }
  c.theta = random.pick({10000.0, 500.0, 1000000.0});
  c.normEpsilon = random.pick({1e-6, 1e-5});
  switch (random.integer(0, 5)) {
  case 0:
    break;
  case 1:
    c.keepWindow = 1;
    break;
  case 2:
    c.keepWindow = 3;
    break;
  case 3:
    c.keepWindow = 7;
    break;
  case 4:
    c.keepWindow = 17;
    break;
  default:
    c.keepWindow = 2048;
    break;
  }
  // a model all in bf16 is a case of its own, the others are kept in f32
  using Stored = RandomCheckpoint::Stored;
  c.stored = random.pick(
      {Stored::F32, Stored::BF16, Stored::BF16, Stored::F16, Stored::Mixed});
  return c;
}

RandomCheckpoint drawDoge(uint64_t seed) {
  return drawDense(seed, std::nullopt);
}

bool RandomCheckpoint::hasExperts(int64_t layer) const {
  bool first = layer == 0, last = layer == layers - 1;
  switch (expertLayers) {
  case Experts::None:
    return false;
  case Experts::First:
    return first;
  case Experts::Last:
    return last;
  case Experts::Ends:
    return first || last;
  case Experts::Middle:
    return !first && !last;
  case Experts::All:
    return true;
  case Experts::Drawn:
    return Random(seed ^ static_cast<uint64_t>(0xe89 + layer)).chance(0.5);
  }
  return false;
}

bool RandomCheckpoint::anyExperts() const {
  bool any = false;
  for (int64_t layer = 0; layer < layers; ++layer) {
    any |= hasExperts(layer);
  }
  return any;
}

bool RandomCheckpoint::anyAttention() const {
  bool any = false;
  for (int64_t layer = 0; layer < layers; ++layer) {
    any |= isAttention(layer);
  }
  return any;
}

bool RandomCheckpoint::anySSD() const {
  bool any = false;
  for (int64_t layer = 0; layer < layers; ++layer) {
    any |= !isAttention(layer);
  }
  return any;
}

int64_t RandomCheckpoint::context() const {
  return dynamicRope
             ? static_cast<int64_t>(static_cast<double>(maxPositions) * factor)
             : maxPositions;
}

std::string RandomCheckpoint::describe() const {
  std::ostringstream line;
  line << "seed " << seed << ": "
       << (!plain.empty() ? plain.c_str()
           : cheems       ? "Cheems"
           : authorNames  ? "Doge, author's names"
                          : "Doge, transformers' names")
       << ", vocabulary " << vocabulary << ", hidden " << hidden
       << ", intermediate " << intermediate << ", heads " << heads << '/'
       << keyValueHeads << " of " << headDim
       << (separateHead ? " (own field)" : "") << ", A "
       << (maskPerAttentionHead ? "an attention head" : "a key head")
       << (queryKeyNorms ? ", q/k norms" : "") << (tied ? ", tied" : ", untied")
       << (attentionBias ? ", attention bias" : "")
       << (mlpBias ? ", MLP bias" : "") << (gated ? ", gated " : ", plain ")
       << activation << ", keep "
       << (keepWindow ? std::to_string(*keepWindow) : "default") << ", rope "
       << (dynamicRope ? "dynamic x" : "default x") << factor << " of "
       << maxPositions << ", stored "
       << (stored == Stored::F32    ? "f32"
           : stored == Stored::BF16 ? "bf16"
           : stored == Stored::F16  ? "f16"
                                    : "mixed")
       << (sharded ? ", sharded" : "");
  if (window) {
    line << ", window " << window;
  }
  if (mask == Mask::Threshold) {
    line << ", mask threshold " << threshold;
  } else if (mask == Mask::Scale) {
    line << ", mask scale";
  }
  line << ", layers";
  for (int64_t layer = 0; layer < layers; ++layer) {
    line << ' ' << (isAttention(layer) ? 'A' : 'S')
         << (hasExperts(layer) ? 'E' : 'M');
  }
  if (anySSD()) {
    line << ", states of " << stateSize << " in " << groups << " groups, "
         << (decay == Decay::Negative  ? "A negative"
             : decay == Decay::Growing ? "A positive"
                                       : "A_log")
         << (skip ? " with D" : "");
  }
  if (anyExperts()) {
    line << ", " << experts << " experts by " << keyCount << " keys, "
         << expertHeads << " x " << expertsPerHead << ", queries of "
         << retrievalSize << (innerScore ? ", inner score" : ", softmax");
  }
  return line.str();
}

std::vector<int64_t> drawIds(const RandomCheckpoint &checkpoint,
                             int64_t count) {
  Random random(checkpoint.seed ^ 0x1d5);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    ids.push_back(random.integer(0, checkpoint.vocabulary - 1));
  }
  return ids;
}

} // namespace cheems::test
