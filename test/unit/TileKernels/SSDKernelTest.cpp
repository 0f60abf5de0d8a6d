// State-space duality of segments against its evaluator, for prompts and for
// decoding, and bit for bit whatever else is in the step.
#include "AttentionForm.h"
#include "Counts.h"
#include "SSDForm.h"
#include "cheems/Reference/Rotary.h"

using namespace cheems::test;
using cheems::reference::Segment;
using cheems::reference::Tensor;

namespace {

/// The states of a slot, of all layers.
std::vector<unsigned char> stateOf(const SSDOutcome &outcome, int64_t slot) {
  return rowsOf(outcome.pool, slot, 1);
}

/// All forms of one kind, each case with one of them.
void holdCases(const std::vector<SSDForm> &forms, int64_t longest) {
  forEachCase([&](uint64_t number) {
    const SSDForm &form = forms[formOf(number, forms.size())];
    TileModule *module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    SSDStep step = drawnStep(form, random, random.between(1, 3), longest);
    auto outcome = run(*module, step, step.segments);
    ASSERT_TRUE(outcome);
    expectNear(step, *outcome);
    // A sequence alone has the same bits.
    for (const Segment &segment : step.segments) {
      auto alone = run(*module, step, {segment});
      ASSERT_TRUE(alone);
      EXPECT_EQ(rowsOf(alone->y, segment.start, segment.length),
                rowsOf(outcome->y, segment.start, segment.length));
      EXPECT_EQ(stateOf(*alone, segment.slot), stateOf(*outcome, segment.slot));
    }
  });
}

const std::vector<SSDForm> decoding = {
    // heads, groups, N, P, skip, factors, one row
    {4, 4, 16, 16, false, Factors::F32, true},
    {4, 2, 64, 64, true, Factors::Pairs, true},
    {2, 1, 128, 32, true, Factors::BF16, true},
    {3, 1, 7, 10, true, Factors::F32, true},
    {2, 2, 36, 100, false, Factors::Pairs, true},
    {1, 1, 256, 128, true, Factors::BF16, true},
};

TEST(SSDKernelTest, DecodingAgreesWithTheEvaluator) { holdCases(decoding, 1); }

constexpr const char *neighbours = R"(
#all = affine_map<(t, n) -> (t, n)>
#one = affine_map<(h) -> (h)>
!x = tensor<?x4x24xf32>
!gate = tensor<?x2x32xf32>
!table = tensor<?x16xf32>
!pool = tensor<?x2x4x32x24xf32>
func.func @ssd(%x: !x, %step: tensor<?x4xf32>, %log: tensor<4xf32>, %b: !gate, %c: !gate, %cosine: !table, %sine: !table, %e: !gate,
               %segments: tensor<?x8xi32>, %layer: index, %y: !x, %pool: !pool, %flat: tensor<?x96xbf16>) -> (tensor<?x96xbf16>, !pool) {
  %none = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%log : tensor<4xf32>) outs(%none : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %power = math.exp %in : f32
    %rate = arith.negf %power : f32
    linalg.yield %rate : f32
  } -> tensor<4xf32>
  %rb = cheems.rotary ins(%b, %cosine, %sine : !gate, !table, !table) outs(%e : !gate) -> !gate
  %rc = cheems.rotary ins(%c, %cosine, %sine : !gate, !table, !table) outs(%e : !gate) -> !gate
  %r:2 = cheems.segmented_ssd one_row ins(%x, %step, %a, %rb, %rc : !x, tensor<?x4xf32>, tensor<4xf32>, !gate, !gate)
      segments(%segments : tensor<?x8xi32>) layer(%layer) outs(%y, %pool : !x, !pool) -> !x, !pool
  %rows = tensor.collapse_shape %r#0 [[0], [1, 2]] : !x into tensor<?x96xf32>
  %rounded = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<?x96xf32>) outs(%flat : tensor<?x96xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %number = arith.truncf %in : f32 to bf16
    linalg.yield %number : bf16
  } -> tensor<?x96xbf16>
  return %rounded, %r#1 : tensor<?x96xbf16>, !pool
}
)";

/// A rotation of few bits is rounded once.
TEST(SSDKernelTest, NeighboursOfARowAreInItsKernel) {
  auto module = compiledStep(neighbours);
  ASSERT_NE(module, nullptr);
  forEachCase([&](uint64_t number) {
    Random random(number);
    SSDStep step = drawnStep({4, 2, 32, 24, false, Factors::F32, true}, random,
                             random.between(1, 3), 1);
    int64_t rows = step.rows();
    Tensor logs = random.tensor({4}, -3, 1),
           b = random.tensor({rows, 2, 32}, -2, 2, Number::BF16),
           c = random.tensor({rows, 2, 32}, -2, 2, Number::BF16);
    cheems::reference::RotaryTable table{
        random.tensor({rows, 16}, -1, 1, Number::BF16),
        random.tensor({rows, 16}, -1, 1, Number::BF16)};
    step.inputs.b = cheems::reference::rotary(b, table);
    step.inputs.c = cheems::reference::rotary(c, table);
    for (int64_t h = 0; h < 4; ++h) {
      step.inputs.a(h) = -std::exp(logs(h));
    }
    SSDOutcome outcome(step);
    Array x(Number::F32, step.inputs.x), steps(Number::F32, step.inputs.step),
        log(Number::F32, logs), gateB(Number::F32, b), gateC(Number::F32, c),
        cosine(Number::F32, table.cosine), sine(Number::F32, table.sine),
        empty(Number::F32, b.shape), y(Number::F32, step.inputs.x.shape),
        flat(Number::BF16, {rows, 96}), segments = tableOf(step.segments, true);
    auto results = module->call("ssd", {&x, &steps, &log, &gateB, &gateC,
                                        &cosine, &sine, &empty, &segments,
                                        step.layer, &y, &outcome.pool, &flat});
    ASSERT_TRUE(results);
    outcome.y = (*results)[0];
    expectNear(step, outcome, kBF16);
  });
}

/// Forms of prompts, each with these factors.
std::vector<SSDForm> promptsOf(Factors factors) {
  return {{4, 4, 16, 16, false, factors, false},
          {2, 1, 64, 64, true, factors, false},
          {3, 1, 7, 10, true, factors, false},
          {2, 2, 36, 100, false, factors, false},
          {1, 1, 128, 64, true, factors, false},
          {1, 1, 96, 17, true, factors, false}};
}
const std::vector<SSDForm> exact = promptsOf(Factors::F32),
                           pairs = promptsOf(Factors::Pairs),
                           prompts = promptsOf(Factors::BF16);

TEST(SSDKernelTest, PromptsInF32AreExact) { holdCases(exact, 150); }

TEST(SSDKernelTest, PromptsInPairsAgreeWithTheEvaluator) {
  holdCases(pairs, 150);
}

TEST(SSDKernelTest, PromptsAgreeWithTheEvaluator) { holdCases(prompts, 150); }

/// Numbers of a step times a power of two.
void scale(Tensor &tensor, int power) {
  for (double &number : tensor.data) {
    number = std::ldexp(number, power);
  }
}

/// Far outside of what f16 has: x and the state before, by as much.
TEST(SSDKernelTest, PairsHaveTheRangeOfF32) {
  const SSDForm &form = pairs[4];
  auto module = compiledStep(textOf(form));
  ASSERT_NE(module, nullptr);
  for (int power : {-90, 90}) {
    SCOPED_TRACE("2 to the power of " + std::to_string(power));
    Random random(3);
    SSDStep step = drawnStep(form, random, 2, 150);
    scale(step.inputs.x, power);
    scale(step.pool, power);
    auto outcome = run(*module, step, step.segments);
    ASSERT_TRUE(outcome);
    expectNear(step, *outcome);
  }
}

/// The greatest numbers of f32 are beyond those of bf16, and an infinite state
/// gives the outputs of its column the sign of c.
TEST(SSDKernelTest, PairsHaveTheGreatestNumbersAndInfinities) {
  const SSDForm &form = pairs[2];
  auto module = compiledStep(textOf(form));
  ASSERT_NE(module, nullptr);
  Random random(5);
  SSDStep step = drawnStep(form, random, 1, 1);
  constexpr int64_t rows = 70;
  step.segments[0] = {1, 0, rows, 5, 0};
  step.inputs.x = random.tensor({rows, form.heads, form.size}, -2, 2);
  step.inputs.step = random.tensor({rows, form.heads}, 0.001, 0.1);
  step.inputs.b = random.tensor({rows, form.groups, form.states}, -2, 2);
  step.inputs.c = random.tensor({rows, form.groups, form.states}, 0.001, 0.01);
  step.inputs.a = random.tensor({form.heads}, -6, -1);
  for (int64_t h = 0; h < form.heads; ++h) {
    for (int64_t p = 0; p < form.size; ++p) {
      double great = p == 1   ? std::numeric_limits<double>::infinity()
                     : p == 2 ? -std::numeric_limits<double>::infinity()
                              : 0x1.fffp127;
      for (int64_t n = 0; n < form.states; ++n) {
        step.pool(1, step.layer, h, n, p) = n == 3 ? great : 1;
      }
    }
  }
  auto outcome = run(*module, step, step.segments);
  ASSERT_TRUE(outcome);
  expectNear(step, *outcome);
}

/// A step that has some rows of a step's only segment.
SSDStep partOf(const SSDStep &step, int64_t from, int64_t past) {
  SSDStep part = step;
  Segment &segment = part.segments[0];
  int64_t first = segment.start + from;
  segment = {segment.slot, 0, past - from, segment.position + from, 0};
  for (Tensor *tensor :
       {&part.inputs.x, &part.inputs.step, &part.inputs.b, &part.inputs.c}) {
    *tensor = tensor->rows(first, past - from);
  }
  return part;
}

/// Chunks are counted from a segment's start, and the state goes from one to
/// the next. A span of them is longer in a longer step.
TEST(SSDKernelTest, CutsAtChunksChangeNoBit) {
  constexpr int64_t chunk = 64;
  std::vector<SSDForm> forms = {exact[0], prompts[1], pairs[1], prompts[2],
                                pairs[2]};
  forEachCase([&](uint64_t number) {
    const SSDForm &form = forms[formOf(number, forms.size())];
    TileModule *module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    int64_t longest = random.once(2) ? 4 * chunk : 20 * chunk;
    SSDStep step = drawnStep(form, random, 1, longest);
    int64_t length = step.rows();
    int64_t cut = std::min(chunk * random.between(1, longest / chunk), length);
    auto together = run(*module, step, step.segments);
    ASSERT_TRUE(together);
    std::vector<unsigned char> y;
    std::optional<SSDOutcome> before;
    for (auto [from, past] : {std::pair(int64_t(0), cut), {cut, length}}) {
      if (from < past) {
        SSDStep part = partOf(step, from, past);
        SSDOutcome outcome(part);
        if (before) {
          outcome.pool = before->pool;
        }
        auto next = run(*module, part, part.segments, &outcome);
        ASSERT_TRUE(next);
        llvm::append_range(y, next->y.bytes());
        before = std::move(next);
      }
    }
    EXPECT_EQ(y, together->y.bytes());
    EXPECT_EQ(before->pool.bytes(), together->pool.bytes());
  });
}

/// Errors of decays do not add up, not even where the state forgets next to
/// nothing or grows.
TEST(SSDKernelTest, LongSequencesKeepTheirState) {
  for (const SSDForm &form : {exact[2], pairs[3], prompts[0]}) {
    auto module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(7);
    SSDStep step = drawnStep(form, random, 1, 1);
    constexpr int64_t rows = 2000;
    step.segments[0].length = rows;
    auto drawn = [&](int64_t heads, int64_t size) {
      return random.tensor({rows, heads, size}, -2, 2, form.inputs());
    };
    step.inputs.x = drawn(form.heads, form.size);
    step.inputs.step = random.tensor({rows, form.heads}, 0.001, 0.1);
    step.inputs.b = drawn(form.groups, form.states);
    step.inputs.c = drawn(form.groups, form.states);
    step.inputs.a = random.tensor({form.heads}, -0.01, 0.01);
    auto outcome = run(*module, step, step.segments);
    ASSERT_TRUE(outcome);
    expectNear(step, *outcome);
  }
}

/// What a prompt of 8,192 rows moves, of the bytes of x, b, c, step and y. It
/// is counted in a process of its own, whose cache is empty.
double movedOfLeast(int64_t heads) {
  constexpr int64_t rows = 8192;
  SSDForm form{heads, 1, 128, 64, true, Factors::BF16, false, true};
  auto steps = countedSteps([&] {
    auto module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(1);
    SSDStep step = drawnStep(form, random, 1, 1);
    step.segments[0] = {1, 0, rows, 0, 0};
    step.inputs.x = Tensor({rows, form.heads, form.size});
    step.inputs.step = Tensor({rows, form.heads});
    step.inputs.b = Tensor({rows, form.groups, form.states});
    step.inputs.c = step.inputs.b;
    ASSERT_TRUE(run(*module, step, step.segments));
  });
  int64_t moved = 0;
  for (const auto &kernels : steps) {
    EXPECT_EQ(kernels.size(), 3U);
    for (const KernelCounts &counts : kernels) {
      moved += counts.moved;
    }
  }
  int64_t least =
      2 * rows *
      (2 * form.heads * form.size + 2 * form.groups * form.states + 2 * heads);
  double ratio = static_cast<double>(moved) / static_cast<double>(least);
  testing::Test::RecordProperty("moved", std::to_string(ratio));
  return ratio;
}

/// All of a prompt is read once, and the state stored once in many chunks.
TEST(SSDKernelTest, PromptsMoveLittleMoreThanTheirInputsAndOutputs) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  double ratio = movedOfLeast(4);
  EXPECT_GT(ratio, 1);
  EXPECT_LE(ratio, 1.2);
}

/// A layer of the model of 320M parameters.
TEST(SSDKernelTest, PromptsOfTwelveHeadsDo) {
  if (!GPU::copiesEarly() || !isLongRun()) {
    GTEST_SKIP() << "in a long run, once";
  }
  double ratio = movedOfLeast(12);
  EXPECT_GT(ratio, 1);
  EXPECT_LE(ratio, 1.2);
}

/// The matmuls of a chunk: of gates, of the state, of weights with x, and what
/// is added to the state. No access to shared memory waits for another one's
/// bank.
TEST(SSDKernelTest, TensorCoresMultiplyAllThatMayBeRounded) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  std::vector<SSDForm> forms = prompts;
  forms.insert(forms.end(), pairs.begin(), pairs.end());
  forms.insert(forms.end(), exact.begin(), exact.end());
  forms.insert(forms.end(), decoding.begin(), decoding.end());
  forms = drawnOf(forms, 3);
  auto drawn = [](const SSDForm &form) {
    Random random(1);
    return drawnStep(form, random, 2, 40);
  };
  auto steps = countedSteps([&] {
    for (const SSDForm &form : forms) {
      auto module = compiledStep(textOf(form));
      ASSERT_NE(module, nullptr);
      SSDStep step = drawn(form);
      ASSERT_TRUE(run(*module, step, step.segments));
      GPU::get().nextStep();
    }
  });
  ASSERT_EQ(steps.size(), forms.size());
  for (auto [form, kernels] : llvm::zip(forms, steps)) {
    SCOPED_TRACE(textOf(form));
    bool isExact = form.used() == Factors::F32;
    EXPECT_EQ(kernels.size(), form.oneRow ? 1U : isExact ? 4U : 3U);
    int64_t together = 0, rows = drawn(form).rows();
    for (const Segment &segment : drawn(form).segments) {
      together += segment.length * (segment.length + 1) / 2;
    }
    int64_t ofAdded = rows * form.states * form.size;
    int64_t ofOutputs = together * (form.states + form.size) + ofAdded;
    for (const KernelCounts &counts : kernels) {
      EXPECT_EQ(counts.conflicts, 0) << counts.kernel;
      int64_t least = counts.kernel == "ssd_states"    ? ofAdded
                      : counts.kernel == "ssd_outputs" ? ofOutputs
                                                       : 0;
      if (!isExact && least > 0) {
        // Pairs take three matmuls.
        int64_t times = form.used() == Factors::Pairs ? 3 : 1;
        EXPECT_GE(counts.tensor * kMultiplyAdds, times * least * form.heads);
      } else {
        EXPECT_EQ(counts.tensor, 0) << counts.kernel;
      }
    }
  }
}

} // namespace
