// ssd and ssd_chunk, compiled, against their evaluator and each other.
#include "cheems/Reference/SSD.h"
#include "Cases.h"
#include "ModuleText.h"
#include "gmock/gmock.h"
#include <array>

using namespace cheems::test;
using cheems::reference::SSDInputs;
using cheems::reference::SSDResult;
using cheems::reference::Tensor;

namespace {
class SSDTest : public KernelTest {};
CHEEMS_EVERY_MODE(SSDTest);

constexpr int64_t kChunk = 64; // rows, of the targets' strategies

struct Form {
  int64_t heads, groups, headSize, stateSize;
  bool skip;

  std::string name() const {
    std::ostringstream text;
    text << "H" << heads << "_G" << groups << "_P" << headSize << "_N"
         << stateSize << (skip ? "_skip" : "");
    return text.str();
  }

  /// The function `op`_name around one op of `rows` rows.
  std::string function(const std::string &op, const std::string &prefix,
                       const std::string &rows) const {
    std::string h = std::to_string(heads), p = std::to_string(headSize),
                n = std::to_string(stateSize), g = std::to_string(groups);
    std::string x = rows + "x" + h + "x" + p + "xf32",
                step = rows + "x" + h + "xf32",
                b = rows + "x" + g + "x" + n + "xf32",
                state = h + "x" + n + "x" + p + "xf32", head = h + "xf32";
    FunctionText function(prefix + name());
    function.input("x", x)
        .input("dt", step)
        .input("a", head)
        .input("b", b)
        .input("c", b);
    std::string text = "%r:2 = cheems_cpu." + op +
                       " ins(%x, %dt, %a, %b, %c : tensor<" + x + ">, tensor<" +
                       step + ">, tensor<" + head + ">, tensor<" + b +
                       ">, tensor<" + b + ">)";
    if (skip) {
      function.input("d", head);
      text += " skip(%d : tensor<" + head + ">)";
    }
    function.output("y", x).output("h", state);
    text += " outs(%y, %h : tensor<" + x + ">, tensor<" + state +
            ">) -> tensor<" + x + ">, tensor<" + state + ">";
    return function.line(text)
        .store("%r#0", "y", x)
        .store("%r#1", "h", state)
        .text();
  }

  std::string text() const {
    return function("ssd", "ssd_", "?") + function("ssd", "decode_", "1") +
           function("ssd_chunk", "chunk_", "?");
  }
};

// Heads in groups of one, some and all; sizes around vectors and tiles of rows.
constexpr Form kForms[] = {
    {1, 1, 1, 1, false},    {4, 2, 16, 24, true},  {3, 3, 7, 5, false},
    {2, 1, 33, 16, true},   {2, 1, 64, 32, false}, {6, 2, 3, 7, true},
    {1, 1, 128, 33, true},  {4, 1, 8, 3, false},   {2, 2, 17, 64, true},
    {1, 1, 48, 128, false}, {2, 1, 5, 1, true},    {2, 1, 100, 2, false},
};

/// One sequence and the state before it.
struct Case {
  const Form &form;
  SSDInputs inputs;
  Tensor state;

  Case(Random &random, const Form &form, int64_t rows, bool fresh)
      : form(form),
        inputs{random.tensor({rows, form.heads, form.headSize}, -2, 2),
               random.tensor({rows, form.heads}, 0.001, 0.5),
               Tensor({form.heads}),
               random.tensor({rows, form.groups, form.stateSize}, -2, 2),
               random.tensor({rows, form.groups, form.stateSize}, -2, 2),
               std::nullopt},
        state({form.heads, form.stateSize, form.headSize}) {
    for (double &a : inputs.a.data) {
      // Forgetting, remembering and slowly growing heads.
      constexpr double ranges[][2] = {{-8, -0.1}, {-1e-3, 1e-3}, {0, 0.05}};
      const auto &range = ranges[random.between(0, 2)];
      a = rounded(random.uniform(range[0], range[1]), Element::F32);
    }
    if (form.skip) {
      inputs.skip = random.tensor({form.heads}, -1, 1);
    }
    if (!fresh) {
      state = random.tensor(state.shape, -2, 2);
    }
  }

  int64_t rows() const { return inputs.x.shape[0]; }
};

/// Rows [from, from + count) of `x`.
Tensor rowsOf(const Tensor &x, int64_t from, int64_t count) {
  llvm::SmallVector<int64_t, 4> shape = x.shape;
  int64_t size = static_cast<int64_t>(x.data.size()) / x.shape[0];
  shape[0] = count;
  auto begin = x.data.begin() + from * size;
  return Tensor(shape, std::vector<double>(begin, begin + count * size));
}

struct Outcome {
  Buffer y, state;

  bool operator==(const Outcome &other) const {
    return y.bytes() == other.y.bytes() && state.bytes() == other.state.bytes();
  }
};

Outcome run(CompiledModule &module, const std::string &prefix, const Form &form,
            const SSDInputs &inputs, Buffer state) {
  Buffer x(Element::F32, inputs.x), step(Element::F32, inputs.step),
      a(Element::F32, inputs.a), b(Element::F32, inputs.b),
      c(Element::F32, inputs.c), y(Element::F32, inputs.x.shape);
  std::vector<const Buffer *> buffers{&x, &step, &a, &b, &c};
  Buffer skip(Element::F32, inputs.skip ? *inputs.skip : Tensor({1}));
  if (inputs.skip) {
    buffers.push_back(&skip);
  }
  buffers.insert(buffers.end(), {&y, &state});
  module.call(prefix + form.name(), inputs.x.shape[0], buffers);
  return {std::move(y), std::move(state)};
}
Outcome run(CompiledModule &module, const std::string &prefix,
            const Case &one) {
  return run(module, prefix, one.form, one.inputs,
             Buffer(Element::F32, one.state));
}

Tensor magnitude(Tensor x) {
  for (double &value : x.data) {
    value = std::abs(value);
  }
  return x;
}

/// The result and how much either form may err.
///
/// A term of y or of the state is a product of inputs and of decays, at most
/// one per row. The recurrence rounds a*step, exponentiates (5 units in the
/// last place) and multiplies once per row; the dual form exponentiates one
/// sum, which it has rounded once. Sums run over the rows and over N.
/// Everything is relative to the sum of the terms' magnitudes, which the
/// recurrence over magnitudes gives. Decays may underflow to zero.
struct Expected {
  SSDResult want, bound;

  explicit Expected(const Case &one)
      : want(cheems::reference::ssd(one.inputs, one.state)) {
    SSDInputs sizes = one.inputs;
    double largest = 0;
    for (int64_t t = 0; t < one.rows(); ++t) {
      for (int64_t h = 0; h < one.form.heads; ++h) {
        largest = std::max(largest, std::abs(sizes.a(h) * sizes.step(t, h)));
      }
    }
    for (Tensor *x : {&sizes.x, &sizes.b, &sizes.c}) {
      *x = magnitude(*x);
    }
    if (sizes.skip) {
      sizes.skip = magnitude(*sizes.skip);
    }
    bound = cheems::reference::ssd(sizes, magnitude(one.state));
    auto count = static_cast<double>(one.rows()),
         n = static_cast<double>(one.form.stateSize);
    double units = (count * (13 + largest) + n + 16) * kUnit;
    double lost = (count + 1) * (n + 1) * 16 * kTiny;
    for (Tensor *x : {&bound.y, &bound.state}) {
      for (double &value : x->data) {
        value = value * units / (1 - units) + lost;
      }
    }
  }

  void expect(const Outcome &got) const {
    EXPECT_TRUE(within(got.y, want.y, bound.y));
    EXPECT_TRUE(within(got.state, want.state, bound.state));
  }
};

/// Compiled once a mode.
CompiledModule *compiled(Mode mode) {
  static CompiledModules modules(
      [](Mode mode) { return textOfAll(formsOf(mode, kForms)); });
  return modules.of(mode);
}

std::string describe(const Case &one) {
  return one.form.name() + ", " + std::to_string(one.rows()) + " rows";
}

TEST_P(SSDTest, AgreesWithTheEvaluator) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(31);
  const std::vector<Form> forms = formsOf(GetParam(), kForms);
  auto count = static_cast<int64_t>(forms.size());
  for (int64_t i = 0; i < std::max<int64_t>(caseCount(), 200); ++i) {
    // Short ones around the tiles, and some of several chunks.
    int64_t most = i / count % 3 == 0 ? 200 : 70;
    Case one(random, forms[i % count], random.rows(most), random.once(2));
    SCOPED_TRACE(describe(one));
    Expected expected(one);
    expected.expect(run(*module, "ssd_", one));
    expected.expect(run(*module, "chunk_", one));
  }
}

TEST_P(SSDTest, NoRowsLeaveTheState) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(32);
  for (const Form &form : formsOf(GetParam(), kForms)) {
    Case one(random, form, 0, false);
    Buffer before(Element::F32, one.state);
    EXPECT_EQ(run(*module, "ssd_", one).state.bytes(), before.bytes());
    EXPECT_EQ(run(*module, "chunk_", one).state.bytes(), before.bytes());
  }
}

TEST_P(SSDTest, ADecodedRowIsAChunkOfOneRow) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(33);
  for (const Form &form : formsOf(GetParam(), kForms)) {
    SCOPED_TRACE(form.name());
    Case one(random, form, 1, false);
    Outcome decoded = run(*module, "decode_", one);
    Expected(one).expect(decoded);
    EXPECT_EQ(run(*module, "ssd_", one), decoded);
    EXPECT_EQ(run(*module, "chunk_", one), decoded);
  }
}

TEST_P(SSDTest, CutBetweenChunksTheBitsAreTheSame) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(34);
  for (const Form &form : formsOf(GetParam(), kForms)) {
    for (int64_t rest : {1, 2, 37, 70}) {
      Case one(random, form, 2 * kChunk + rest, false);
      SCOPED_TRACE(describe(one));
      Outcome whole = run(*module, "ssd_", one);
      std::optional<Buffer> state(std::in_place, Element::F32, one.state);
      std::vector<unsigned char> y;
      for (int64_t from : {int64_t(0), kChunk, 2 * kChunk}) {
        int64_t count = from == 2 * kChunk ? rest : kChunk;
        SSDInputs part = one.inputs;
        for (Tensor *x : {&part.x, &part.step, &part.b, &part.c}) {
          *x = rowsOf(*x, from, count);
        }
        Outcome next = run(*module, count == 1 ? "decode_" : "ssd_", form, part,
                           std::move(*state));
        y.insert(y.end(), next.y.bytes().begin(), next.y.bytes().end());
        state.emplace(std::move(next.state));
      }
      EXPECT_EQ(whole.y.bytes(), llvm::ArrayRef<unsigned char>(y));
      EXPECT_EQ(whole.state.bytes(), state->bytes());
    }
  }
}

TEST_P(SSDTest, ARowSeesNothingOfLaterRows) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(35);
  for (const Form &form : formsOf(GetParam(), kForms)) {
    for (int64_t rows : {2, 5, 8, 31, 64}) {
      Case one(random, form, rows, false);
      SCOPED_TRACE(describe(one));
      Outcome before = run(*module, "chunk_", one);
      for (int64_t h = 0; h < form.heads; ++h) {
        for (int64_t p = 0; p < form.headSize; ++p) {
          one.inputs.x(rows - 1, h, p) =
              std::numeric_limits<double>::infinity();
        }
      }
      Outcome after = run(*module, "chunk_", one);
      size_t earlier = before.y.bytes().size() / static_cast<size_t>(rows) *
                       static_cast<size_t>(rows - 1);
      EXPECT_EQ(before.y.bytes().take_front(earlier),
                after.y.bytes().take_front(earlier));
    }
  }
}

class SSDChunkSizeTest : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(, SSDChunkSizeTest,
                         testing::Values(Mode::Narrow, Mode::Wide),
                         [](const testing::TestParamInfo<Mode> &info) {
                           return nameOf(info.param);
                         });

TEST_P(SSDChunkSizeTest, AnyChunkAgreesWithinRounding) {
  std::string text;
  for (const Form &form : formsOf(GetParam(), kForms)) {
    text += form.function("ssd", "ssd_", "?");
  }
  // Beside the target's own choice.
  auto small = CompiledModule::compile(text, GetParam(), 16),
       large = CompiledModule::compile(text, GetParam(), 256);
  std::array modules{compiled(GetParam()), small.get(), large.get()};
  ASSERT_THAT(modules, testing::Each(testing::NotNull()));
  Random random(36);
  bool differ = false;
  for (const Form &form : formsOf(GetParam(), kForms)) {
    for (int64_t rows : {1, 16, 17, 63, 65, 200, 257}) {
      Case one(random, form, rows, random.once(2));
      SCOPED_TRACE(describe(one));
      Expected expected(one);
      std::vector<Outcome> outcomes;
      for (CompiledModule *module : modules) {
        outcomes.push_back(run(*module, "ssd_", one));
        expected.expect(outcomes.back());
      }
      for (const Outcome &outcome : outcomes) {
        differ |= !(outcome == outcomes.front());
        for (int64_t i = 0; i < outcome.y.elements(); ++i) {
          ASSERT_LE(std::abs(outcome.y.get(i) - outcomes.front().y.get(i)),
                    expected.bound.y.data[static_cast<size_t>(i)]);
        }
      }
    }
  }
  EXPECT_TRUE(differ) << "the option changes nothing";
}
} // namespace
