// dynamic_mask of a projection of the values; attention under the recorded
// mask, with keep_threshold where keys are dropped and append_visible where
// they are hidden.
#include "OpGolden.h"
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/Linear.h"
#include <numeric>

using namespace cheems;
using namespace cheems::test;

namespace {

struct Recorded {
  GoldenFile golden;
  std::string kind;
  reference::MaskOptions options;
  Tensor a, maskStep, q, k, v; ///< q [B, T, H, P], k and v [B, T, G, P]
  Tensor mask, y;              ///< [B, M, T], [B, T, H, P]

  explicit Recorded(const std::string &file)
      : golden(openOp(file)), kind(golden.attribute("kind", "")),
        a(golden.tensor("A")), maskStep(golden.tensor("dt_proj")),
        q(golden.tensor("q")), k(golden.tensor("k")), v(golden.tensor("v")),
        mask(golden.tensor("mask")), y(golden.tensor("y")) {
    EXPECT_TRUE(kind == "bias" || kind == "threshold" || kind == "scale")
        << kind;
    options.kind = kind == "bias"    ? reference::MaskKind::Bias
                   : kind == "scale" ? reference::MaskKind::Scale
                                     : reference::MaskKind::Threshold;
    if (int64_t keep = std::stoll(golden.attribute("keep", ""))) {
      options.window = keep;
    }
    options.threshold = std::stod(golden.attribute("threshold", ""));
  }

  int64_t sequences() const { return q.shape[0]; }
  int64_t rows() const { return q.shape[1]; }
  int64_t heads() const { return q.shape[2]; }
  int64_t keyHeads() const { return k.shape[2]; }
  int64_t maskHeads() const { return mask.shape[1]; }
  int64_t size() const { return q.shape[3]; }
  /// Counts the roundings of a mask exp(A softplus(x w)).
  int64_t maskRoundings() const {
    constexpr int64_t softplus = 3, exponential = 3; // of a matmul
    return maskStep.shape[1] + softplus + exponential;
  }
  /// A score is a sum over a head, an output one over rows, and its weights are
  /// over another one.
  int64_t roundings() const { return 2 * rows() + size(); }
  std::vector<int64_t> positions() const {
    std::vector<int64_t> result(rows());
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  /// Values of one sequence as rows [T, G * P].
  Tensor flatValues(int64_t sequence) const {
    return slice(v, sequence).reshaped({rows(), keyHeads() * size()});
  }
};

class AttentionEvaluated : public EvaluatedOpGolden {};
class AttentionCompiled : public CompiledOpGolden {};
CHEEMS_OP_GOLDENS(AttentionEvaluated, AttentionCompiled, attentionFiles);

TEST_P(AttentionEvaluated, AttendsAsRecorded) {
  Recorded recorded(GetParam());
  for (int64_t i = 0; i < recorded.sequences(); ++i) {
    Tensor mask = reference::dynamicMask(
        reference::linear(recorded.flatValues(i),
                          {recorded.maskStep, std::nullopt}),
        recorded.a);
    Tensor wantMask = slice(recorded.mask, i), want = slice(recorded.y, i);
    EXPECT_LE(maxError(mask, wantMask),
              toleranceF32(wantMask, recorded.maskStep.shape[1]));
    Tensor got = reference::dynamicMaskAttention(
        slice(recorded.q, i), slice(recorded.k, i), slice(recorded.v, i), mask,
        recorded.positions(), recorded.positions(), recorded.options);
    EXPECT_LE(maxError(got, want),
              toleranceF32(want, recorded.rows() + recorded.size()));
  }
}

/// %mask [T, M] of %v [T, G * P].
std::string maskText(const Recorded &r) {
  std::string values = shapeText({-1, r.keyHeads() * r.size()}),
              weight = shapeText({r.maskHeads(), r.keyHeads() * r.size()}),
              masks = shapeText({-1, r.maskHeads()});
  return FunctionText("mask")
      .input("v", values)
      .input("a", shapeText({r.maskHeads()}))
      .output("y", masks)
      .parameter("w", weight)
      .line("%zero = arith.constant 0 : index")
      .line("%rows = tensor.dim %v, %zero : " + tensorText(values))
      .line("%nothing = arith.constant 0.0 : f32")
      .line("%space = tensor.empty(%rows) : " + tensorText(masks))
      .line("%init = linalg.fill ins(%nothing : f32) outs(%space : " +
            tensorText(masks) + ") -> " + tensorText(masks))
      .line("%step = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> "
            "(m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> "
            "(m, n)>] ins(%v, %w : " +
            tensorText(values) + ", " + tensorText(weight) +
            ") outs(%init : " + tensorText(masks) + ") -> " + tensorText(masks))
      .line("%r = cheems.dynamic_mask ins(%step, %a : " + tensorText(masks) +
            ", " + tensorText(shapeText({r.maskHeads()})) +
            ") outs(%y : " + tensorText(masks) + ") -> " + tensorText(masks))
      .store("%r", "y", masks)
      .text();
}

/// The largest of all sequences' masks.
double errorOfMasks(const Recorded &recorded, Mode mode) {
  auto module = CompiledModule::compile(maskText(recorded), mode);
  if (!module) {
    return INFINITY;
  }
  module->setParameter("mask", recorded.maskStep);
  double error = 0.0;
  for (int64_t i = 0; i < recorded.sequences(); ++i) {
    Tensor want = transposed(slice(recorded.mask, i), 0, 1);
    Buffer v(Element::F32, recorded.flatValues(i)), a(Element::F32, recorded.a),
        y(Element::F32, want.shape);
    module->call("mask", recorded.rows(), {&v, &a, &y});
    error = std::max(error, relativeError(contents(y, want.shape), want));
  }
  return error;
}

TEST_P(AttentionCompiled, MasksAsRecorded) {
  Recorded recorded(file());
  EXPECT_LE(errorOfMasks(recorded, mode()),
            compiledBound(Element::F32, recorded.maskRoundings()));
}

/// The attention op over stored entries; keys and values are one head or all.
std::string attend(const Recorded &r, int64_t heads, int64_t keyHeads,
                   int64_t maskHeads, const std::string &operands) {
  std::string query = tensorText(shapeText({-1, heads, r.size()})),
              keys = tensorText(shapeText({keyHeads, -1, r.size()})),
              masks = tensorText(shapeText({maskHeads, -1}));
  std::ostringstream op;
  op.precision(17);
  op << std::scientific << "%r = cheems_cpu.dynamic_mask_attention " << r.kind
     << " scale " << 1 / std::sqrt(static_cast<double>(r.size()));
  if (r.kind == "threshold") {
    op << " hide_below " << r.options.threshold;
  }
  op << " ins(%q, " << operands << ", %first : " << query << ", " << keys
     << ", " << keys << ", " << masks << ", index)";
  if (r.options.window) {
    op << " kept(%p, %t, %l : " << tensorText(shapeText({maskHeads, -1}, "i32"))
       << ", " << tensorText(shapeText({-1, maskHeads})) << ", "
       << tensorText(shapeText({-1, maskHeads}, "i32")) << ")";
  }
  return op.str();
}

std::string attentionText(const Recorded &r) {
  std::string query = shapeText({-1, r.heads(), r.size()}),
              keys = shapeText({r.keyHeads(), -1, r.size()}),
              masks = shapeText({r.maskHeads(), -1});
  FunctionText function("attend");
  function.input("q", query)
      .input("k", keys)
      .input("v", keys)
      .input("m", masks)
      .number("first");
  if (r.options.window) {
    std::string positions = shapeText({r.maskHeads(), -1}, "i32"),
                least = tensorText(shapeText({-1, r.maskHeads()})),
                last = tensorText(shapeText({-1, r.maskHeads()}, "i32"));
    function.input("p", positions)
        .line("%zero = arith.constant 0 : index")
        .line("%rows = tensor.dim %q, %zero : " + tensorText(query))
        .line("%t0 = tensor.empty(%rows) : " + least)
        .line("%l0 = tensor.empty(%rows) : " + last)
        .line("%t, %l = cheems_cpu.keep_threshold keep " +
              std::to_string(*r.options.window) +
              " ins(%m, %p, %first : " + tensorText(masks) + ", " +
              tensorText(positions) + ", index) outs(%t0, %l0 : " + least +
              ", " + last + ") -> " + least + ", " + last);
  }
  return function.output("y", query)
      .line(attend(r, r.heads(), r.keyHeads(), r.maskHeads(), "%k, %v, %m") +
            " outs(%y : " + tensorText(query) + ") -> " + tensorText(query))
      .store("%r", "y", query)
      .text();
}

/// The largest of all sequences' outputs.
double errorOf(const Recorded &recorded, Mode mode) {
  auto module = CompiledModule::compile(attentionText(recorded), mode);
  double error = module ? 0.0 : INFINITY;
  int64_t rows = recorded.rows();
  Tensor places({recorded.maskHeads(), rows});
  for (int64_t i = 0; i < static_cast<int64_t>(places.data.size()); ++i) {
    places.data[i] = static_cast<double>(i % rows);
  }
  for (int64_t i = 0; module && i < recorded.sequences(); ++i) {
    Tensor want = slice(recorded.y, i);
    Buffer q(Element::F32, slice(recorded.q, i)),
        k(Element::F32, transposed(slice(recorded.k, i), 0, 1)),
        v(Element::F32, transposed(slice(recorded.v, i), 0, 1)),
        m(Element::F32, slice(recorded.mask, i)), first = Buffer::number(0),
                                                  p(Element::I32, places),
                                                  y(Element::F32, want.shape);
    std::vector<const Buffer *> buffers{&q, &k, &v, &m, &first};
    if (recorded.options.window) {
      buffers.push_back(&p);
    }
    buffers.push_back(&y);
    module->call("attend", rows, buffers);
    error = std::max(error, relativeError(contents(y, want.shape), want));
  }
  return error;
}

TEST_P(AttentionCompiled, AttendsAsRecorded) {
  Recorded recorded(file());
  EXPECT_LE(errorOf(recorded, mode()),
            compiledBound(Element::F32, recorded.roundings()));
}

TEST(AttentionMistaken, AShiftedWindowIsSeen) {
  Recorded recorded("attention_keep");
  ASSERT_TRUE(recorded.options.window);
  ++*recorded.options.window;
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.roundings()));
}

TEST(AttentionMistaken, AWrongRoundingIsSeen) {
  Recorded recorded("attention_bias");
  recorded.v = coarser(recorded.v, 16);
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.roundings()));
  EXPECT_GT(errorOfMasks(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.maskRoundings()));
}

/// One key head: rows are appended where some head may see them, and attended.
std::string appendText(const Recorded &r) {
  int64_t heads = r.heads() / r.keyHeads(),
          maskHeads = r.maskHeads() / r.keyHeads();
  std::string query = shapeText({-1, heads, r.size()}),
              row = shapeText({-1, r.size()}),
              mask = shapeText({-1, maskHeads}),
              keys = shapeText({1, -1, r.size()}),
              masks = shapeText({maskHeads, -1}),
              results = tensorText(keys) + ", " + tensorText(keys) + ", " +
                        tensorText(masks) + ", tensor<?xi32>";
  std::ostringstream append;
  append.precision(17);
  append << std::scientific << "%u:4 = cheems_cpu.append_visible hide_below "
         << r.options.threshold
         << " ins(%key, %value, %mask, %first : " << tensorText(row) << ", "
         << tensorText(row) << ", " << tensorText(mask)
         << ", index) outs(%k, %v, %m, %s : " << results << ") -> " << results;
  return FunctionText("append")
      .input("q", query)
      .input("key", row)
      .input("value", row)
      .input("mask", mask)
      .number("first")
      .output("k", keys)
      .output("v", keys)
      .output("m", masks)
      .output("s", "?xi32")
      .output("y", query)
      .line(append.str())
      .line(attend(r, heads, 1, maskHeads, "%u#0, %u#1, %u#2") +
            " seen(%u#3 : tensor<?xi32>) outs(%y : " + tensorText(query) +
            ") -> " + tensorText(query))
      .store("%u#0", "k", keys)
      .store("%u#1", "v", keys)
      .store("%u#2", "m", masks)
      .store("%u#3", "s", "?xi32")
      .store("%r", "y", query)
      .text();
}

/// Heads [from, from + count) of x [T, H, P].
Tensor headsOf(const Tensor &x, int64_t from, int64_t count) {
  Tensor y({x.shape[0], count, x.shape[2]});
  for (int64_t t = 0; t < x.shape[0]; ++t) {
    for (int64_t h = 0; h < count; ++h) {
      for (int64_t p = 0; p < x.shape[2]; ++p) {
        y(t, h, p) = x(t, from + h, p);
      }
    }
  }
  return y;
}

class HidingCompiled : public CompiledOpGolden {};
INSTANTIATE_TEST_SUITE_P(
    , HidingCompiled,
    testing::Combine(testing::Values("attention_listing",
                                     "attention_threshold"),
                     testing::Values(Mode::Scalar, Mode::Narrow, Mode::Wide)),
    [](const auto &info) {
      return std::string(std::get<0>(info.param)) + "_" +
             nameOf(std::get<1>(info.param));
    });

TEST_P(HidingCompiled, AttendsToVisibleRowsAloneAsRecorded) {
  Recorded recorded(file());
  ASSERT_EQ(recorded.kind, "threshold");
  auto module = CompiledModule::compile(appendText(recorded), mode());
  ASSERT_NE(module, nullptr);
  int64_t rows = recorded.rows(), size = recorded.size(),
          groups = recorded.keyHeads(), heads = recorded.heads() / groups,
          maskHeads = recorded.maskHeads() / groups;
  for (int64_t i = 0; i < recorded.sequences(); ++i) {
    Tensor mask = transposed(slice(recorded.mask, i), 0, 1)
                      .reshaped({rows, recorded.maskHeads(), 1});
    for (int64_t g = 0; g < groups; ++g) {
      Tensor want = headsOf(slice(recorded.y, i), g * heads, heads);
      Buffer q(Element::F32, headsOf(slice(recorded.q, i), g * heads, heads)),
          key(Element::F32,
              headsOf(slice(recorded.k, i), g, 1).reshaped({rows, size})),
          value(Element::F32,
                headsOf(slice(recorded.v, i), g, 1).reshaped({rows, size})),
          rowMask(Element::F32, headsOf(mask, g * maskHeads, maskHeads)
                                    .reshaped({rows, maskHeads})),
          first = Buffer::number(0), k(Element::F32, {1, rows, size}),
          v(Element::F32, {1, rows, size}), m(Element::F32, {maskHeads, rows}),
          seen(Element::I32, {rows}), y(Element::F32, want.shape);
      module->call("append", rows,
                   {&q, &key, &value, &rowMask, &first, &k, &v, &m, &seen, &y});
      // of all heads' deviation: a head that sees nothing has none
      EXPECT_LE(maxError(contents(y, want.shape), want),
                compiledBound(Element::F32, recorded.roundings()) *
                    deviation(slice(recorded.y, i)))
          << "key head " << g;
    }
  }
}

} // namespace
