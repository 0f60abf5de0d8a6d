// rotary_table followed by rotary, positions up to 10^6.
#include "cheems/Reference/Rotary.h"
#include "OpGolden.h"

using namespace cheems;
using namespace cheems::test;

namespace {

struct Recorded {
  GoldenFile golden;
  RotaryConfig config;
  std::vector<int64_t> positions;
  int64_t length;
  Tensor x, y; ///< [B, T, H, P]

  explicit Recorded(const std::string &file)
      : golden(openOp(file)), positions(golden.integers("positions")),
        length(*std::max_element(positions.begin(), positions.end()) + 1),
        x(golden.tensor("x")), y(golden.tensor("y")) {
    config.theta = std::stod(golden.attribute("theta", ""));
    config.trainedPositions =
        std::stoll(golden.attribute("max_positions", "0"));
    config.dynamic = config.trainedPositions != 0;
    config.factor = std::stod(golden.attribute("factor", "1"));
  }

  std::string text() const {
    std::string rows = shapeText({-1, x.shape[2], x.shape[3]}),
                table = shapeText({-1, x.shape[3] / 2}),
                tables = tensorText(table) + ", " + tensorText(table);
    std::ostringstream op;
    op << "%c, %s = cheems.rotary_table theta " << std::scientific
       << config.theta;
    if (config.dynamic) {
      op << " dynamic {factor = " << config.factor
         << " : f64, trained = " << config.trainedPositions << " : i64}";
    }
    op << " ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c0, %s0 : "
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

class RotaryEvaluated : public EvaluatedOpGolden {};
class RotaryCompiled : public CompiledOpGolden {};
CHEEMS_OP_GOLDENS(RotaryEvaluated, RotaryCompiled, rotaryFiles);

TEST_P(RotaryEvaluated, TurnsAsRecorded) {
  Recorded recorded(GetParam());
  reference::RotaryTable table =
      reference::rotaryTable(recorded.positions, recorded.x.shape.back(),
                             recorded.config, recorded.length);
  for (int64_t b = 0; b < recorded.x.shape[0]; ++b) {
    Tensor want = slice(recorded.y, b);
    // an angle carries the relative error of a power, so what is left of it
    // grows with the position
    EXPECT_LE(maxError(reference::rotary(slice(recorded.x, b), table), want),
              toleranceF32(want, recorded.length));
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
    lengths(t) = static_cast<double>(recorded.length);
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

TEST_P(RotaryCompiled, TurnsAsRecorded) {
  EXPECT_LE(errorOf(Recorded(file()), mode()),
            compiledBound(Element::F32, roundings));
}

TEST(RotaryMistaken, AShiftedPositionIsSeen) {
  Recorded recorded("rope");
  recorded.positions.back() += 1;
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, roundings));
}

TEST(RotaryMistaken, AWrongRoundingIsSeen) {
  Recorded recorded("rope_far");
  recorded.x = coarser(recorded.x, 19);
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, roundings));
}

} // namespace
