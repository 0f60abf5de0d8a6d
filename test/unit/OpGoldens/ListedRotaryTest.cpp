// rotary_table of a list of frequencies, as the importer makes it of
// config.json, followed by rotary over a part of a head or all of it.
#include "OpGolden.h"
#include "cheems/Reference/Rotary.h"
#include "lib/Import/RotaryFrequencies.h"

using namespace cheems;
using namespace cheems::test;

namespace {

struct Recorded {
  RotaryList list;
  std::vector<int64_t> positions;
  Tensor x, y; ///< [B, T, H, P]

  explicit Recorded(const std::string &file) {
    GoldenFile golden = openOp(file);
    positions = golden.integers("positions");
    x = golden.tensor("x");
    y = golden.tensor("y");
    auto number = [&](const char *name, const char *otherwise = "") {
      return std::stod(golden.attribute(name, otherwise));
    };
    std::string type = golden.attribute("rope_type", "");
    double theta = number("theta"), factor = number("factor", "1"),
           trained = number("original_max_position_embeddings", "0");
    auto size = static_cast<int64_t>(number("size"));
    if (type == "llama3") {
      list = llama3Frequencies(theta, size,
                               {factor, number("low_freq_factor"),
                                number("high_freq_factor"), trained});
    } else if (type == "yarn") {
      YarnScaling scaling;
      scaling.factor = factor;
      scaling.trained = trained;
      list = yarnFrequencies(theta, size, scaling);
    } else {
      EXPECT_TRUE(type == "default" || type == "linear") << type;
      list = linearFrequencies(theta, size, factor);
    }
  }

  int64_t length() const {
    return *std::max_element(positions.begin(), positions.end()) + 1;
  }

  std::string text() const {
    std::string rows = shapeText({-1, x.shape[2], x.shape[3]}),
                table = shapeText(
                    {-1, static_cast<int64_t>(list.frequencies.size())}),
                tables = tensorText(table) + ", " + tensorText(table);
    std::ostringstream op;
    op.precision(17);
    op << std::scientific << "%c, %s = cheems.rotary_table frequencies [";
    for (size_t i = 0; i < list.frequencies.size(); ++i) {
      op << (i == 0 ? "" : ", ") << list.frequencies[i];
    }
    op << "] {magnitude = " << list.factor
       << " : f64} ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c0, %s0 : "
       << tables << ") -> " << tables;
    return FunctionText("turn")
        .input("x", rows)
        .input("p", "?xi32")
        .input("l", "?xi32")
        .output("y", rows)
        .line("%zero = arith.constant 0 : index")
        .line("%rows = tensor.dim %x, %zero : " + tensorText(rows))
        .line("%c0 = tensor.empty(%rows) : " + tensorText(table))
        .line("%s0 = tensor.empty(%rows) : " + tensorText(table))
        .line(op.str())
        .line("%r = cheems.rotary ins(%x, %c, %s : " + tensorText(rows) + ", " +
              tables + ") outs(%y : " + tensorText(rows) + ") -> " +
              tensorText(rows))
        .store("%r", "y", rows)
        .text();
  }
};

class ListedRotaryEvaluated : public EvaluatedOpGolden {};
class ListedRotaryCompiled : public CompiledOpGolden {};
CHEEMS_OP_GOLDENS(ListedRotaryEvaluated, ListedRotaryCompiled,
                  listedRotaryFiles);

TEST_P(ListedRotaryEvaluated, TurnsAsRecorded) {
  Recorded recorded(GetParam());
  reference::RotaryTable table =
      reference::rotaryTable(recorded.positions, recorded.list);
  for (int64_t b = 0; b < recorded.x.shape[0]; ++b) {
    Tensor want = slice(recorded.y, b);
    // an angle carries the relative error of a power, so what is left of it
    // grows with the position
    EXPECT_LE(maxError(reference::rotary(slice(recorded.x, b), table), want),
              toleranceF32(want, recorded.length()));
  }
}

/// The largest of all sequences.
double errorOf(const Recorded &recorded, Mode mode) {
  auto module = CompiledModule::compile(recorded.text(), mode);
  double error = module ? 0.0 : INFINITY;
  int64_t rows = recorded.x.shape[1];
  Tensor positions({rows}), lengths({rows});
  for (int64_t t = 0; t < rows; ++t) {
    positions(t) = static_cast<double>(recorded.positions[t]);
    lengths(t) = static_cast<double>(recorded.length());
  }
  for (int64_t b = 0; module && b < recorded.x.shape[0]; ++b) {
    Tensor want = slice(recorded.y, b);
    Buffer x(Element::F32, slice(recorded.x, b)), p(Element::I32, positions),
        l(Element::I32, lengths), y(Element::F32, want.shape);
    module->call("turn", rows, {&x, &p, &l, &y});
    error = std::max(error, relativeError(contents(y, want.shape), want));
  }
  return error;
}

/// A cosine and a sine, their products, and the sum.
constexpr int64_t roundings = 4;

TEST_P(ListedRotaryCompiled, TurnsAsRecorded) {
  EXPECT_LE(errorOf(Recorded(file()), mode()),
            compiledBound(Element::F32, roundings));
}

TEST(ListedRotaryMistaken, FrequenciesThatAreNotScaledAreSeen) {
  for (const char *file : {"rope_linear", "rope_llama3", "rope_yarn"}) {
    Recorded recorded(file);
    std::vector<double> &list = recorded.list.frequencies;
    list = linearFrequencies(file == std::string("rope_llama3") ? 5e5 : 1e4,
                             static_cast<int64_t>(2 * list.size()), 1.0)
               .frequencies;
    EXPECT_GT(errorOf(recorded, Mode::Narrow),
              compiledBound(Element::F32, roundings))
        << file;
  }
}

TEST(ListedRotaryMistaken, AHeadThatTurnsWholeIsSeen) {
  Recorded recorded("rope_partial");
  recorded.list = linearFrequencies(1e4, recorded.x.shape[3], 1.0);
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, roundings));
}

TEST(ListedRotaryMistaken, CosinesWithoutTheirFactorAreSeen) {
  Recorded recorded("rope_yarn");
  recorded.list.factor = 1.0;
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, roundings));
}

} // namespace
