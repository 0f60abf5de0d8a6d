// ssd_chunk that may round its factors to bf16, on tiles, against the evaluator
// that rounds the same.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/SSD.h"

using namespace cheems::test;
using cheems::reference::SSDInputs;
using cheems::reference::SSDResult;

namespace {
struct Shape {
  int64_t heads, groups, headSize, stateSize;
};
// Around tiles of 16, pairs of them, and pairs of bf16.
constexpr Shape kShapes[] = {{1, 1, 1, 1},    {4, 2, 16, 24}, {3, 3, 7, 5},
                             {2, 1, 33, 16},  {3, 1, 64, 32}, {6, 2, 3, 7},
                             {1, 1, 128, 33}, {2, 2, 17, 64}, {2, 1, 48, 128},
                             {2, 1, 65, 2}};

std::string nameOf(size_t shape, const std::string &kind) {
  return kind + std::to_string(shape);
}

std::string text(size_t index, const std::string &kind,
                 const std::string &rows) {
  const Shape &shape = kShapes[index];
  std::string h = std::to_string(shape.heads),
              p = std::to_string(shape.headSize),
              g = std::to_string(shape.groups),
              n = std::to_string(shape.stateSize);
  std::string x = rows + "x" + h + "x" + p + "xf32",
              step = rows + "x" + h + "xf32", head = h + "xf32",
              b = rows + "x" + g + "x" + n + "xf32",
              state = h + "x" + n + "x" + p + "xf32";
  FunctionText function(nameOf(index, kind));
  function.input("x", x).input("dt", step).input("a", head).input("b", b);
  function.input("c", b).input("d", head).output("y", x).output("h", state);
  function.line(
      "%r:2 = cheems_cpu.ssd allow_bf16 ins(%x, %dt, %a, %b, %c : tensor<" + x +
      ">, tensor<" + step + ">, tensor<" + head + ">, tensor<" + b +
      ">, tensor<" + b + ">) skip(%d : tensor<" + head +
      ">) outs(%y, %h : tensor<" + x + ">, tensor<" + state + ">) -> tensor<" +
      x + ">, tensor<" + state + ">");
  return function.store("%r#0", "y", x).store("%r#1", "h", state).text();
}

Tensor part(const Tensor &x, int64_t from, int64_t count) {
  llvm::SmallVector<int64_t, 4> shape = x.shape;
  auto size = static_cast<int64_t>(x.data.size()) / x.shape[0];
  shape[0] = count;
  auto begin = x.data.begin() + from * size;
  return Tensor(shape, std::vector<double>(begin, begin + count * size));
}

SSDInputs part(SSDInputs inputs, int64_t from, int64_t count) {
  for (Tensor *x : {&inputs.x, &inputs.step, &inputs.b, &inputs.c}) {
    *x = part(*x, from, count);
  }
  return inputs;
}

SSDInputs draw(Random &random, const Shape &shape, int64_t rows) {
  return {random.tensor({rows, shape.heads, shape.headSize}, -2, 2),
          random.tensor({rows, shape.heads}, 0.001, 0.5),
          random.tensor({shape.heads}, -8, 0.05),
          random.tensor({rows, shape.groups, shape.stateSize}, -2, 2),
          random.tensor({rows, shape.groups, shape.stateSize}, -2, 2),
          random.tensor({shape.heads}, -1, 1)};
}

struct Outcome {
  Buffer y, state;
  bool operator==(const Outcome &other) const {
    return y.bytes() == other.y.bytes() && state.bytes() == other.state.bytes();
  }
};

Outcome run(CompiledModule &module, const std::string &name,
            const SSDInputs &inputs, Buffer state) {
  Buffer x(Element::F32, inputs.x), step(Element::F32, inputs.step),
      a(Element::F32, inputs.a), b(Element::F32, inputs.b),
      c(Element::F32, inputs.c), d(Element::F32, *inputs.skip),
      y(Element::F32, inputs.x.shape);
  module.call(name, inputs.x.shape[0], {&x, &step, &a, &b, &c, &d, &y, &state});
  return {std::move(y), std::move(state)};
}

/// Chunk after chunk, as `chunk` rows are compiled.
SSDResult evaluate(const SSDInputs &inputs, Tensor state, int64_t chunk) {
  Tensor y(inputs.x.shape);
  auto at = y.data.begin();
  for (int64_t from = 0; from < inputs.x.shape[0]; from += chunk) {
    int64_t count = std::min(chunk, inputs.x.shape[0] - from);
    SSDResult next = cheems::reference::ssdChunk(part(inputs, from, count),
                                                 std::move(state), true);
    at = std::copy(next.y.data.begin(), next.y.data.end(), at);
    state = std::move(next.state);
  }
  return {std::move(y), std::move(state)};
}

double rootMeanSquare(const Tensor &x) {
  double squares = 0;
  for (double value : x.data) {
    squares += value * value;
  }
  return std::sqrt(squares / static_cast<double>(x.data.size()));
}

/// Both round the same values, but for f32's errors: now and then one lies so
/// near the middle of two bf16 that they part by a unit, 2^-8 of one term of a
/// sum, which is what a single element may differ by. Most agree far better:
/// in the mean over all elements such terms do not count.
void expectNear(const Buffer &got, const Tensor &want) {
  double scale = rootMeanSquare(want), squares = 0;
  for (size_t i = 0; i < want.data.size(); ++i) {
    double error = got.get(static_cast<int64_t>(i)) - want.data[i];
    ASSERT_LE(std::abs(error), 0x1p-7 * (scale + std::abs(want.data[i])) + 1e-6)
        << i;
    squares += error * error;
  }
  EXPECT_LE(std::sqrt(squares / static_cast<double>(want.data.size())),
            0x1p-11 * scale + 1e-6);
}

class SSDBF16Test : public testing::Test {
protected:
  static constexpr int64_t kChunk = 64;

  void SetUp() override {
    if (std::string missing = lacking(Mode::AMX); !missing.empty()) {
      GTEST_SKIP() << "this machine lacks " << missing;
    }
    static std::unique_ptr<CompiledModule> compiled = [] {
      std::string all;
      for (size_t i = 0; i < std::size(kShapes); ++i) {
        all += text(i, "ssd_", "?") + text(i, "decode_", "1");
      }
      return CompiledModule::compile(all, Mode::AMX, kChunk);
    }();
    module = compiled.get();
    ASSERT_NE(module, nullptr);
  }
  CompiledModule *module = nullptr;
};

TEST_F(SSDBF16Test, AgreesWithTheEvaluatorThatRounds) {
  Random random(41);
  for (int64_t i = 0; i < caseCount(); ++i) {
    auto shape = static_cast<size_t>(i) % std::size(kShapes);
    const Shape &s = kShapes[shape];
    SSDInputs inputs = draw(random, s, random.rows(i % 3 ? 70 : 200));
    Tensor state = random.tensor({s.heads, s.stateSize, s.headSize}, -2, 2);
    SCOPED_TRACE(nameOf(shape, "ssd_") + ", " +
                 std::to_string(inputs.x.shape[0]) + " rows");
    Outcome got = run(*module, nameOf(shape, "ssd_"), inputs,
                      Buffer(Element::F32, state));
    SSDResult want = evaluate(inputs, state, kChunk);
    expectNear(got.y, want.y);
    expectNear(got.state, want.state);
  }
}

TEST_F(SSDBF16Test, OneRowIsNotRounded) {
  Random random(42);
  for (size_t shape = 0; shape < std::size(kShapes); ++shape) {
    const Shape &s = kShapes[shape];
    SSDInputs inputs = draw(random, s, 1);
    Tensor state = random.tensor({s.heads, s.stateSize, s.headSize}, -2, 2);
    EXPECT_EQ(run(*module, nameOf(shape, "ssd_"), inputs,
                  Buffer(Element::F32, state)),
              run(*module, nameOf(shape, "decode_"), inputs,
                  Buffer(Element::F32, state)));
  }
}

TEST_F(SSDBF16Test, CutBetweenChunksTheBitsAreTheSame) {
  Random random(43);
  for (size_t shape = 0; shape < std::size(kShapes); ++shape) {
    const Shape &s = kShapes[shape];
    for (int64_t rest : {1, 2, 31, 37, 64}) {
      SSDInputs inputs = draw(random, s, kChunk + rest);
      Tensor state = random.tensor({s.heads, s.stateSize, s.headSize}, -2, 2);
      std::string name = nameOf(shape, "ssd_");
      Outcome whole = run(*module, name, inputs, Buffer(Element::F32, state));
      Outcome first = run(*module, name, part(inputs, 0, kChunk),
                          Buffer(Element::F32, state));
      Outcome second = run(*module, name, part(inputs, kChunk, rest),
                           std::move(first.state));
      std::vector<unsigned char> y(first.y.bytes());
      y.insert(y.end(), second.y.bytes().begin(), second.y.bytes().end());
      EXPECT_EQ(whole.y.bytes(), llvm::ArrayRef<unsigned char>(y));
      EXPECT_EQ(whole.state.bytes(), second.state.bytes());
    }
  }
}

TEST_F(SSDBF16Test, LaterRowsChangeNoBits) {
  Random random(44);
  for (size_t shape = 0; shape < std::size(kShapes); ++shape) {
    const Shape &s = kShapes[shape];
    for (int64_t rows : {2, 16, 17, 33, 63}) {
      SSDInputs inputs = draw(random, s, kChunk);
      Tensor state = random.tensor({s.heads, s.stateSize, s.headSize}, -2, 2);
      std::string name = nameOf(shape, "ssd_");
      Outcome whole = run(*module, name, inputs, Buffer(Element::F32, state));
      Outcome some = run(*module, name, part(inputs, 0, rows),
                         Buffer(Element::F32, state));
      EXPECT_EQ(whole.y.bytes().take_front(some.y.bytes().size()),
                some.y.bytes());
    }
  }
}
} // namespace
