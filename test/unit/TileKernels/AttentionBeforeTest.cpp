// Attention with what stands before it in a step: norms and rotations of heads,
// and the matmul that makes mask values. Against the evaluator.
#include "AttentionForm.h"
#include "Estimate.h"
#include "cheems/Reference/RMSNorm.h"
#include "cheems/Reference/Rotary.h"

using namespace cheems::test;
using cheems::reference::RotaryTable;
using cheems::reference::Segment;
using cheems::reference::Tensor;

namespace {

constexpr double kEpsilon = 1e-6;

struct BeforeForm {
  AttentionForm attention;
  bool norm, rotation;
  Number weights; ///< of the matmul that makes masks
  bool bias;      ///< of that matmul
  bool rounds;    ///< outputs are rounded to bf16

  int64_t values() const { return attention.keys * attention.size; }
};

std::string tensorOf(std::initializer_list<int64_t> extents,
                     const std::string &element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : extents) {
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  }
  return text + element + ">";
}

/// A norm and a rotation of %NAME_in, as %NAME.
std::string headsText(const BeforeForm &form, const std::string &name,
                      int64_t heads) {
  std::string type = form.attention.rowsType(heads),
              gain = tensorOf({form.attention.size}),
              table = tensorOf({-1, form.attention.size / 2});
  std::string text, last = "%" + name + "_in";
  auto begin = [&](const std::string &result) {
    return "  %" + result + "_e = tensor.empty(%t) : " + type + "\n  %" +
           result + " = ";
  };
  if (form.norm) {
    std::string result = form.rotation ? name + "_n" : name;
    text += begin(result) + "cheems.rms_norm epsilon 1.0e-06 ins(" + last +
            ", %" + name + "_gain : " + type + ", " + gain + ") outs(%" +
            result + "_e : " + type + ") -> " + type + "\n";
    last = "%" + result;
  }
  if (form.rotation) {
    text += begin(name) + "cheems.rotary ins(" + last +
            ", %cosine, %sine : " + type + ", " + table + ", " + table +
            ") outs(%" + name + "_e : " + type + ") -> " + type + "\n";
  }
  return text;
}

std::string textOf(const BeforeForm &form) {
  const AttentionForm &a = form.attention;
  std::string query = a.rowsType(a.queries), key = a.rowsType(a.keys),
              gain = tensorOf({a.size}), table = tensorOf({-1, a.size / 2}),
              flat = tensorOf({-1, form.values()}), sums = a.maskType(),
              vector = tensorOf({a.masks}),
              weights = tensorOf({a.masks, form.values()},
                                 form.weights == Number::F32 ? "f32" : "bf16"),
              rows = tensorOf({-1, a.queries * a.size}),
              rounded = tensorOf({-1, a.queries * a.size}, "bf16"),
              result = form.rounds ? rounded : query;
  std::string text =
      "#all = affine_map<(t, n) -> (t, n)>\n"
      "#row = affine_map<(t, n) -> (n)>\n"
      "#x = affine_map<(t, n, k) -> (t, k)>\n"
      "#w = affine_map<(t, n, k) -> (n, k)>\n"
      "#y = affine_map<(t, n, k) -> (t, n)>\n"
      "func.func @attend(%q_in: " +
      query + ", %key_in: " + key + ", %flat: " + flat + ", %q_gain: " + gain +
      ", %key_gain: " + gain + ", %cosine: " + table + ", %sine: " + table +
      ", %w: " + weights + ", %bias: " + vector + ", %a: " + vector +
      ", %segments: tensor<?x8xi32>, %layer: index, %y: " + query + ", " +
      a.poolArguments() + ") -> (" + result + ", " + a.poolTypes() +
      ") {\n  %zero = arith.constant 0.0 : f32\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %t = tensor.dim %flat, %c0 : " +
      flat +
      "\n  %value = tensor.expand_shape %flat [[0], [1, 2]] "
      "output_shape [%t, " +
      std::to_string(a.keys) + ", " + std::to_string(a.size) + "] : " + flat +
      " into " + key + "\n";
  text += headsText(form, "q", a.queries) + headsText(form, "key", a.keys);
  text += "  %e = tensor.empty(%t) : " + sums +
          "\n  %z = linalg.fill ins(%zero : f32) outs(%e : " + sums + ") -> " +
          sums +
          "\n  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%flat, "
          "%w : " +
          flat + ", " + weights + ") outs(%z : " + sums + ") -> " + sums + "\n";
  if (form.bias) {
    text += "  %s = linalg.generic {indexing_maps = [#all, #row, #all], "
            "iterator_types = [\"parallel\", \"parallel\"]} ins(%p, %bias : " +
            sums + ", " + vector + ") outs(%e : " + sums +
            ") {\n  ^bb0(%0: f32, %1: f32, %old: f32):\n"
            "    %2 = arith.addf %0, %1 : f32\n"
            "    linalg.yield %2 : f32\n  } -> " +
            sums + "\n";
  }
  text += std::string("  %mask = cheems.dynamic_mask ins(") +
          (form.bias ? "%s" : "%p") + ", %a : " + sums + ", " + vector +
          ") outs(%e : " + sums + ") -> " + sums + "\n" + a.opText();
  std::string last = "%r#0";
  if (form.rounds) {
    text += "  %c = tensor.collapse_shape %r#0 [[0], [1, 2]] : " + query +
            " into " + rows + "\n  %ce = tensor.empty(%t) : " + rounded +
            "\n  %out = linalg.generic {indexing_maps = [#all, #all], "
            "iterator_types = [\"parallel\", \"parallel\"]} ins(%c : " +
            rows + ") outs(%ce : " + rounded +
            ") {\n  ^bb0(%0: f32, %old: bf16):\n"
            "    %1 = arith.truncf %0 : f32 to bf16\n"
            "    linalg.yield %1 : bf16\n  } -> " +
            rounded + "\n";
    last = "%out";
  }
  return text + "  return " + last + ", " + a.poolResults() + " : " + result +
         ", " + a.poolTypes() + "\n}\n";
}

/// What a step has besides AttentionStep: that has heads as they come.
struct Before {
  Tensor queryGain, keyGain, weights, bias, a;
  RotaryTable table;
};

Before drawnBefore(const BeforeForm &form, Random &random, int64_t rows) {
  const AttentionForm &a = form.attention;
  double most = 3 / std::sqrt(static_cast<double>(form.values()));
  return {random.tensor({a.size}, 0.5, 1.5),
          random.tensor({a.size}, 0.5, 1.5),
          random.tensor({a.masks, form.values()}, -most, most, form.weights),
          random.tensor({a.masks}, -1, 1),
          random.tensor({a.masks}, -1, 1),
          {random.tensor({rows, a.size / 2}, -1, 1),
           random.tensor({rows, a.size / 2}, -1, 1)}};
}

/// Heads as attention takes them.
std::vector<Estimate> prepared(const BeforeForm &form, const Tensor &x,
                               const Tensor &gain, const RotaryTable &table) {
  std::vector<Estimate> result;
  for (double value : x.data) {
    result.push_back({value});
  }
  int64_t rows = x.shape[0], heads = x.shape[1], size = x.shape[2];
  if (form.norm) {
    Tensor normal = cheems::reference::rmsNorm(
        Tensor({rows * heads, size}, x.data), gain, kEpsilon);
    double relative =
        (static_cast<double>(size) + 16) * kF32 + 2 * kApproximate;
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = {normal.data[i], std::abs(normal.data[i]) * relative};
    }
  }
  if (!form.rotation) {
    return result;
  }
  for (int64_t head = 0; head < rows * heads; ++head) {
    for (int64_t i = 0; i < size / 2; ++i) {
      auto &low = result[static_cast<size_t>(head * size + i)];
      auto &high = result[static_cast<size_t>(head * size + size / 2 + i)];
      Estimate a = low, c = high, cosine{table.cosine(head / heads, i)},
               sine{table.sine(head / heads, i)};
      low = a * cosine + c * sine * Estimate{-1};
      high = c * cosine + a * sine;
    }
  }
  return result;
}

/// Mask values [T, M] of the step's values.
std::vector<Estimate> preparedMasks(const BeforeForm &form,
                                    const AttentionStep &step,
                                    const Before &before) {
  auto depth = static_cast<double>(form.values());
  std::vector<Estimate> result;
  for (int64_t t = 0; t < step.rows(); ++t) {
    for (int64_t m = 0; m < form.attention.masks; ++m) {
      double sum = 0, size = 0;
      for (int64_t n = 0; n < form.values(); ++n) {
        double value =
            nearest(step.value.data[static_cast<size_t>(t * form.values() + n)],
                    form.weights);
        sum += value * before.weights(m, n);
        size += std::abs(value * before.weights(m, n));
      }
      Estimate all{sum, (depth + 16) * 2 * kF32 * size};
      result.push_back(masked(form.bias ? all + Estimate{before.bias(m)} : all,
                              before.a(m)));
    }
  }
  return result;
}

/// Values of rows that were stored as entries, from a pool.
/// \param width of an entry.
Tensor storedRows(const Array &pool, const AttentionStep &step, int64_t heads,
                  int64_t width) {
  Tensor rows({step.rows(), heads, width});
  Tensor all = pool.tensor();
  int64_t layers = pool.shape()[1];
  for (const Segment &segment : step.segments) {
    for (int64_t t = 0; t < segment.length; ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t p = 0; p < width; ++p) {
          int64_t at = ((segment.slot * layers + step.layer) * heads + h) *
                           step.capacity +
                       segment.position + t;
          rows(segment.start + t, h, p) =
              all.data[static_cast<size_t>(at * width + p)];
        }
      }
    }
  }
  return rows;
}

void expectNear(const Tensor &got, const std::vector<Estimate> &want,
                int64_t repeats, double unit) {
  // State heads may be several to a head of keys.
  int64_t width = got.shape[2], heads = got.shape[1];
  for (size_t i = 0; i < got.data.size(); ++i) {
    int64_t head = static_cast<int64_t>(i) / width,
            source = head / heads * (heads / repeats) + head % heads / repeats;
    Estimate one = want[static_cast<size_t>(source * width +
                                            static_cast<int64_t>(i) % width)];
    one = rounded(one.value, one.error, unit);
    // Written so that NaN fails.
    ASSERT_TRUE(std::abs(got.data[i] - one.value) <= one.error)
        << "element " << i << " is " << got.data[i] << ", the evaluator has "
        << one.value << ", bound " << one.error;
  }
}

std::optional<AttentionOutcome> run(TileModule &module, const BeforeForm &form,
                                    const AttentionStep &step,
                                    const Before &before,
                                    const std::vector<Segment> &segments) {
  constexpr Number f32 = Number::F32;
  AttentionOutcome outcome(step);
  Array query(f32, step.query), key(f32, step.key),
      flat(f32, Tensor({step.rows(), form.values()}, step.value.data)),
      queryGain(f32, before.queryGain), keyGain(f32, before.keyGain),
      cosine(f32, before.table.cosine), sine(f32, before.table.sine),
      weights(form.weights, before.weights), bias(f32, before.bias),
      a(f32, before.a), table = tableOf(segments, form.attention.oneRow);
  auto results = module.call(
      "attend", {&query, &key, &flat, &queryGain, &keyGain, &cosine, &sine,
                 &weights, &bias, &a, &table, step.layer, &outcome.y,
                 &outcome.keys, &outcome.values, &outcome.masks});
  if (!results) {
    return std::nullopt;
  }
  if (form.rounds) {
    outcome.y = results->front();
  }
  return outcome;
}

/// How far off a score may be because of its query.
double errorOfScores(const BeforeForm &form, const std::vector<Estimate> &query,
                     const Tensor &keys) {
  double most = 0, worst = 0;
  for (double key : keys.data) {
    most = std::abs(key) > most ? std::abs(key) : most;
  }
  bool isRounded = form.attention.stored == Number::BF16;
  auto size = static_cast<size_t>(form.attention.size);
  for (size_t head = 0; head < query.size(); head += size) {
    double sum = 0;
    for (size_t p = head; p < head + size; ++p) {
      Estimate one = query[p];
      sum += isRounded ? rounded(one.value, one.error, kBF16).error : one.error;
    }
    worst = std::max(worst, sum);
  }
  return worst * most * form.attention.scale();
}

void hold(const std::vector<BeforeForm> &forms, int64_t longest, int64_t most) {
  forEachCase([&](uint64_t number) {
    const BeforeForm &form = forms[formOf(number, forms.size())];
    TileModule *module = compiledStep(textOf(form));
    const AttentionForm &a = form.attention;
    ASSERT_NE(module, nullptr);
    Random random(number);
    AttentionStep step =
        drawnStep(a, random, random.between(1, 3), longest, most);
    Before before = drawnBefore(form, random, step.rows());
    auto got = run(*module, form, step, before, step.segments);
    ASSERT_TRUE(got);

    // What is stored.
    double unit = a.stored == Number::BF16 ? kBF16 : 0;
    auto stored = [&](const Array &pool, int64_t heads, int64_t width) {
      return storedRows(pool, step, heads, width);
    };
    Tensor keys = stored(got->keys, a.states, a.size),
           masks = stored(got->masks, a.masks, 1);
    expectNear(keys, prepared(form, step.key, before.keyGain, before.table),
               a.states / a.keys, unit);
    expectNear(masks, preparedMasks(form, step, before), 1, 0);

    // What is attended to, given that.
    AttentionStep given = step;
    std::vector<Estimate> query =
        prepared(form, step.query, before.queryGain, before.table);
    for (auto [target, source] : llvm::zip(given.query.data, query)) {
      target = a.stored == Number::BF16 ? nearest(source.value, Number::BF16)
                                        : source.value;
    }
    int64_t repeats = a.states / a.keys;
    for (int64_t t = 0; t < step.rows(); ++t) {
      for (int64_t g = 0; g < a.keys; ++g) {
        for (int64_t p = 0; p < a.size; ++p) {
          given.key(t, g, p) = keys(t, g * repeats, p);
        }
      }
    }
    given.mask.data = masks.data;
    expectPools(given, *got);
    expectOutputs(given, *got, errorOfScores(form, query, got->keys.tensor()),
                  form.rounds ? kBF16 : 0);

    // A sequence alone has the same bits.
    for (const Segment &segment : step.segments) {
      auto alone = run(*module, form, step, before, {segment});
      ASSERT_TRUE(alone);
      EXPECT_EQ(rowsOf(alone->y, segment.start, segment.length),
                rowsOf(got->y, segment.start, segment.length));
    }
  });
}

constexpr auto bf16 = Number::BF16, f32 = Number::F32;

TEST(AttentionBeforeTest, DecodingInF32) {
  hold(
      {
          {{4, 2, 2, 4, 16, f32, true}, false, true, f32, false, false},
          {{4, 2, 2, 2, 64, f32, true}, true, true, f32, true, false},
          {{6, 1, 2, 6, 18, f32, true}, true, false, bf16, false, true},
          {{3, 3, 3, 3, 36, f32, true}, false, true, bf16, true, true},
          {{34, 1, 2, 2, 24, f32, true}, true, true, f32, false, false},
      },
      1, 150);
}

TEST(AttentionBeforeTest, DecodingOnTensorCores) {
  hold(
      {
          {{6, 3, 3, 3, 128, bf16, true}, true, true, bf16, false, true},
          {{4, 2, 2, 4, 16, bf16, true}, false, true, bf16, true, true},
          {{8, 2, 2, 2, 64, bf16, true}, true, true, f32, true, false},
          {{4, 1, 2, 4, 24, bf16, true}, true, false, bf16, false, true},
          {{2, 2, 2, 2, 96, bf16, true}, false, true, bf16, false, false},
          {{1, 1, 1, 1, 256, bf16, true}, true, true, bf16, true, true},
          {{20, 1, 1, 4, 48, bf16, true}, true, true, bf16, false, true},
      },
      1, 700);
}

TEST(AttentionBeforeTest, Prompts) {
  hold(
      {
          {{4, 2, 2, 2, 64, bf16, false}, true, true, bf16, false, true},
          {{2, 1, 1, 2, 128, bf16, false}, true, true, bf16, true, true},
          {{2, 2, 2, 2, 16, bf16, false}, true, true, f32, false, false},
          {{4, 1, 2, 4, 32, bf16, false}, false, true, bf16, false, false},
          {{1, 1, 1, 1, 256, bf16, false}, true, true, bf16, false, true},
          {{4, 2, 2, 4, 16, f32, false}, false, true, f32, false, false},
          {{2, 1, 1, 1, 36, f32, false}, true, true, f32, true, true},
      },
      100, 120);
}

} // namespace
