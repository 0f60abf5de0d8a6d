// Attention of segments against its evaluator, for prompts and for decoding,
// and bit for bit whatever else is in the step.
#include "Cases.h"
#include "Counts.h"
#include "cheems/Reference/Segments.h"

using namespace cheems::test;
using cheems::reference::AttentionPools;
using cheems::reference::AttentionRows;
using cheems::reference::Segment;
using cheems::reference::SegmentedAttentionOptions;
using cheems::reference::Tensor;

namespace {

constexpr int64_t kLayers = 2;

/// What is compiled: heads of queries, keys, entries and masks, their size.
struct Form {
  int64_t queries, keys, states, masks, size;
  Number stored;
  bool oneRow;

  double scale() const { return 1 / std::sqrt(static_cast<double>(size)); }
};

std::string rowsType(int64_t heads, int64_t size) {
  return "tensor<?x" + std::to_string(heads) + "x" + std::to_string(size) +
         "xf32>";
}

std::string moduleText(const Form &form) {
  std::string stored = form.stored == Number::F32 ? "f32" : "bf16";
  std::string query = rowsType(form.queries, form.size),
              key = rowsType(form.keys, form.size),
              mask = "tensor<?x" + std::to_string(form.masks) + "xf32>",
              pool = "tensor<?x" + std::to_string(kLayers) + "x" +
                     std::to_string(form.states) + "x?x" +
                     std::to_string(form.size) + "x" + stored + ">",
              masks = "tensor<?x" + std::to_string(kLayers) + "x" +
                      std::to_string(form.masks) + "x?xf32>",
              results = query + ", " + pool + ", " + pool + ", " + masks;
  return "func.func @attend(%q: " + query + ", %key: " + key +
         ", %value: " + key + ", %mask: " + mask +
         ", %segments: tensor<?x8xi32>, %layer: index, %y: " + query +
         ", %keys: " + pool + ", %values: " + pool + ", %masks: " + masks +
         ") -> (" + results +
         ") {\n  %r:4 = cheems.segmented_attention bias "
         "scale " +
         std::to_string(form.scale()) + " block 64 " +
         (form.oneRow ? "one_row " : "") + "ins(%q, %key, %value : " + query +
         ", " + key + ", " + key + ") mask(%mask : " + mask +
         ") segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, "
         "%keys, %values, %masks : " +
         results + ") -> " + results +
         "\n  return %r#0, %r#1, %r#2, %r#3 : " + results + "\n}\n";
}

/// A step's inputs and the pools before it.
struct Step {
  Form form;
  std::vector<Segment> segments;
  int64_t slots, capacity, layer;
  Tensor query, key, value, mask;
  Tensor keys, values, masks; ///< pools; NaN where nothing is stored

  int64_t rows() const { return query.shape[0]; }
};

Tensor withNaNs(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(shape);
  std::fill(tensor.data.begin(), tensor.data.end(),
            std::numeric_limits<double>::quiet_NaN());
  return tensor;
}

/// \param most rows that a sequence has before the step.
Step drawnStep(const Form &form, Random &random, int64_t sequences,
               int64_t longest, int64_t most) {
  Step step;
  step.form = form;
  step.slots = sequences + 1;
  step.layer = random.between(0, kLayers - 1);
  int64_t rows = 0, needed = 0;
  for (int64_t s = 0; s < sequences; ++s) {
    int64_t length = form.oneRow ? 1 : random.between(1, longest);
    int64_t position = random.once(3) ? 0 : random.between(0, most);
    // Slots go down, and one is not used.
    step.segments.push_back({sequences - s, rows, length, position, 0});
    rows += length;
    needed = std::max(needed, position + length);
  }
  step.capacity = needed + random.between(0, 70);
  // Queries have few bits, so that they are not rounded.
  step.query =
      random.tensor({rows, form.queries, form.size}, -2, 2, Number::BF16);
  step.key = random.tensor({rows, form.keys, form.size}, -2, 2);
  step.value = random.tensor({rows, form.keys, form.size}, -2, 2);
  step.mask = random.tensor({rows, form.masks}, 0, 4);
  step.keys =
      withNaNs({step.slots, kLayers, form.states, step.capacity, form.size});
  step.values = step.keys;
  step.masks = withNaNs({step.slots, kLayers, form.masks, step.capacity});
  for (const Segment &segment : step.segments) {
    for (int64_t e = 0; e < segment.position; ++e) {
      for (int64_t g = 0; g < form.states; ++g) {
        for (int64_t p = 0; p < form.size; ++p) {
          step.keys(segment.slot, step.layer, g, e, p) =
              nearest(random.uniform(-2, 2), form.stored);
          step.values(segment.slot, step.layer, g, e, p) =
              nearest(random.uniform(-2, 2), form.stored);
        }
      }
      for (int64_t m = 0; m < form.masks; ++m) {
        step.masks(segment.slot, step.layer, m, e) =
            nearest(random.uniform(0, 4), Number::F32);
      }
    }
  }
  return step;
}

Array tableOf(const std::vector<Segment> &segments, bool oneRow) {
  Array table(Number::I32, {static_cast<int64_t>(segments.size()), 8});
  int64_t at = 0;
  for (const Segment &s : segments) {
    for (int64_t value :
         {s.slot, s.start, oneRow ? 0 : s.length, s.position, s.ropeLength,
          int64_t(-1), int64_t(-1), int64_t(-1)}) {
      table.set(at++, static_cast<double>(value));
    }
  }
  return table;
}

struct Outcome {
  Array y, keys, values, masks;
};

std::optional<Outcome> run(TileModule &module, const Step &step,
                           const std::vector<Segment> &segments,
                           const Outcome *before = nullptr) {
  Array query(Number::F32, step.query), key(Number::F32, step.key),
      value(Number::F32, step.value), mask(Number::F32, step.mask),
      table = tableOf(segments, step.form.oneRow);
  Outcome outcome{
      Array(Number::F32, step.query.shape), Array(step.form.stored, step.keys),
      Array(step.form.stored, step.values), Array(Number::F32, step.masks)};
  if (before) {
    outcome = *before;
  }
  if (!module.call("attend",
                   {&query, &key, &value, &mask, &table, step.layer, &outcome.y,
                    &outcome.keys, &outcome.values, &outcome.masks})) {
    return std::nullopt;
  }
  return outcome;
}

/// What the evaluator has, and the same of the values' magnitudes, which
/// bounds what an error of weights does.
void expectEvaluated(const Step &step, const Outcome &got) {
  SegmentedAttentionOptions options;
  // The module's text has six digits of the scale.
  options.scale = std::stod(std::to_string(step.form.scale()));
  options.storesBF16 = step.form.stored == Number::BF16;
  AttentionRows rows{step.query, step.key, step.value, step.mask};
  AttentionPools pools{step.keys, step.values, step.masks, {}, {}, {}, {}};
  AttentionPools magnitudes = pools;
  Tensor want =
      segmentedAttention(rows, step.segments, step.layer, options, pools);
  for (Tensor *tensor : {&rows.value, &magnitudes.values}) {
    for (double &number : tensor->data) {
      number = std::abs(number);
    }
  }
  Tensor bound =
      segmentedAttention(rows, step.segments, step.layer, options, magnitudes);
  // Weights are rounded to bf16, or have the error of a score of about 16 in
  // f32, whose sum has P terms.
  double relative = options.storesBF16
                        ? kBF16
                        : (static_cast<double>(step.form.size) + 64) * 4 * kF32;
  for (size_t i = 0; i < want.data.size(); ++i) {
    double value = got.y.get(static_cast<int64_t>(i));
    ASSERT_LE(std::abs(value - want.data[i]), relative * bound.data[i])
        << "element " << i << " is " << value << ", the evaluator has "
        << want.data[i];
  }
  EXPECT_EQ(got.keys.bytes(), Array(step.form.stored, pools.keys).bytes());
  EXPECT_EQ(got.values.bytes(), Array(step.form.stored, pools.values).bytes());
  EXPECT_EQ(got.masks.bytes(), Array(Number::F32, pools.masks).bytes());
}

/// The bits of the outputs of some rows.
std::vector<unsigned char> rowsOf(const Array &y, int64_t start,
                                  int64_t length) {
  auto perRow = static_cast<int64_t>(y.bytes().size()) / y.shape()[0];
  return {y.bytes().begin() + start * perRow,
          y.bytes().begin() + (start + length) * perRow};
}

std::vector<std::unique_ptr<TileModule>>
compiled(const std::vector<Form> &forms) {
  std::vector<std::unique_ptr<TileModule>> modules;
  for (const Form &form : forms) {
    modules.push_back(compiledStep(moduleText(form)));
  }
  return modules;
}

/// All forms of one kind, each case with one of them.
void holdCases(const std::vector<Form> &forms, int64_t longest, int64_t most) {
  auto modules = compiled(forms);
  forEachCase([&](uint64_t number) {
    TileModule *module = modules[number % forms.size()].get();
    ASSERT_NE(module, nullptr);
    Random random(number);
    Step step = drawnStep(forms[number % forms.size()], random,
                          random.between(1, 3), longest, most);
    auto outcome = run(*module, step, step.segments);
    ASSERT_TRUE(outcome);
    expectEvaluated(step, *outcome);
    // A sequence alone has the same bits.
    for (const Segment &segment : step.segments) {
      auto alone = run(*module, step, {segment});
      ASSERT_TRUE(alone);
      EXPECT_EQ(rowsOf(alone->y, segment.start, segment.length),
                rowsOf(outcome->y, segment.start, segment.length));
    }
  });
}

const std::vector<Form> prompts = {
    {4, 2, 2, 2, 64, Number::BF16, false},
    {2, 1, 1, 1, 16, Number::BF16, false},
    {2, 2, 2, 2, 128, Number::BF16, false},
    {6, 2, 2, 6, 32, Number::BF16, false},
    {1, 1, 1, 1, 256, Number::BF16, false},
    {4, 1, 2, 4, 24, Number::BF16, false},
    {2, 1, 1, 2, 96, Number::BF16, false},
    {1, 1, 1, 1, 18, Number::BF16, false},
};

TEST(AttentionKernelTest, PromptsAgreeWithTheEvaluator) {
  holdCases(prompts, 150, 200);
}

const std::vector<Form> exact = {
    {4, 2, 2, 2, 16, Number::F32, false}, {2, 1, 1, 2, 64, Number::F32, false},
    {1, 1, 1, 1, 36, Number::F32, false}, {1, 1, 1, 1, 160, Number::F32, false},
    {4, 2, 2, 4, 16, Number::F32, true},  {2, 1, 1, 1, 128, Number::F32, true},
};

TEST(AttentionKernelTest, EntriesInF32AreExact) { holdCases(exact, 80, 100); }

const std::vector<Form> decoding = {
    {4, 2, 2, 2, 64, Number::BF16, true},
    {2, 1, 1, 1, 16, Number::BF16, true},
    {2, 2, 2, 2, 128, Number::BF16, true},
    {6, 2, 2, 6, 32, Number::BF16, true},
    {1, 1, 1, 1, 256, Number::BF16, true},
    {20, 1, 1, 4, 48, Number::BF16, true},
    {4, 1, 2, 4, 24, Number::BF16, true},
};

TEST(AttentionKernelTest, DecodingAgreesWithTheEvaluator) {
  holdCases(decoding, 1, 900);
}

/// How a prompt is cut changes nothing, because each row has its own order.
TEST(AttentionKernelTest, CutsOfAPromptChangeNoBit) {
  std::vector<Form> forms(prompts.begin(), prompts.begin() + 2);
  auto modules = compiled(forms);
  forEachCase([&](uint64_t number) {
    size_t form = number % forms.size();
    ASSERT_NE(modules[form], nullptr);
    Random random(number);
    Step step = drawnStep(forms[form], random, 1, 200, 100);
    Segment whole = step.segments[0];
    int64_t cut = random.between(0, whole.length - 1);
    auto together = run(*modules[form], step, {whole});
    ASSERT_TRUE(together);
    std::optional<Outcome> pieces;
    for (auto [from, to] : {std::pair(int64_t(0), cut), {cut, whole.length}}) {
      if (from < to) {
        Segment piece{whole.slot, whole.start + from, to - from,
                      whole.position + from, 0};
        auto next =
            run(*modules[form], step, {piece}, pieces ? &*pieces : nullptr);
        ASSERT_TRUE(next);
        pieces = std::move(next);
      }
    }
    EXPECT_EQ(pieces->y.bytes(), together->y.bytes());
    EXPECT_EQ(pieces->keys.bytes(), together->keys.bytes());
  });
}

/// Scores and sums of values: two products of all that a row sees.
TEST(AttentionKernelTest, TensorCoresMultiplyAllThatIsNotInF32) {
  if (!Card::copiesEarly()) {
    GTEST_SKIP() << "counts are the same in both modes";
  }
  std::vector<Form> forms = prompts;
  forms.insert(forms.end(), decoding.begin(), decoding.end());
  forms.insert(forms.end(), exact.begin(), exact.end());
  auto drawn = [](const Form &form) {
    Random random(1);
    return drawnStep(form, random, 2, 40, 100);
  };
  auto steps = countedSteps([&] {
    for (const Form &form : forms) {
      auto module = compiledStep(moduleText(form));
      ASSERT_NE(module, nullptr);
      Step step = drawn(form);
      ASSERT_TRUE(run(*module, step, step.segments));
      Card::get().nextStep();
    }
  });
  ASSERT_EQ(steps.size(), forms.size());
  for (auto [form, kernels] : llvm::zip(forms, steps)) {
    SCOPED_TRACE(moduleText(form));
    int64_t instructions = 0, pairs = 0;
    for (const KernelCounts &counts : kernels) {
      instructions += counts.tensor;
    }
    for (const Segment &segment : drawn(form).segments) {
      for (int64_t t = 0; t < segment.length; ++t) {
        pairs += segment.position + t + 1;
      }
    }
    if (form.stored == Number::F32) {
      EXPECT_EQ(instructions, 0);
    } else {
      EXPECT_GE(instructions * kMultiplyAdds,
                2 * pairs * form.queries * form.size);
    }
  }
}

} // namespace
