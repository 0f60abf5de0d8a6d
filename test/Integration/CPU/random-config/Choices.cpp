// A few bits of the seed's number decide, so that each variant meets each
// format of weights.
#include "Choices.h"
#include "cheems/Import/Quantize.h"
#include "test/unit/Support/CpuVariants.h"

namespace cheems::test {

const std::string &variantOf(uint64_t seed) {
  return variantNames()[seed % variantNames().size()];
}

/// Counts the models of a variant.
static uint64_t turn(const RandomCheckpoint &drawn) {
  return drawn.seed / variantNames().size();
}

RandomCheckpoint drawModel(uint64_t seed) {
  RandomCheckpoint drawn = drawCheckpoint(seed);
  if (weightBits(drawn) == 4) {
    drawGroups(drawn, turn(drawn) % 8 == 3 ? 64 : 32);
  } else if (weightBits(drawn) == 8) {
    drawn.intermediate = (drawn.intermediate + 3) / 4 * 4; // quantized rows
  }
  return drawn;
}

bool storesInt8(const RandomCheckpoint &drawn) {
  return turn(drawn) % 4 == 1 && drawn.anyAttention();
}

int64_t weightBits(const RandomCheckpoint &drawn) {
  switch (turn(drawn) % 8) {
  case 2:
  case 5:
  case 6:
    return 8;
  case 3:
  case 7:
    return 4;
  default:
    return 0;
  }
}

static Build buildOf(const RandomCheckpoint &drawn,
                     const std::string &pipeline) {
  constexpr uint64_t longest = 40;
  const std::string &variant = variantOf(drawn.seed);
  int64_t bits = weightBits(drawn);
  bool fast = pipeline == "fast";
  Build build;
  build.pipeline = pipeline;
  build.cpu = lackingFlag(variant).empty() ? variant : "native";
  build.kv = storesInt8(drawn) ? "int8" : "stored";
  build.weights = bits ? "int" + std::to_string(bits) : "stored";
  build.expertGroup = fast && drawn.seed % 3 == 1
                          ? static_cast<int64_t>(1 + drawn.seed * 7 % longest)
                          : 0;
  return build;
}

std::vector<Build> buildsOf(const RandomCheckpoint &drawn) {
  std::vector<Build> builds{buildOf(drawn, "fast")};
  if (drawn.seed % 3 == 0) {
    builds.push_back(buildOf(drawn, "scalar"));
  }
  if (builds[0].cpu == "avx2" && weightBits(drawn) != 0 &&
      lackingFlag(narrowDots).empty()) {
    builds.push_back(builds[0]);
    builds.back().cpu = narrowDots;
  }
  return builds;
}

static std::string nameOf(std::optional<QuantizedFormat> format) {
  return !format             ? "exact"
         : format->bits == 8 ? "8"
                             : "4/" + std::to_string(format->group);
}

std::set<std::string> matmulFormats(const RandomCheckpoint &drawn) {
  std::set<std::string> formats;
  for (int64_t columns :
       {drawn.hidden, drawn.heads * drawn.headDim, drawn.intermediate}) {
    formats.insert(nameOf(matmulFormat(weightBits(drawn), columns)));
  }
  return formats;
}

} // namespace cheems::test
