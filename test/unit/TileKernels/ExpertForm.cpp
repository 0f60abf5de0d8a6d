#include "ExpertForm.h"
#include <algorithm>

namespace cheems::test {
using reference::Retrieval;
using reference::Tensor;

static constexpr const char *text = R"(
!x = tensor<?xDxf32>
!w = tensor<ExDxELEMENT>
!g = tensor<?x2xHxKxf32>
!s = tensor<?xHxCxf32>
!e = tensor<?xHxCxi32>
func.func @retrieve(%g: !g, %s: !s, %e: !e) -> (!s, !e) ROWS {
  %r:2 = cheems.retrieve_experts ins(%g : !g) outs(%s, %e : !s, !e) -> !s, !e
  return %r#0, %r#1 : !s, !e
}
func.func @ascending(%g: !g, %s: !s, %e: !e) -> (!s, !e) ROWS {
  %r:2 = cheems.retrieve_experts ascending ins(%g : !g) outs(%s, %e : !s, !e) -> !s, !e
  return %r#0, %r#1 : !s, !e
}
func.func @mix(%x: !x, %s: !s, %e: !e, TABLES, %y: !x) -> !x ROWS {
  %r = cheems.mix_experts PLACEMENT ACTIVATION ins(%x, %s, %e, %down, %up : !x, !s, !e, !w, !w) SCALES outs(%y : !x) -> !x
  return %r : !x
}
)";

static constexpr const char *fromScores = R"(
func.func @experts(%x: !x, %g: !g, TABLES, %y: !x) -> !x ROWS {
)";

static constexpr const char *fromKeys = R"(
#queries = affine_map<(t, p, h, d, n) -> (t, p, h, d)>
#keys = affine_map<(t, p, h, d, n) -> (p, h, d, n)>
#scores = affine_map<(t, p, h, d, n) -> (t, p, h, n)>
func.func @experts(%x: !x, %q: tensor<?x2xHxPxf32>, %keys: tensor<2xHxPxKxNUMBER>, TABLES, %y: !x) -> !x ROWS {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : !x
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%rows) : !g
  %f = linalg.fill ins(%zero : f32) outs(%e : !g) -> !g
  %g = linalg.generic {indexing_maps = [#queries, #keys, #scores], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%q, %keys : tensor<?x2xHxPxf32>, tensor<2xHxPxKxNUMBER>) outs(%f : !g) {
  ^bb0(%a: f32, %b: NUMBER, %sum: f32):
    WIDEN
    %p = arith.mulf %a, %b32 : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> !g
)";

static constexpr const char *rest = R"(
  %c0_0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0_0 : !x
  %s0 = tensor.empty(%t) : !s
  %e0 = tensor.empty(%t) : !e
  %r:2 = cheems.retrieve_experts ins(%g : !g) outs(%s0, %e0 : !s, !e) -> !s, !e
  %o = cheems.mix_experts PLACEMENT ACTIVATION ins(%x, %r#0, %r#1, %down, %up : !x, !s, !e, !w, !w) SCALES outs(%y : !x) -> !x
  return %o : !x
}
)";

void ExpertForm::compile() {
  bool isF32 = numberOfKeys() == Number::F32;
  std::string all = text + std::string(depth ? fromKeys : fromScores) + rest;
  all = replaced(all, "WIDEN",
                 isF32 ? "%b32 = arith.mulf %b, %one : f32"
                       : "%b32 = arith.extf %b : NUMBER to f32");
  if (isF32) { // nothing to widen
    all = replaced(all, "%b32 = arith.mulf %b, %one : f32", "");
    all = replaced(all, "%b32", "%b");
  }
  std::string element = isF32 ? "f32" : number == Number::BF16 ? "bf16" : "f16";
  all = replaced(all, "NUMBER", element);
  all = replaced(all, "ELEMENT", isQuantized() ? "i8" : element);
  all = replaced(
      all, "TABLES",
      std::string("%down: !w, %up: !w") +
          (isQuantized() ? ", %ds: tensor<Exf32>, %us: tensor<Exf32>" : ""));
  all = replaced(
      all, "SCALES",
      isQuantized() ? "scales(%ds, %us : tensor<Exf32>, tensor<Exf32>)" : "");
  all = replaced(all, "PLACEMENT",
                 placement == ScorePlacement::Inner ? "inner" : "softmax");
  all = replaced(all, "ACTIVATION", stringifyActivation(activation).str());
  all = replaced(all, " ROWS",
                 fewRows ? " attributes {cheems.most_rows = 64 : i64}" : "");
  auto extent = [&](const std::string &letter, int64_t size) {
    for (const char *before : {"x", "<"}) {
      all = replaced(all, before + letter + "x",
                     before + std::to_string(size) + "x");
    }
  };
  extent("D", columns);
  extent("E", this->all());
  extent("H", heads);
  extent("K", keys);
  extent("C", experts);
  extent("P", depth);
  module = compiledStep(all);
}

/// Multiples of 1/8 that any type has, few of them: many scores are equal.
static Tensor eighths(Random &random, llvm::ArrayRef<int64_t> shape) {
  Tensor result(shape);
  for (double &value : result.data) {
    value = static_cast<double>(random.between(-8, 8)) / 8;
  }
  return result;
}

ExpertInputs::ExpertInputs(const ExpertForm &form, Random &random, int64_t rows)
    : x(random.tensor({rows, form.columns}, -1, 1)),
      y(random.tensor({rows, form.columns}, -1, 1)),
      scores({rows, 2, form.heads, form.keys}) {
  for (auto [table, codes, scales] :
       {std::tuple(&down, &downCodes, &downScales),
        {&up, &upCodes, &upScales}}) {
    *table =
        random.tensor({form.all(), form.columns}, -1, 1, form.numberOfKeys());
    if (!form.isQuantized()) {
      continue;
    }
    *codes = *table;
    *scales = random.tensor({form.all()}, 0, 2.0 / 127, Number::F32);
    for (int64_t e = 0; e < form.all(); ++e) {
      for (int64_t d = 0; d < form.columns; ++d) {
        (*codes)(e, d) = static_cast<double>(random.between(-127, 127));
        (*table)(e, d) = (*codes)(e, d) * (*scales)(e);
      }
    }
  }
  if (!form.depth) {
    scores = eighths(random, scores.shape);
    return;
  }
  queries = eighths(random, {rows, 2, form.heads, form.depth});
  keys = eighths(random, {2, form.heads, form.depth, form.keys});
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t half = 0; half < 2; ++half) {
      for (int64_t h = 0; h < form.heads; ++h) {
        for (int64_t n = 0; n < form.keys; ++n) {
          for (int64_t d = 0; d < form.depth; ++d) {
            scores(t, half, h, n) +=
                queries(t, half, h, d) * keys(half, h, d, n);
          }
        }
      }
    }
  }
}

std::vector<Array> ExpertInputs::tables(const ExpertForm &form) const {
  if (!form.isQuantized()) {
    return {{form.number, down}, {form.number, up}};
  }
  return {{Number::I8, downCodes},
          {Number::I8, upCodes},
          {Number::F32, downScales},
          {Number::F32, upScales}};
}

Tensor ExpertInputs::wanted(const ExpertForm &form,
                            const Retrieval &found) const {
  Tensor sum = reference::mixExperts(x, found, down, up, form.placement,
                                     form.activation);
  for (size_t i = 0; i < sum.data.size(); ++i) {
    sum.data[i] += y.data[i];
  }
  return sum;
}

/// How far off an activation may be, of a number that is off by `error`:
/// slopes are at most 1.2 but for squares, and functions are approximated to
/// the last bits of the number.
static double activated(Activation activation, double value, double error) {
  double size = std::abs(value), slope = 1.2;
  if (activation == Activation::ReLU2) {
    slope = 2 * size + error;
    size *= size;
  }
  return slope * error + 4 * kApproximate * size + kTiny;
}

/// What an activation makes of a number is this at most.
static double mostOf(const ExpertForm &form, double value) {
  double size = std::abs(value);
  return form.activation == Activation::ReLU2 ? size * std::max(size, 1.0)
                                              : size;
}

Tensor ExpertInputs::bounds(const ExpertForm &form,
                            const Retrieval &found) const {
  auto depth = static_cast<double>(form.columns);
  auto terms = static_cast<double>(form.heads * form.experts) + 16;
  bool isInner = form.placement == ScorePlacement::Inner;
  Tensor result(x.shape);
  for (int64_t t = 0; t < x.shape[0]; ++t) {
    for (int64_t h = 0; h < form.heads; ++h) {
      double highest = -1e300, total = 0;
      for (int64_t i = 0; i < form.experts; ++i) {
        highest = std::max(highest, found.score(t, h, i));
      }
      for (int64_t i = 0; i < form.experts; ++i) {
        total += std::exp(found.score(t, h, i) - highest);
      }
      for (int64_t i = 0; i < form.experts; ++i) {
        int64_t e = found.expert[static_cast<size_t>(
            (t * form.heads + h) * form.experts + i)];
        double score = found.score(t, h, i), hit = 0, size = 0;
        for (int64_t d = 0; d < form.columns; ++d) {
          hit += x(t, d) * down(e, d);
          size += std::abs(x(t, d) * down(e, d));
        }
        double hitError = (depth + 4) * kF32 * size, weight = 0, error = 0;
        if (isInner) {
          double scaled = hit * score;
          error =
              activated(form.activation, scaled,
                        std::abs(score) * hitError + kF32 * std::abs(scaled));
          weight = mostOf(form, scaled);
        } else {
          double share = std::exp(score - highest) / total;
          // The argument of a power is rounded twice, and a sum of k of them.
          double relative = (std::abs(score - highest) + 2) * 4 * kF32 +
                            (static_cast<double>(form.experts) + 8) * kF32 +
                            4 * kApproximate;
          double most = mostOf(form, hit);
          error = share * (activated(form.activation, hit, hitError) +
                           relative * (most + hitError));
          weight = share * most;
        }
        for (int64_t d = 0; d < form.columns; ++d) {
          result(t, d) += std::abs(up(e, d)) * (error + terms * kF32 * weight);
        }
      }
    }
    for (int64_t d = 0; d < form.columns; ++d) {
      result(t, d) += terms * kF32 * std::abs(y(t, d)) + kTiny;
    }
  }
  return result;
}

} // namespace cheems::test
