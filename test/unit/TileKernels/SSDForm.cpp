// The text of an SSD, drawn inputs, and the comparison with the evaluator.
#include "SSDForm.h"
#include "AttentionForm.h"
#include <algorithm>

namespace cheems::test {

using reference::Segment;
using reference::SSDInputs;
using reference::Tensor;

namespace {

constexpr int64_t kLayers = 2;

std::string tensorType(llvm::ArrayRef<int64_t> shape,
                       Number number = Number::F32) {
  std::string text = "tensor<";
  for (int64_t extent : shape) {
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  }
  return text + (number == Number::F32 ? "f32>" : "bf16>");
}

/// What the evaluator has, and the same of all magnitudes, which bounds what
/// errors of factors do.
struct Evaluated {
  Tensor y, pool, boundOfY, boundOfPool;
};

Evaluated evaluated(const SSDStep &step) {
  Evaluated result;
  result.pool = step.pool;
  result.y = segmentedSSD(step.inputs, step.segments, step.layer, result.pool);
  SSDInputs inputs = step.inputs;
  result.boundOfPool = step.pool;
  auto magnitudes = [](Tensor &tensor) {
    for (double &number : tensor.data) {
      number = std::abs(number);
    }
  };
  magnitudes(inputs.x);
  magnitudes(inputs.b);
  magnitudes(inputs.c);
  magnitudes(result.boundOfPool);
  if (inputs.skip) {
    magnitudes(*inputs.skip);
  }
  result.boundOfY =
      segmentedSSD(inputs, step.segments, step.layer, result.boundOfPool);
  return result;
}

/// What rounding does to y and to the state, relative to the sums of all
/// magnitudes. The decay that a factor has is not counted here.
struct Rounding {
  double y, pool;
  double sums; ///< of one addition, with how often it is done

  explicit Rounding(Factors factors) {
    switch (factors) {
    case Factors::F32:
      y = pool = 0;
      sums = kF32;
      break;
    case Factors::Pairs:
      // The state has the errors of b, x, x with its weight, and of the matmul
      // that is left out. y has those of c, that state once more, and what
      // their matmul leaves out; weights of rows have less. An instruction of
      // tensor cores may cut what it adds.
      pool = 4.1 * kPair;
      y = pool + 3.1 * kPair;
      sums = 3 * 2 * kF32;
      break;
    case Factors::BF16:
      // The factors of x in the state are rounded, and then the state, too.
      pool = 1.1 * kBF16;
      y = 2.1 * kBF16;
      sums = kF32;
      break;
    }
  }
};

/// The greatest sum of a segment's powers of e, in magnitude.
double powersOf(const SSDStep &step) {
  double most = 0;
  for (const Segment &segment : step.segments) {
    for (int64_t h = 0; h < step.form.heads; ++h) {
      double sum = 0;
      for (int64_t t = 0; t < segment.length; ++t) {
        sum +=
            std::abs(step.inputs.a(h) * step.inputs.step(segment.start + t, h));
      }
      most = std::max(most, sum);
    }
  }
  return most;
}

} // namespace

/// Returns the op's name of them.
static std::string nameOf(Factors factors) {
  switch (factors) {
  case Factors::F32:
    return "";
  case Factors::Pairs:
    return "allow_pairs ";
  case Factors::BF16:
    return "allow_bf16 ";
  }
  llvm_unreachable("not a kind of factors");
}

/// x, b or c in f32 as `%name`, of the rows in bf16 `%name_rounded`.
static std::string widened(const std::string &name, int64_t heads,
                           int64_t size) {
  std::string rounded = tensorType({-1, heads * size}, Number::BF16),
              flat = tensorType({-1, heads * size});
  return "  %" + name + "_empty = tensor.empty(%rows) : " + flat + "\n  %" +
         name +
         "_wide = linalg.generic {indexing_maps = [#all, #all], "
         "iterator_types = [\"parallel\", \"parallel\"]} ins(%" +
         name + "_rounded : " + rounded + ") outs(%" + name +
         "_empty : " + flat +
         ") {\n  ^bb0(%in: bf16, %out: f32):\n    %w = arith.extf %in : bf16 "
         "to "
         "f32\n    linalg.yield %w : f32\n  } -> " +
         flat + "\n  %" + name + " = tensor.expand_shape %" + name +
         "_wide [[0], [1, 2]] output_shape [%rows, " + std::to_string(heads) +
         ", " + std::to_string(size) + "] : " + flat + " into " +
         tensorType({-1, heads, size}) + "\n";
}

std::string textOf(const SSDForm &form) {
  std::string x = tensorType({-1, form.heads, form.size}),
              step = tensorType({-1, form.heads}),
              head = tensorType({form.heads}),
              gate = tensorType({-1, form.groups, form.states}),
              pool =
                  tensorType({-1, kLayers, form.heads, form.states, form.size}),
              results = x + ", " + pool,
              flat = tensorType({-1, form.heads * form.size}, Number::BF16);
  bool isWide = form.inputs() == Number::F32;
  auto argument = [&](const std::string &name, int64_t heads, int64_t size) {
    return isWide ? "%" + name + ": " + tensorType({-1, heads, size})
                  : "%" + name + "_rounded: " +
                        tensorType({-1, heads * size}, Number::BF16);
  };
  std::string text =
      "#all = affine_map<(t, n) -> (t, n)>\nfunc.func @ssd(" +
      argument("x", form.heads, form.size) + ", %step: " + step +
      ", %a: " + head + ", " + argument("b", form.groups, form.states) + ", " +
      argument("c", form.groups, form.states) + ", %skip: " + head +
      ", %segments: tensor<?x8xi32>, %layer: index, %y: " + x +
      ", %pool: " + pool + ") -> (" + (form.roundsOutput ? flat : x) + ", " +
      pool +
      ") {\n  %c0 = arith.constant 0 : index\n  %rows = "
      "tensor.dim %step, %c0 : " +
      step + "\n";
  if (!isWide) {
    text += widened("x", form.heads, form.size) +
            widened("b", form.groups, form.states) +
            widened("c", form.groups, form.states);
  }
  text += std::string("  %r:2 = cheems.segmented_ssd ") + nameOf(form.factors) +
          (form.oneRow ? "one_row " : "") + "ins(%x, %step, %a, %b, %c : " + x +
          ", " + step + ", " + head + ", " + gate + ", " + gate + ") " +
          (form.skip ? "skip(%skip : " + head + ") " : "") +
          "segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool "
          ": " +
          results + ") -> " + results + "\n";
  if (!form.roundsOutput) {
    return text + "  return %r#0, %r#1 : " + results + "\n}\n";
  }
  std::string wide = tensorType({-1, form.heads * form.size});
  return text + "  %flat = tensor.collapse_shape %r#0 [[0], [1, 2]] : " + x +
         " into " + wide + "\n  %none = tensor.empty(%rows) : " + flat +
         "\n  %o = linalg.generic {indexing_maps = [#all, #all], "
         "iterator_types = [\"parallel\", \"parallel\"]} ins(%flat : " +
         wide + ") outs(%none : " + flat +
         ") {\n  ^bb0(%in: f32, %out: bf16):\n    %n = arith.truncf %in : f32 "
         "to bf16\n    linalg.yield %n : bf16\n  } -> " +
         flat + "\n  return %o, %r#1 : " + flat + ", " + pool + "\n}\n";
}

SSDStep drawnStep(const SSDForm &form, Random &random, int64_t sequences,
                  int64_t longest) {
  SSDStep step;
  step.form = form;
  step.layer = random.between(0, kLayers - 1);
  int64_t rows = 0;
  // Slots go down, and one is not used.
  for (int64_t s = 0; s < sequences; ++s) {
    int64_t length = form.oneRow ? 1 : random.between(1, longest);
    int64_t position = random.once(3) ? 0 : random.between(1, 1000);
    step.segments.push_back({sequences - s, rows, length, position, 0});
    rows += length;
  }
  // No order of rows is promised.
  if (random.once(2)) {
    std::reverse(step.segments.begin(), step.segments.end());
  }
  SSDInputs &inputs = step.inputs;
  inputs.x = random.tensor({rows, form.heads, form.size}, -2, 2, form.inputs());
  inputs.step = random.tensor({rows, form.heads}, 0.001, 0.5);
  // Some heads forget soon, some late, and some grow.
  inputs.a = random.tensor({form.heads}, random.once(2) ? -6 : -0.01, 0.05);
  inputs.b =
      random.tensor({rows, form.groups, form.states}, -2, 2, form.inputs());
  inputs.c =
      random.tensor({rows, form.groups, form.states}, -2, 2, form.inputs());
  if (form.skip) {
    inputs.skip = random.tensor({form.heads}, -2, 2);
  }
  step.pool =
      Tensor({sequences + 1, kLayers, form.heads, form.states, form.size});
  std::fill(step.pool.data.begin(), step.pool.data.end(),
            std::numeric_limits<double>::quiet_NaN());
  for (const Segment &segment : step.segments) {
    if (segment.position == 0) {
      continue;
    }
    for (int64_t h = 0; h < form.heads; ++h) {
      for (int64_t n = 0; n < form.states; ++n) {
        for (int64_t p = 0; p < form.size; ++p) {
          step.pool(segment.slot, step.layer, h, n, p) =
              nearest(random.uniform(-4, 4), Number::F32);
        }
      }
    }
  }
  return step;
}

SSDOutcome::SSDOutcome(const SSDStep &step)
    : y(Number::F32, step.inputs.x.shape), pool(Number::F32, step.pool) {}

std::optional<SSDOutcome> run(TileModule &module, const SSDStep &step,
                              const std::vector<Segment> &segments,
                              const SSDOutcome *before) {
  const SSDInputs &inputs = step.inputs;
  Number number = step.form.inputs();
  // If heads are rounded, the text has rows of them.
  auto heads = [&](const Tensor &tensor) {
    int64_t rows = tensor.shape[0];
    return number == Number::F32
               ? Array(number, tensor)
               : Array(number, tensor.reshaped(
                                   {rows, tensor.shape[1] * tensor.shape[2]}));
  };
  Array x = heads(inputs.x), steps(Number::F32, inputs.step),
        a(Number::F32, inputs.a), b = heads(inputs.b), c = heads(inputs.c),
        skip(Number::F32, inputs.skip ? *inputs.skip : inputs.a),
        table = tableOf(segments, step.form.oneRow);
  SSDOutcome outcome(step);
  if (before) {
    outcome = *before;
  }
  auto results = module.call("ssd", {&x, &steps, &a, &b, &c, &skip, &table,
                                     step.layer, &outcome.y, &outcome.pool});
  if (!results) {
    return std::nullopt;
  }
  if (step.form.roundsOutput) {
    outcome.y = (*results)[0];
  }
  return outcome;
}

static void expectNear(const Array &got, const Tensor &want,
                       const Tensor &bound, double relative) {
  for (size_t i = 0; i < want.data.size(); ++i) {
    double value = got.get(static_cast<int64_t>(i));
    if (std::isnan(want.data[i])) {
      ASSERT_TRUE(std::isnan(value)) << "element " << i;
      continue;
    }
    if (std::isinf(want.data[i])) {
      ASSERT_EQ(value, want.data[i]) << "element " << i;
      continue;
    }
    ASSERT_LE(std::abs(value - want.data[i]), relative * bound.data[i] + kTiny)
        << "element " << i << " is " << value << ", the evaluator has "
        << want.data[i];
  }
}

void expectNear(const SSDStep &step, const SSDOutcome &got, double ofResult) {
  Evaluated want = evaluated(step);
  int64_t longest = 0;
  for (const Segment &segment : step.segments) {
    longest = std::max(longest, segment.length);
  }
  // Sums over N, over a chunk's rows and over chunks, each of which is also
  // multiplied; a power of e has an error of its magnitude, of itself and of
  // the sum that it is.
  constexpr int64_t chunk = 64;
  int64_t terms = step.form.states + std::min(longest, chunk) +
                  2 * ((longest + chunk - 1) / chunk) + 16;
  Rounding rounding(step.form.used());
  double relative = static_cast<double>(terms) * rounding.sums +
                    powersOf(step) * 4 * kF32 + 4 * kApproximate;
  expectNear(got.y, want.y, want.boundOfY, relative + rounding.y + ofResult);
  expectNear(got.pool, want.pool, want.boundOfPool, relative + rounding.pool);
}

} // namespace cheems::test
