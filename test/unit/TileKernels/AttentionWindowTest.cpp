// Attention that keeps a window of entries, against its evaluator: prompts that
// are several windows long, windows longer than prompts, and decoding.
#include "AttentionModules.h"
#include "Counts.h"

using namespace cheems::test;
using cheems::MaskKind;
using cheems::reference::Segment;

namespace {

using Forms = std::vector<AttentionForm>;

AttentionForm keeping(int64_t keep, AttentionForm form) {
  form.keep = keep;
  return form;
}

const Forms prompts = {
    keeping(20, {4, 2, 2, 2, 64, Number::BF16, false}),
    keeping(100, {2, 1, 1, 1, 16, Number::BF16, false}),
    keeping(70, {2, 2, 2, 2, 128, Number::BF16, false}),
    keeping(5, {6, 2, 6, 6, 32, Number::BF16, false}),
    keeping(33, {1, 1, 1, 1, 256, Number::BF16, false}),
    keeping(1, {4, 1, 4, 4, 24, Number::BF16, false}),
    keeping(64, {1, 1, 1, 1, 18, Number::BF16, false}),
    keeping(300, {2, 1, 2, 2, 96, Number::BF16, false}),
    keeping(90, {4, 2, 2, 2, 96, Number::BF16, false}),
    keeping(150, {2, 1, 1, 1, 128, Number::BF16, false}),
};

TEST(AttentionWindowTest, PromptsAgreeWithTheEvaluator) {
  holdCases(prompts, 200, 350, units());
}

TEST(AttentionWindowTest, PromptsHaveTheUnitThatIsAskedFor) {
  // Heads of 64, 96 and 128 are as wide as some swizzles.
  expectAskedUnits(prompts, {{0, true}, {2, true}, {7, true}, {3, false}},
                   "attention_of_kept", /*copiesBulk=*/false);
}

const Forms exact = {
    keeping(12, {4, 2, 2, 2, 16, Number::F32, false}),
    keeping(40, {2, 1, 2, 2, 64, Number::F32, false}),
    keeping(7, {1, 1, 1, 1, 36, Number::F32, false}),
    keeping(50, {1, 1, 1, 1, 160, Number::F32, false}),
};

TEST(AttentionWindowTest, EntriesInF32AreExact) { holdCases(exact, 100, 90); }

const Forms coded = {
    keeping(9, {4, 2, 2, 2, 64, Number::I8, false}),
    keeping(30, {2, 1, 2, 2, 22, Number::I8, false}),
    keeping(14, {4, 2, 4, 4, 32, Number::I8, true}),
    keeping(60, {2, 1, 1, 1, 128, Number::I8, true}),
};

TEST(AttentionWindowTest, EntriesInCodesAgreeWithTheEvaluator) {
  holdCases(coded, 100, 90);
}

const Forms decoding = {
    keeping(20, {4, 2, 2, 2, 64, Number::BF16, true}),
    keeping(600, {2, 1, 1, 1, 16, Number::BF16, true}),
    keeping(1, {2, 2, 2, 2, 128, Number::BF16, true}),
    keeping(130, {6, 2, 6, 6, 32, Number::BF16, true}),
    keeping(44, {20, 1, 1, 1, 48, Number::BF16, true}),
    keeping(9, {4, 2, 4, 4, 16, Number::F32, true}),
    keeping(77, {20, 1, 1, 1, 64, Number::F32, true}),
};

TEST(AttentionWindowTest, DecodingAgreesWithTheEvaluator) {
  holdCases(decoding, 1, 700);
}

/// One sequence whose window is full.
AttentionStep drawnFull(const AttentionForm &form, Random &random,
                        int64_t longest) {
  for (;;) {
    AttentionStep step = drawnStep(form, random, 1, longest, 2 * form.keep);
    if (step.segments[0].position >= form.keep) {
      return step;
    }
  }
}

/// A block looks through a window of more than 4,096 entries piece by piece.
TEST(AttentionWindowTest, WindowsMayBeLongerThanWhatABlockHasInRegisters) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "copies are those of shorter windows";
  }
  for (auto [keep, oneRow] :
       {std::pair<int64_t, bool>{4200, true}, {9000, true}, {4200, false}}) {
    AttentionForm form = keeping(keep, {1, 1, 1, 1, 16, Number::F32, oneRow});
    SCOPED_TRACE(textOf(form));
    auto module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(testSeed());
    for (int number = 0; number < (oneRow ? 2 : 1); ++number) {
      AttentionStep step = drawnFull(form, random, /*longest=*/70);
      auto outcome = run(*module, step, step.segments);
      ASSERT_TRUE(outcome);
      expectPools(step, *outcome);
      expectOutputs(step, *outcome);
    }
  }
}

/// Which entries are kept, and where they are, depends on the rows alone.
TEST(AttentionWindowTest, CutsAtBlocksChangeNoBit) {
  Forms forms = {prompts[0], prompts[1], prompts[7], exact[1], coded[0]};
  Modules modules(forms, units());
  forEachCase([&](uint64_t number) {
    auto [module, form, unit] = modules.of(number);
    SCOPED_TRACE(unit + "\n" + textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    AttentionStep step = drawnStep(form, random, 1, 240, 150);
    Segment whole = step.segments[0];
    auto together = run(*module, step, {whole});
    ASSERT_TRUE(together);
    std::optional<AttentionOutcome> pieces;
    constexpr int64_t block = 64;
    int64_t length = block * random.between(1, 2);
    for (int64_t from = 0; from < whole.length; from += length) {
      Segment piece{whole.slot, whole.start + from,
                    std::min(length, whole.length - from),
                    whole.position + from, 0};
      auto next = run(*module, step, {piece}, pieces ? &*pieces : nullptr);
      ASSERT_TRUE(next);
      pieces = std::move(next);
    }
    EXPECT_EQ(pieces->y.bytes(), together->y.bytes());
    EXPECT_EQ(pieces->keys.bytes(), together->keys.bytes());
    EXPECT_EQ(pieces->positions.bytes(), together->positions.bytes());
  });
}

/// Rows that are fed one by one become the same entries at the same indices,
/// with masks of `drawn`, if it is given.
void expectDecodingKeepsTheSame(int64_t keep, uint64_t seed,
                                llvm::function_ref<double(Random &)> drawn) {
  AttentionForm form = keeping(keep, {2, 1, 2, 2, 16, Number::F32, false}),
                row = form;
  row.oneRow = true;
  auto prompt = compiledStep(textOf(form)), decode = compiledStep(textOf(row));
  ASSERT_NE(prompt, nullptr);
  ASSERT_NE(decode, nullptr);
  Random random(seed);
  AttentionStep step = drawnStep(form, random, 1, 90, 60);
  if (drawn) {
    for (double &mask : step.mask.data) {
      mask = drawn(random);
    }
  }
  Segment whole = step.segments[0];
  auto together = run(*prompt, step, {whole});
  ASSERT_TRUE(together);
  step.form.oneRow = true;
  std::optional<AttentionOutcome> one;
  for (int64_t at = 0; at < whole.length; ++at) {
    one = run(*decode, step,
              {{whole.slot, whole.start + at, 1, whole.position + at, 0}},
              one ? &*one : nullptr);
    ASSERT_TRUE(one);
  }
  EXPECT_EQ(one->positions.bytes(), together->positions.bytes());
  EXPECT_EQ(one->keys.bytes(), together->keys.bytes());
  EXPECT_EQ(one->masks.bytes(), together->masks.bytes());
}

TEST(AttentionWindowTest, DecodingKeepsWhatAPromptKeeps) {
  expectDecodingKeepsTheSame(11, 3, nullptr);
}

/// Zeros of both signs are equal, and NaN is the worst of all.
TEST(AttentionWindowTest, MasksMayBeAnyNumbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> extremes = {
      0.0,
      -0.0,
      1,
      -1,
      infinity,
      -infinity,
      0x1p-149,
      -0x1p-149,
      0x1p127,
      -0x1p127,
      std::numeric_limits<double>::quiet_NaN()};
  for (int64_t keep : {11, 66}) {
    expectDecodingKeepsTheSame(
        keep, testSeed() + uint64_t(keep), [&](Random &random) {
          return extremes[size_t(
              random.between(0, int64_t(extremes.size()) - 1))];
        });
  }
}

/// Each row is better than the one before it, and worse than two of the first
/// rows: so it takes the place of the one before it, in one long chain.
TEST(AttentionWindowTest, ChainsOfReplacedRowsMayBeLong) {
  AttentionForm form = keeping(3, {1, 1, 1, 1, 16, Number::F32, false});
  auto module = compiledStep(textOf(form));
  ASSERT_NE(module, nullptr);
  // More than a block of threads takes at a time.
  constexpr int64_t rows = 4200;
  Random random(7);
  AttentionStep step = drawnStep(form, random, 1, 90, 0);
  ASSERT_GE(step.capacity, form.keep + 64);
  step.segments = {{1, 0, rows, 0, 0}};
  for (auto *tensor : {&step.query, &step.key, &step.value}) {
    *tensor = random.tensor({rows, 1, form.size}, -2, 2, Number::BF16);
  }
  step.mask = cheems::reference::Tensor({rows, 1});
  for (int64_t t = 0; t < rows; ++t) {
    step.mask.data[size_t(t)] = t < 2 ? 9 : double(t) / 1024;
  }
  auto outcome = run(*module, step, step.segments);
  ASSERT_TRUE(outcome);
  std::vector<double> positions;
  for (int64_t entry : {0, 1, 2}) {
    int64_t of = ((step.layer + 2) * step.capacity) + entry; // slot 1
    positions.push_back(outcome->positions.get(of));
  }
  EXPECT_EQ(positions, (std::vector<double>{0, 1, rows - 1}));
  expectOutputs(step, *outcome);
}

/// Entries that lists number come to shared memory as others do: no access
/// waits for another one's bank, and tensor cores multiply them.
TEST(AttentionWindowTest, ListedEntriesAreReadWithoutConflicts) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  // Compiled for the test of units, too.
  const Forms forms = isLongRun() ? prompts : Forms{prompts[2], prompts[3]};
  auto steps = countedSteps([&] {
    for (const std::string &unit : units()) {
      for (const AttentionForm &form : forms) {
        auto module = compiledStep(textOf(form), unit);
        ASSERT_NE(module, nullptr);
        Random random(1);
        AttentionStep step = drawnStep(form, random, 2, 100, 60);
        ASSERT_TRUE(run(*module, step, step.segments));
        GPU::get().nextStep();
      }
    }
  });
  ASSERT_EQ(steps.size(), units().size() * forms.size());
  for (const auto &[number, kernels] : llvm::enumerate(steps)) {
    const AttentionForm &form = forms[number % forms.size()];
    SCOPED_TRACE(textOf(form));
    int64_t instructions = 0;
    for (const KernelCounts &counts : kernels) {
      // Chains of rows lead anywhere, and masks count where they want.
      if (counts.kernel != "place_kept_rows" &&
          counts.kernel != "keep_entries") {
        EXPECT_EQ(counts.conflicts, 0) << counts.kernel;
      }
      instructions += counts.tensor;
    }
    EXPECT_GT(instructions, 0);
  }
}

/// Pools that have no more than the window hold sequences that drop nothing:
/// the launches are those of attention without a window, and so are the bits.
TEST(AttentionWindowTest, PoolsThatTheWindowCoversAreReadAsWithoutOne) {
  for (bool oneRow : {false, true}) {
    AttentionForm all{4, 2, 2, 2, 64, Number::BF16, oneRow},
        kept = keeping(400, all);
    auto plain = compiledStep(textOf(all)), window = compiledStep(textOf(kept));
    ASSERT_NE(plain, nullptr);
    ASSERT_NE(window, nullptr);
    Random random(5);
    AttentionStep step = drawnStep(all, random, 2, 100, 150);
    auto want = run(*plain, step, step.segments);
    ASSERT_TRUE(want);
    step.form = kept;
    step.positions = cheems::reference::Tensor(
        {step.slots, step.keys.shape[1], 2, step.capacity});
    ASSERT_LE(step.capacity, kept.keep);
    auto got = run(*window, step, step.segments);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->y.bytes(), want->y.bytes());
    EXPECT_EQ(got->keys.bytes(), want->keys.bytes());
  }
}

} // namespace
