// A cross-domain MLP with retrieved experts: matmuls, retrieve_experts and
// mix_experts in one function.
#include "cheems/Reference/Experts.h"
#include "OpGolden.h"
#include "cheems/Reference/Linear.h"

using namespace cheems;
using namespace cheems::test;

namespace {

struct Recorded {
  GoldenFile golden;
  int64_t heads, k;
  std::string score;
  Tensor x, y;                                       ///< [B, T, D]
  std::optional<Tensor> gate, router, queries, keys; ///< keys [H, K, 2, n]
  Tensor up, down, downEmbed, upEmbed;

  explicit Recorded(const std::string &file)
      : golden(openOp(file)), heads(std::stoll(golden.attribute("heads", ""))),
        k(std::stoll(golden.attribute("k", ""))),
        score(golden.attribute("score", "")), x(golden.tensor("x")),
        y(golden.tensor("y")), gate(maybe("gate_proj.weight")),
        router(maybe("router_gate.weight")), queries(maybe("queries.weight")),
        keys(maybe("keys")), up(golden.tensor("up_proj.weight")),
        down(golden.tensor("down_proj.weight")),
        downEmbed(golden.tensor("down_embed.weight")),
        upEmbed(golden.tensor("up_embed.weight")) {
    EXPECT_TRUE(score == "softmax" || score == "inner") << score;
    EXPECT_NE(router.has_value(), queries.has_value() && keys.has_value());
  }

  std::optional<Tensor> maybe(const char *name) const {
    return golden.has(name) ? std::optional<Tensor>(golden.tensor(name))
                            : std::nullopt;
  }
  int64_t sequences() const { return x.shape[0]; }
  int64_t rows() const { return x.shape[1]; }
  int64_t size() const { return x.shape[2]; }
  /// Counts the roundings of a matmul, of the one after it, and of the experts
  /// that are added.
  int64_t roundings() const { return up.shape[0] + size() + heads * k; }
  int64_t keyCount() const {
    return router ? router->shape[0] / 2 : keys->shape[1];
  }
};

class ExpertsEvaluated : public EvaluatedOpGolden {};
class ExpertsCompiled : public CompiledOpGolden {};
CHEEMS_OP_GOLDENS(ExpertsEvaluated, ExpertsCompiled, expertFiles);

Tensor evaluatedScores(const Recorded &r, const Tensor &x) {
  if (r.router) {
    return reference::linear(x, {*r.router, std::nullopt})
        .reshaped({r.rows(), 2, 1, r.keyCount()});
  }
  int64_t size = r.keys->shape[3];
  Tensor queries = reference::linear(x, {*r.queries, std::nullopt})
                       .reshaped({r.rows(), 2, r.heads, size});
  Tensor scores({r.rows(), 2, r.heads, r.keyCount()});
  for (int64_t t = 0; t < r.rows(); ++t) {
    for (int64_t half = 0; half < 2; ++half) {
      for (int64_t h = 0; h < r.heads; ++h) {
        for (int64_t i = 0; i < r.keyCount(); ++i) {
          for (int64_t n = 0; n < size; ++n) {
            scores(t, half, h, i) +=
                queries(t, half, h, n) * (*r.keys)(h, i, half, n);
          }
        }
      }
    }
  }
  return scores;
}

TEST_P(ExpertsEvaluated, MixAsRecorded) {
  Recorded recorded(GetParam());
  reference::MLPWeights weights{
      std::nullopt, {recorded.up, std::nullopt}, {recorded.down, std::nullopt}};
  if (recorded.gate) {
    weights.gate = {*recorded.gate, std::nullopt};
  }
  for (int64_t i = 0; i < recorded.sequences(); ++i) {
    Tensor x = slice(recorded.x, i), want = slice(recorded.y, i);
    Tensor got = reference::mlp(x, weights, Activation::SiLU);
    Tensor mixed = reference::mixExperts(
        x, reference::retrieveExperts(evaluatedScores(recorded, x), recorded.k),
        recorded.downEmbed, recorded.upEmbed,
        recorded.score == "inner" ? ScorePlacement::Inner
                                  : ScorePlacement::Softmax,
        Activation::SiLU);
    for (size_t j = 0; j < got.data.size(); ++j) {
      got.data[j] += mixed.data[j];
    }
    EXPECT_LE(maxError(got, want),
              toleranceF32(want, recorded.up.shape[0] + recorded.size()));
  }
}

/// The whole state part as one function of x [T, D]; matrices are weights, what
/// is gathered or has no matrix form is an operand.
class StateText {
public:
  explicit StateText(const Recorded &recorded) : r(recorded), text("state") {}

  std::string build() {
    rows = shapeText({-1, r.size()});
    std::string embed = shapeText({r.downEmbed.shape[0], r.size()});
    text.input("x", rows).input("down", embed).input("up", embed);
    if (r.keys) {
      text.input("keys", shapeText(r.keys->shape));
    }
    text.output("y", rows)
        .line("%zero = arith.constant 0 : index")
        .line("%nothing = arith.constant 0.0 : f32")
        .line("%one = arith.constant 1.0 : f32")
        .line("%rows = tensor.dim %x, %zero : " + tensorText(rows));
    std::string active = mlp();
    product("y0", active, r.up.shape[0], "down_proj", r.down, "%y");
    scores();
    retrieveAndMix();
    return text.store("%r", "y", rows).text();
  }

private:
  /// %name = x w^T into `destination`, or into a tensor of its own.
  void product(const std::string &name, const std::string &x, int64_t inner,
               const std::string &weight, const Tensor &matrix,
               std::string destination = "") {
    std::string from = tensorText(shapeText({-1, inner})),
                to = tensorText(shapeText({-1, matrix.shape[0]}));
    if (destination.empty()) {
      destination = "%space_" + name;
      text.line(destination + " = tensor.empty(%rows) : " + to);
    }
    text.parameter("w_" + name, shapeText(matrix.shape), weight)
        .line("%init_" + name + " = linalg.fill ins(%nothing : f32) outs(" +
              destination + " : " + to + ") -> " + to)
        .line("%" + name +
              " = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, "
              "k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> "
              "(m, n)>] ins(" +
              x + ", %w_" + name + " : " + from + ", " +
              tensorText(shapeText(matrix.shape)) + ") outs(%init_" + name +
              " : " + to + ") -> " + to);
  }

  /// The name of silu(gate(x)) * up(x), or silu(up(x)).
  std::string mlp() {
    std::string wide = tensorText(shapeText({-1, r.up.shape[0]})),
                map = "affine_map<(t, i) -> (t, i)>";
    product("u", "%x", r.size(), "up_proj", r.up);
    if (r.gate) {
      product("g", "%x", r.size(), "gate_proj", *r.gate);
    }
    std::string inputs =
        r.gate ? "%g, %u : " + wide + ", " + wide : "%u : " + wide;
    text.line("%space_a = tensor.empty(%rows) : " + wide)
        .line("%a = linalg.generic {indexing_maps = [" + map + ", " + map +
              (r.gate ? ", " + map : "") +
              "], iterator_types = [\"parallel\", \"parallel\"]} ins(" +
              inputs + ") outs(%space_a : " + wide + ") {")
        .line(r.gate ? "^bb0(%v: f32, %f: f32, %o: f32):"
                     : "^bb0(%v: f32, %o: f32):")
        .line("  %n = arith.negf %v : f32")
        .line("  %e = math.exp %n : f32")
        .line("  %d = arith.addf %e, %one : f32")
        .line("  %s = arith.divf %v, %d : f32")
        .line(r.gate ? "  %m = arith.mulf %s, %f : f32" : "")
        .line(r.gate ? "  linalg.yield %m : f32" : "  linalg.yield %s : f32")
        .line("} -> " + wide);
    return "%a";
  }

  /// %scores [T, 2, H, K].
  void scores() {
    std::string type = tensorText(shapeText({-1, 2, r.heads, r.keyCount()}));
    auto split = [&](const std::string &name, const std::string &of,
                     int64_t columns, const std::string &to, int64_t inner) {
      text.line("%" + name + " = tensor.expand_shape %" + of +
                " [[0], [1, 2, 3]] output_shape [%rows, 2, " +
                std::to_string(r.heads) + ", " + std::to_string(inner) +
                "] : " + tensorText(shapeText({-1, columns})) + " into " + to);
    };
    if (r.router) {
      product("flat", "%x", r.size(), "router", *r.router);
      split("scores", "flat", r.router->shape[0], type, r.keyCount());
      return;
    }
    int64_t size = r.keys->shape[3];
    std::string queries = tensorText(shapeText({-1, 2, r.heads, size}));
    product("flat", "%x", r.size(), "queries", *r.queries);
    split("q", "flat", r.queries->shape[0], queries, size);
    text.line("%space_s = tensor.empty(%rows) : " + type)
        .line("%init_s = linalg.fill ins(%nothing : f32) outs(%space_s : " +
              type + ") -> " + type)
        .line("%scores = linalg.generic {indexing_maps = ["
              "affine_map<(t, s, h, n, k) -> (t, s, h, n)>, "
              "affine_map<(t, s, h, n, k) -> (h, k, s, n)>, "
              "affine_map<(t, s, h, n, k) -> (t, s, h, k)>], iterator_types = "
              "[\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
              "\"parallel\"]} ins(%q, %keys : " +
              queries + ", " + tensorText(shapeText(r.keys->shape)) +
              ") outs(%init_s : " + type + ") {")
        .line("^bb0(%v: f32, %f: f32, %o: f32):")
        .line("  %m = arith.mulf %v, %f : f32")
        .line("  %s = arith.addf %o, %m : f32")
        .line("  linalg.yield %s : f32")
        .line("} -> " + type);
  }

  void retrieveAndMix() {
    std::string found = tensorText(shapeText({-1, r.heads, r.k})),
                ids = tensorText(shapeText({-1, r.heads, r.k}, "i32")),
                embed = tensorText(shapeText(r.downEmbed.shape)),
                y = tensorText(rows);
    text.line("%b0 = tensor.empty(%rows) : " + found)
        .line("%i0 = tensor.empty(%rows) : " + ids)
        .line("%b, %i = cheems.retrieve_experts ins(%scores : " +
              tensorText(shapeText({-1, 2, r.heads, r.keyCount()})) +
              ") outs(%b0, %i0 : " + found + ", " + ids + ") -> " + found +
              ", " + ids)
        .line("%r = cheems.mix_experts " + r.score +
              " silu ins(%x, %b, %i, %down, %up : " + y + ", " + found + ", " +
              ids + ", " + embed + ", " + embed + ") outs(%y0 : " + y +
              ") -> " + y);
  }

  const Recorded &r;
  FunctionText text;
  std::string rows;
};

/// The largest of all sequences.
double errorOf(const Recorded &recorded, Mode mode) {
  auto module = CompiledModule::compile(StateText(recorded).build(), mode);
  if (!module) {
    return INFINITY;
  }
  module->setParameter("up_proj", recorded.up);
  module->setParameter("down_proj", recorded.down);
  if (recorded.gate) {
    module->setParameter("gate_proj", *recorded.gate);
  }
  module->setParameter(recorded.router ? "router" : "queries",
                       recorded.router ? *recorded.router : *recorded.queries);
  Buffer down(Element::F32, recorded.downEmbed),
      up(Element::F32, recorded.upEmbed);
  std::optional<Buffer> keys;
  if (recorded.keys) {
    keys.emplace(Element::F32, *recorded.keys);
  }
  double error = 0.0;
  for (int64_t i = 0; i < recorded.sequences(); ++i) {
    Tensor want = slice(recorded.y, i);
    Buffer x(Element::F32, slice(recorded.x, i)), y(Element::F32, want.shape);
    std::vector<const Buffer *> buffers{&x, &down, &up};
    if (keys) {
      buffers.push_back(&*keys);
    }
    buffers.push_back(&y);
    module->call("state", recorded.rows(), buffers);
    error = std::max(error, relativeError(contents(y, want.shape), want));
  }
  return error;
}

TEST_P(ExpertsCompiled, MixAsRecorded) {
  Recorded recorded(file());
  EXPECT_LE(errorOf(recorded, mode()),
            compiledBound(Element::F32, recorded.roundings()));
}

TEST(ExpertsMistaken, ADroppedExpertIsSeen) {
  Recorded recorded("cdmoe_inner");
  --recorded.k;
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.roundings()));
}

TEST(ExpertsMistaken, AWrongRoundingIsSeen) {
  Recorded recorded("cdmoe_softmax");
  recorded.up = coarser(recorded.up, 16);
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.roundings()));
}

} // namespace
