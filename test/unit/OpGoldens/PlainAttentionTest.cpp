// Attention without masks: over all earlier keys or a window of them, with a
// scale of its own.
#include "OpGolden.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include <numeric>

using namespace cheems;
using namespace cheems::test;

namespace {

struct Recorded {
  double scale;
  int64_t window; ///< 0: every earlier key
  Tensor q, k, v; ///< q [B, T, H, P], k and v [B, T, G, P]
  Tensor y;       ///< [B, T, H, P]

  explicit Recorded(const std::string &file) {
    GoldenFile golden = openOp(file);
    scale = std::stod(golden.attribute("scale", ""));
    window = std::stoll(golden.attribute("window", ""));
    q = golden.tensor("q");
    k = golden.tensor("k");
    v = golden.tensor("v");
    y = golden.tensor("y");
  }

  int64_t sequences() const { return q.shape[0]; }
  int64_t rows() const { return q.shape[1]; }
  /// A score is a sum over a head, an output one over rows, and its weights are
  /// over another one.
  int64_t roundings() const { return 2 * rows() + q.shape[3]; }

  std::string text() const {
    std::string query = shapeText({-1, q.shape[2], q.shape[3]}),
                keys = shapeText({k.shape[2], -1, k.shape[3]}),
                queries = tensorText(query), entries = tensorText(keys);
    std::ostringstream op;
    op.precision(17);
    op << std::scientific
       << "%r = cheems_cpu.dynamic_mask_attention none scale " << scale;
    if (window) {
      op << " window " << window;
    }
    op << " ins(%q, %k, %v, %first : " << queries << ", " << entries << ", "
       << entries << ", index) outs(%y : " << queries << ") -> " << queries;
    return FunctionText("attend")
        .input("q", query)
        .input("k", keys)
        .input("v", keys)
        .number("first")
        .output("y", query)
        .line(op.str())
        .store("%r", "y", query)
        .text();
  }
};

class PlainAttentionEvaluated : public EvaluatedOpGolden {};
class PlainAttentionCompiled : public CompiledOpGolden {};
CHEEMS_OP_GOLDENS(PlainAttentionEvaluated, PlainAttentionCompiled,
                  plainAttentionFiles);

TEST_P(PlainAttentionEvaluated, AttendsAsRecorded) {
  Recorded recorded(GetParam());
  reference::MaskOptions options;
  options.kind = MaskKind::None;
  options.scale = recorded.scale;
  if (recorded.window) {
    options.age = recorded.window;
  }
  std::vector<int64_t> positions(recorded.rows());
  std::iota(positions.begin(), positions.end(), 0);
  for (int64_t i = 0; i < recorded.sequences(); ++i) {
    Tensor want = slice(recorded.y, i);
    Tensor got = reference::dynamicMaskAttention(
        slice(recorded.q, i), slice(recorded.k, i), slice(recorded.v, i),
        Tensor({1, recorded.rows()}), positions, positions, options);
    EXPECT_LE(maxError(got, want), toleranceF32(want, recorded.roundings()));
  }
}

/// The largest of all sequences' outputs.
double errorOf(const Recorded &recorded, Mode mode) {
  auto module = CompiledModule::compile(recorded.text(), mode);
  double error = module ? 0.0 : INFINITY;
  for (int64_t i = 0; module && i < recorded.sequences(); ++i) {
    Tensor want = slice(recorded.y, i);
    Buffer q(Element::F32, slice(recorded.q, i)),
        k(Element::F32, transposed(slice(recorded.k, i), 0, 1)),
        v(Element::F32, transposed(slice(recorded.v, i), 0, 1)),
        first = Buffer::number(0), y(Element::F32, want.shape);
    module->call("attend", recorded.rows(), {&q, &k, &v, &first, &y});
    error = std::max(error, relativeError(contents(y, want.shape), want));
  }
  return error;
}

TEST_P(PlainAttentionCompiled, AttendsAsRecorded) {
  Recorded recorded(file());
  EXPECT_LE(errorOf(recorded, mode()),
            compiledBound(Element::F32, recorded.roundings()));
}

TEST(PlainAttentionMistaken, AShiftedWindowIsSeen) {
  for (const char *file : {"attention_window", "attention_window_one"}) {
    Recorded recorded(file);
    ++recorded.window;
    EXPECT_GT(errorOf(recorded, Mode::Narrow),
              compiledBound(Element::F32, recorded.roundings()))
        << file;
  }
}

TEST(PlainAttentionMistaken, TheScaleOfTheHeadsSizeIsSeen) {
  Recorded recorded("attention_none");
  recorded.scale = 1 / std::sqrt(static_cast<double>(recorded.q.shape[3]));
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.roundings()));
}

} // namespace
