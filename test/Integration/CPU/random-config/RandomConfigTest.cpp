// Random legal checkpoints, compiled by both pipelines and run whole and in
// chunks, against the evaluator in double. GTEST_TOTAL_SHARDS and
// GTEST_SHARD_INDEX share the work between processes.
//
//   CHEEMS_RANDOM_CONFIGS   how many (40)
//   CHEEMS_RANDOM_SEED      the first seed (0)
#include "Tools.h"
#include "cheems/Reference/Model.h"
#include "test/unit/Support/RandomCheckpoint.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

constexpr uint64_t defaultConfigs = 40;

uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::stoull(text) : otherwise;
}

/// Models of which keys and values are int8: two of each kind of code.
bool storesInt8(const RandomCheckpoint &drawn) {
  return drawn.seed / 5 % 4 == 1 && drawn.anyAttention();
}

/// Bits of the weights' codes: four models of 8 and four of 4 bits of each kind
/// of code, of the former one with keys and values of int8, too.
int64_t weightBits(const RandomCheckpoint &drawn) {
  switch (drawn.seed / 5 % 8) {
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

std::string weightFormat(const RandomCheckpoint &drawn) {
  int64_t bits = weightBits(drawn);
  return bits == 0 ? "stored" : "int" + std::to_string(bits);
}

/// Rows of a prompt that experts are read for together: every third seed's.
int64_t expertGroup(const RandomCheckpoint &drawn) {
  constexpr int64_t most = 40;
  return drawn.seed % 3 == 1 ? 1 + static_cast<int64_t>(drawn.seed * 7 % most)
                             : 0;
}

/// What an artefact rounds to bf16, of a bf16 checkpoint, and to codes.
Rounding roundingOf(const std::string &variant, const std::string &pipeline,
                    const RandomCheckpoint &drawn) {
  bool fast = pipeline == "fast",
       pairs = variant == "amx" || variant == "avx512bf16";
  return {/*state=*/true,
          /*products=*/fast && pairs,
          /*attention=*/fast && variant == "amx",
          /*chunk=*/fast && variant == "amx" ? 64 : 0,
          /*prefill=*/0,
          storesInt8(drawn),
          weightBits(drawn)};
}

bool rounds(const Checkpoint &checkpoint, Rounding rounding) {
  bool attention = checkpoint.config().attentionLayers() > 0;
  return (rounding.int8 && attention) || rounding.weightBits != 0 ||
         (checkpoint.precision() == DType::BF16 &&
          (rounding.products ||
           ((rounding.state || rounding.attention) && attention)));
}

/// By how much a value may change that is rounded to bf16 and lies, but for
/// f32's errors, in the middle of two: one becomes the other. A code that does
/// changes by a 127th of its row's greatest.
constexpr double crossing = 0x1p-7;

/// What logits may differ by, in their standard deviation. Every layer, and the
/// head, passes on the error of what came before and adds its own. In f32 a sum
/// of n products errs by up to n units, sums of sums by both: attention's over
/// rows of scores, an SSD's over rows of products of states, times a decay
/// whose logarithm, a sum over rows, has been rounded. The evaluation rounds to
/// bf16 what the artefact does, so all that this leaves is a rare crossing:
/// every layer may have two that count in full.
double bound(const Checkpoint &checkpoint, Rounding rounding, int64_t length) {
  const ModelConfig &c = checkpoint.config();
  double steps = static_cast<double>(c.layers + 1);
  if (rounds(checkpoint, rounding)) {
    return 2.0 * steps * crossing;
  }
  int64_t longest = std::max({c.hidden, c.intermediate, c.heads * c.headDim});
  if (c.attentionLayers() > 0) {
    longest = std::max(longest, length + c.headDim);
  }
  if (c.attentionLayers() < c.layers) {
    longest = std::max(longest, 2 * length + c.ssdStateSize);
  }
  return static_cast<double>(longest) * steps * 0x1p-24;
}

/// The margins at which rounding cannot change what a row sees or retrieves. A
/// change of half of one on either side is too little.
struct Needed {
  double keep, retrieval;

  Needed(const Checkpoint &checkpoint, Rounding rounding, int64_t length) {
    // A mask is two products away from its layer's input. A crossing changes
    // one of the terms that such a product sums.
    const ModelConfig &c = checkpoint.config();
    keep = rounds(checkpoint, rounding)
               ? static_cast<double>(c.layers) * crossing /
                     std::sqrt(static_cast<double>(c.hidden))
               : 2.0 * bound(checkpoint, rounding, length);
    // So is a half's score, and an expert's is the sum of two.
    retrieval = 2.0 * keep;
  }
};

struct Sequence {
  std::vector<int64_t> ids;
  Tensor logits;
  int64_t firm = 0; ///< rows whose keys and experts rounding cannot change
};

Sequence evaluate(const Checkpoint &checkpoint, Rounding rounding,
                  std::vector<int64_t> ids) {
  int64_t length = static_cast<int64_t>(ids.size()), firm = 0;
  Needed needed(checkpoint, rounding, length);
  ModelEvaluation evaluated =
      evaluateModelWithMargins(checkpoint, ids, rounding);
  // margins only fall, so these rows come first
  while (firm < length && evaluated.keepMargin[firm] >= needed.keep &&
         evaluated.retrievalMargin[firm] >= needed.retrieval) {
    ++firm;
  }
  return {std::move(ids), std::move(evaluated.logits), firm};
}

/// Of some sequences the one with the most firm rows: where masks or scores are
/// nearly equal, an evaluation with rounding may take another key or expert,
/// and be right too.
Sequence drawSequence(const Checkpoint &checkpoint, Rounding rounding,
                      Random &random, int64_t length) {
  constexpr int attempts = 24;
  Sequence best;
  for (int i = 0; i < attempts && best.firm < length; ++i) {
    // few different tokens leave wide steps between masks, and many exact ties
    int64_t different = random.integer(2, checkpoint.config().vocabulary);
    std::vector<int64_t> ids(length);
    for (int64_t &id : ids) {
      id = random.integer(0, different - 1);
    }
    Sequence drawn = evaluate(checkpoint, rounding, std::move(ids));
    if (drawn.firm > best.firm) {
      best = std::move(drawn);
    }
  }
  return best;
}

double deviation(const Tensor &logits) {
  double count = static_cast<double>(logits.data.size()), mean = 0, square = 0;
  for (double value : logits.data) {
    mean += value / count;
    square += value * value / count;
  }
  return std::sqrt(square - mean * mean);
}

/// The largest difference over the firm rows of sequence `b`, in standard
/// deviations; infinity for what is not a number.
double error(const Tensor &got, int64_t b, const Sequence &want) {
  double largest = 0.0;
  for (int64_t t = 0; t < want.firm; ++t) {
    for (int64_t n = 0; n < want.logits.shape[1]; ++n) {
      double difference = std::abs(got(b, t, n) - want.logits(t, n));
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : std::max(largest, difference);
    }
  }
  return largest / deviation(want.logits);
}

/// How far rounding to bf16 moves the firm rows at all, in standard deviations.
double movedByRounding(const Checkpoint &checkpoint, const Sequence &rounded,
                       int64_t weightBits) {
  Rounding codes; // what those do is no rounding to bf16
  codes.weightBits = weightBits;
  Tensor exact = evaluateModel(checkpoint, rounded.ids, codes);
  return error(Tensor({1, exact.shape[0], exact.shape[1]}, exact.data), 0,
               rounded);
}

/// The code to compile: one variant, or compiling takes most of the time. Its
/// own kind for every seed, and this machine's best where it lacks that.
const char *cpuFor(uint64_t seed) {
  bool wide = __builtin_cpu_supports("x86-64-v4") != 0,
       dot = wide && __builtin_cpu_supports("avx512bf16") != 0 &&
             __builtin_cpu_supports("avx512vnni") != 0;
  const char *kinds[] = {"avx2", "native", dot ? "avx512bf16" : "native",
                         wide ? "avx512" : "native", "native"};
  return kinds[seed % std::size(kinds)];
}

class RandomConfig : public testing::TestWithParam<uint64_t> {
protected:
  void SetUp() override {
    for (const char *tool : {"cheems-compile", "cheems-run"}) {
      if (!std::filesystem::exists(toolFolder() / tool)) {
        GTEST_SKIP() << tool << " is not in " << toolFolder()
                     << ": build it first";
      }
    }
  }
  static void TearDownTestSuite() {
    std::printf("compared %d of %d rows\n", static_cast<int>(comparedRows),
                static_cast<int>(drawnRows));
  }
  TemporaryFolder folder;
  static inline int64_t comparedRows = 0, drawnRows = 0;
};

TEST_P(RandomConfig, BothPipelinesGiveTheReferencesLogits) {
  RandomCheckpoint drawn = drawCheckpoint(GetParam());
  SCOPED_TRACE(drawn.describe());
  std::filesystem::path model = folder.path / "model";
  writeCheckpoint(drawn, model);
  auto checkpoint = Checkpoint::open(model.string(), [](llvm::StringRef) {});
  ASSERT_TRUE(bool(checkpoint)) << llvm::toString(checkpoint.takeError());

  Random random(GetParam() ^ 0x7e57);
  std::optional<int64_t> window = checkpoint->config().keepWindow;
  // a small window is passed several times, and so is a block of 64 rows
  int64_t length = random.integer(window && *window < 64 ? 70 : 1, 150);
  length = std::min(length, drawn.context());
  std::vector<std::string> pipelines{"fast"};
  if (drawn.seed % 2 == 0) { // plain loops are the smaller risk
    pipelines.push_back("scalar");
  }
  std::vector<Sequence> sequences;
  std::filesystem::path input = folder.path / "ids.safetensors";
  std::vector<int64_t> chunks;
  for (const std::string &pipeline : pipelines) {
    std::string artefact = (folder.path / (pipeline + ".cheems")).string();
    ASSERT_EQ(
        runTool("cheems-compile",
                {model.string(), "-o", artefact, "--pipeline", pipeline,
                 "--cpu", cpuFor(drawn.seed), "--kv",
                 storesInt8(drawn) ? "int8" : "stored", "--weights",
                 weightFormat(drawn), "--group-experts",
                 pipeline == "fast" ? std::to_string(expertGroup(drawn)) : "0"},
                folder.path),
        "");
    auto variant = variantOf(artefact, folder.path);
    ASSERT_TRUE(bool(variant)) << llvm::toString(variant.takeError());
    Rounding rounding = roundingOf(*variant, pipeline, drawn);
    if (sequences.empty()) {
      std::vector<std::vector<int64_t>> ids;
      for (int b = 0; b < 2; ++b) {
        sequences.push_back(
            drawSequence(*checkpoint, rounding, random, length));
        ids.push_back(sequences.back().ids);
        comparedRows += sequences.back().firm;
        drawnRows += length;
      }
      writeIds(input, ids);
      chunks = {length, random.integer(1, 9), random.integer(10, 70)};
    } else if (!rounding.products) { // unlike the first artefact, perhaps
      for (Sequence &sequence : sequences) {
        sequence = evaluate(*checkpoint, rounding, sequence.ids);
      }
    }
    for (const Sequence &sequence : sequences) {
      ASSERT_GT(sequence.firm, 0) << "no row can be compared";
      if (checkpoint->precision() == DType::F32 &&
          !rounds(*checkpoint, rounding) && !drawn.anyExperts() &&
          drawn.mask == RandomCheckpoint::Mask::Bias) {
        EXPECT_GT(sequence.firm, std::min(window.value_or(length), length - 1))
            << "no row past the window can be compared";
      }
    }
    double worst = 0.0, allowed = bound(*checkpoint, rounding, length);
    for (int64_t chunk : chunks) {
      std::string threads = random.chance(0.5) ? "1" : "2";
      SCOPED_TRACE(*variant + ", " + pipeline + ", chunks of " +
                   std::to_string(chunk) + ", threads " + threads);
      std::filesystem::path output = folder.path / "logits.safetensors";
      std::filesystem::remove(output);
      ASSERT_EQ(runTool("cheems-run",
                        {artefact, "--input-ids", input.string(), "--logits",
                         output.string(), "-t", threads, "--prefill-chunk",
                         std::to_string(chunk)},
                        folder.path),
                "");
      auto logits = readLogits(output);
      ASSERT_TRUE(bool(logits)) << llvm::toString(logits.takeError());
      ASSERT_EQ(logits->shape,
                (llvm::SmallVector<int64_t, 4>{2, length, drawn.vocabulary}));
      for (int64_t b = 0; b < 2; ++b) {
        Sequence want = sequences[b];
        double limit = allowed;
        if (rounding.chunk && drawn.anySSD() &&
            checkpoint->precision() == DType::BF16) {
          if (chunk < length) {
            Rounding cut = rounding;
            cut.prefill = chunk;
            int64_t firm = want.firm;
            want = evaluate(*checkpoint, cut, want.ids);
            want.firm = std::min(want.firm, firm);
          }
          // A chunk passes its state on, and what crosses in an earlier layer
          // changes it for all later rows, whose own roundings then fall anew:
          // some models are moved by that as far as by rounding itself.
          limit += movedByRounding(*checkpoint, want, rounding.weightBits);
        }
        double got = error(*logits, b, want);
        EXPECT_LE(got, limit) << "sequence " << b;
        worst = std::max(worst, got);
      }
    }
    std::printf("%s%s, weights %s, %s, %s: error %.1e of %.1e, %d and %d of %d "
                "rows\n",
                drawn.describe().c_str(), storesInt8(drawn) ? ", kv int8" : "",
                weightFormat(drawn).c_str(), variant->c_str(), pipeline.c_str(),
                worst, allowed, static_cast<int>(sequences[0].firm),
                static_cast<int>(sequences[1].firm), static_cast<int>(length));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, RandomConfig,
    testing::Range<uint64_t>(setting("CHEEMS_RANDOM_SEED", 0),
                             setting("CHEEMS_RANDOM_SEED", 0) +
                                 setting("CHEEMS_RANDOM_CONFIGS",
                                         defaultConfigs)),
    [](const auto &info) { return std::to_string(info.param); });

TEST(RandomConfigs, DefaultSeedsCoverWhatCanBeDrawn) {
  using Mask = RandomCheckpoint::Mask;
  std::set<std::string> drawn;
  for (uint64_t seed = 0; seed < defaultConfigs; ++seed) {
    RandomCheckpoint c = drawCheckpoint(seed);
    auto see = [&](bool seen, const std::string &what) {
      if (seen) {
        drawn.insert(what);
      }
    };
    auto number = [](auto value) {
      return std::to_string(static_cast<int>(value));
    };
    drawn.insert("stored " + number(c.stored));
    see(c.dynamicRope, "dynamic rope");
    if (c.anyAttention()) {
      drawn.insert("mask " + number(c.mask));
      see(c.mask == Mask::Threshold && c.threshold == 1.0, "sign of A");
      see(c.mask == Mask::Threshold && c.threshold < 1.0, "threshold");
      int64_t window = c.keepWindow.value_or(c.context());
      bool bias = c.mask == Mask::Bias;
      see(bias && window < 4, "small window");
      see(bias && window >= 4 && window < 64, "middle window");
      see(bias && window >= c.context(), "no window");
    }
    see(c.cheems && !c.anySSD(), "Cheems of attention");
    see(c.anySSD() && !c.anyAttention(), "SSD alone");
    see(c.anySSD() && c.anyAttention(), "both");
    if (c.anySSD()) {
      drawn.insert("decay " + number(c.decay));
      see(c.skip, "D");
      see(c.groups < c.heads, "shared groups");
    }
    if (c.anyExperts()) {
      drawn.insert("pattern " + number(c.expertLayers));
      see(!c.authorNames, "router");
      see(c.authorNames, "queries and keys");
      see(c.innerScore, "inner score");
      see(!c.innerScore, "softmax score");
      see(c.experts > c.keyCount * c.keyCount, "unreachable experts");
      see(c.expertsPerHead > c.keyCount, "more experts than keys");
    }
  }
  std::set<std::string> all{"dynamic rope",
                            "sign of A",
                            "threshold",
                            "small window",
                            "middle window",
                            "no window",
                            "Cheems of attention",
                            "SSD alone",
                            "both",
                            "D",
                            "shared groups",
                            "router",
                            "queries and keys",
                            "inner score",
                            "softmax score",
                            "unreachable experts",
                            "more experts than keys"};
  for (auto [what, count] :
       {std::pair("stored ", 4), std::pair("mask ", 3), std::pair("decay ", 3),
        std::pair("pattern ", 7)}) {
    for (int i = what == std::string("pattern ") ? 1 : 0; i < count; ++i) {
      all.insert(what + std::to_string(i));
    }
  }
  EXPECT_THAT(drawn, testing::UnorderedElementsAreArray(all));
}

} // namespace
