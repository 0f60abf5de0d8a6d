// Attention of segments against its evaluator, for prompts and for decoding,
// and bit for bit whatever else is in the step.
#include "AttentionModules.h"
#include "Counts.h"
#include <map>

using namespace cheems::test;
using cheems::MaskKind;
using cheems::reference::Segment;
using cheems::reference::Tensor;

namespace {

const std::vector<AttentionForm> prompts = {
    {4, 2, 2, 2, 64, Number::BF16, false},
    {2, 1, 1, 1, 16, Number::BF16, false},
    {2, 2, 2, 2, 128, Number::BF16, false},
    {6, 2, 2, 6, 32, Number::BF16, false},
    {1, 1, 1, 1, 256, Number::BF16, false},
    {4, 1, 2, 4, 24, Number::BF16, false},
    {2, 1, 1, 2, 96, Number::BF16, false},
    {1, 1, 1, 1, 18, Number::BF16, false},
    {6, 2, 2, 6, 128, Number::BF16, false},
    {4, 1, 4, 4, 64, Number::BF16, false},
    {8, 2, 2, 2, 128, Number::BF16, false},
};

TEST(AttentionKernelTest, PromptsAgreeWithTheEvaluator) {
  holdCases(prompts, 150, 200, units());
}

/// Bits of outputs and pools.
void expectSame(const AttentionOutcome &a, const AttentionOutcome &c) {
  EXPECT_EQ(a.y.bytes(), c.y.bytes());
  EXPECT_EQ(a.keys.bytes(), c.keys.bytes());
  EXPECT_EQ(a.values.bytes(), c.values.bytes());
  EXPECT_EQ(a.masks.bytes(), c.masks.bytes());
}

/// Forms that warpgroups take, of all kinds of masks.
const std::vector<AttentionForm> panelled = {
    {4, 2, 2, 2, 64, Number::BF16, false},
    {2, 1, 1, 2, 128, Number::BF16, false},
    {1, 1, 1, 1, 96, Number::BF16, false},
    {4, 2, 2, 4, 64, Number::BF16, false, MaskKind::Scale},
    {2, 1, 1, 1, 64, Number::BF16, false, MaskKind::Threshold, 0, 2},
    {4, 2, 2, 2, 128, Number::BF16, false, MaskKind::None},
    {2, 1, 1, 1, 64, Number::BF16, false, MaskKind::None, 0, 0, {}, 50},
    {2,
     2,
     2,
     2,
     64,
     Number::BF16,
     false,
     MaskKind::Threshold,
     0,
     1,
     {true, false}},
};

/// Who copies entries changes no bit, nor does what lies where none is stored:
/// a bulk copy brings that, too.
TEST(AttentionKernelTest, CopiesChangeNoBit) {
  if (units().front() != "wgmma") {
    GTEST_SKIP() << "the GPU has no bulk copies";
  }
  Modules bulk(panelled, {"wgmma"}), threads(panelled, {"wgmma copy=threads"});
  forEachCase([&](uint64_t number) {
    auto [module, form, unit] = bulk.of(number);
    TileModule *other = threads.of(number).module;
    ASSERT_NE(module, nullptr);
    ASSERT_NE(other, nullptr);
    SCOPED_TRACE(textOf(form));
    Random random(number);
    AttentionStep step = drawnStep(form, random, random.between(1, 2), 90, 130);
    auto first = run(*module, step, step.segments),
         second = run(*other, step, step.segments);
    ASSERT_TRUE(first && second);
    expectSame(*first, *second);
    // What others have left, in place of NaN.
    AttentionStep left = step;
    for (Tensor *pool : {&left.keys, &left.values, &left.masks}) {
      for (double &each : pool->data) {
        each = std::isnan(each) ? random.uniform(-1e30, 1e30) : each;
      }
    }
    auto third = run(*module, left, left.segments);
    ASSERT_TRUE(third);
    EXPECT_EQ(third->y.bytes(), first->y.bytes());
  });
}

TEST(AttentionKernelTest, PromptsHaveTheUnitThatIsAskedFor) {
  // Heads of 64, 96 and 128 are as wide as some swizzles.
  expectAskedUnits(prompts, {{0, true}, {2, true}, {6, true}, {3, false}},
                   "attention", /*copiesBulk=*/true);
}

const std::vector<AttentionForm> exact = {
    {4, 2, 2, 2, 16, Number::F32, false}, {2, 1, 1, 2, 64, Number::F32, false},
    {1, 1, 1, 1, 36, Number::F32, false}, {1, 1, 1, 1, 160, Number::F32, false},
    {4, 2, 2, 4, 16, Number::F32, true},  {2, 1, 1, 1, 128, Number::F32, true},
};

TEST(AttentionKernelTest, EntriesInF32AreExact) { holdCases(exact, 80, 100); }

const std::vector<AttentionForm> coded = {
    {4, 2, 2, 2, 64, Number::I8, false},
    {2, 1, 1, 2, 22, Number::I8, false},
    {4, 2, 2, 4, 32, Number::I8, true},
    {2, 1, 1, 1, 128, Number::I8, true},
    {20, 1, 1, 4, 16, Number::I8, true},
    {4, 2, 2, 4, 24, Number::I8, false, MaskKind::Scale},
    {4, 2, 2, 4, 16, Number::I8, true, MaskKind::Threshold, 0, 2},
    {2, 1, 1, 1, 16, Number::I8, false, MaskKind::Threshold, 0, 3},
};

TEST(AttentionKernelTest, EntriesInCodesAgreeWithTheEvaluator) {
  holdCases(coded, 80, 100);
}

const std::vector<AttentionForm> decoding = {
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

const std::vector<AttentionForm> unmasked = {
    {9, 3, 3, 3, 64, Number::BF16, false, MaskKind::None},
    {4, 2, 2, 2, 128, Number::BF16, false, MaskKind::None},
    {8, 1, 1, 1, 80, Number::BF16, false, MaskKind::None},
    {2, 2, 2, 2, 24, Number::F32, false, MaskKind::None},
    {4, 2, 2, 2, 96, Number::I8, false, MaskKind::None},
    {9, 3, 3, 3, 64, Number::BF16, true, MaskKind::None},
    {20, 1, 1, 1, 48, Number::BF16, true, MaskKind::None},
    {4, 2, 2, 2, 16, Number::F32, true, MaskKind::None},
    {4, 2, 2, 2, 32, Number::I8, true, MaskKind::None},
    {20, 1, 1, 1, 16, Number::I8, true, MaskKind::None},
};

TEST(AttentionKernelTest, NoMasks) { holdCases(unmasked, 130, 400, units()); }

AttentionForm seeing(int64_t window, AttentionForm form) {
  form.kind = MaskKind::None;
  form.window = window;
  return form;
}

const std::vector<AttentionForm> windows = {
    seeing(1, {4, 2, 2, 2, 64, Number::BF16, false}),
    seeing(70, {9, 3, 3, 3, 64, Number::BF16, false}),
    seeing(200, {4, 2, 2, 2, 128, Number::BF16, false}),
    seeing(33, {8, 1, 1, 1, 80, Number::BF16, false}),
    seeing(64, {2, 2, 2, 2, 24, Number::F32, false}),
    seeing(20, {4, 2, 2, 2, 32, Number::I8, false}),
    seeing(300, {9, 3, 3, 3, 64, Number::BF16, true}),
    seeing(1, {20, 1, 1, 1, 48, Number::BF16, true}),
    seeing(40, {4, 2, 2, 2, 16, Number::F32, true}),
    seeing(257, {4, 2, 2, 2, 32, Number::I8, true}),
};

TEST(AttentionKernelTest, WindowsOfRows) {
  holdCases(windows, 130, 900, units());
}

// Sequences that are longer than the ring of their entries.
TEST(AttentionKernelTest, RingsOfRows) {
  holdCases(windows, 130, 5000, units());
}

const std::vector<AttentionForm> scaled = {
    {4, 2, 2, 4, 64, Number::BF16, false, MaskKind::Scale},
    {2, 1, 1, 1, 16, Number::F32, false, MaskKind::Scale},
    {4, 2, 2, 2, 24, Number::BF16, true, MaskKind::Scale},
    {4, 2, 2, 4, 16, Number::F32, true, MaskKind::Scale},
    {2, 1, 1, 2, 96, Number::BF16, false, MaskKind::Scale},
};

TEST(AttentionKernelTest, MasksThatScaleWeights) {
  holdCases(scaled, 130, 200, units());
}

AttentionForm hiding(AttentionForm form, double below,
                     std::vector<bool> visible = {}) {
  form.kind = MaskKind::Threshold;
  form.hideBelow = below;
  form.visible = std::move(visible);
  return form;
}

const std::vector<AttentionForm> hidden = {
    hiding({4, 2, 2, 4, 64, Number::BF16, false}, 2),
    hiding({2, 1, 1, 1, 16, Number::F32, false}, 3),
    hiding({4, 2, 2, 2, 24, Number::BF16, true}, 2.5),
    hiding({4, 2, 2, 4, 16, Number::F32, true}, 1.5),
    hiding({20, 1, 1, 4, 48, Number::BF16, true}, 3.5),
    hiding({1, 1, 1, 1, 160, Number::F32, false}, 2),
    hiding({2, 1, 1, 2, 128, Number::BF16, false}, 3),
};

TEST(AttentionKernelTest, HiddenRowsAreNotStored) {
  holdCases(hidden, 130, 200, units());
}

const std::vector<AttentionForm> partlyDead = {
    hiding({4, 2, 2, 4, 64, Number::BF16, false}, 1,
           {true, false, false, true}),
    hiding({4, 4, 4, 4, 16, Number::F32, false}, 1, {true, false, false, true}),
    hiding({4, 2, 2, 4, 24, Number::BF16, true}, 0.5,
           {false, true, false, false}),
    hiding({4, 2, 2, 2, 16, Number::F32, true}, 1, {false, true}),
    hiding({4, 2, 2, 2, 16, Number::BF16, false}, 1, {true, true}),
    hiding({3, 3, 3, 3, 32, Number::BF16, true}, 1, {false, true, false}),
};

TEST(AttentionKernelTest, HeadsThatSeeNothingGiveZero) {
  holdCases(partlyDead, 130, 200, units());
}

/// How a prompt is cut changes nothing, because each row has its own order.
TEST(AttentionKernelTest, CutsOfAPromptChangeNoBit) {
  const std::vector<AttentionForm> forms = {
      prompts[0],
      prompts[1],
      prompts[2],
      prompts[6],
      hiding({2, 1, 1, 1, 64, Number::BF16, false}, 3),
      {9, 3, 3, 3, 64, Number::BF16, false, MaskKind::None},
      seeing(70, {4, 2, 2, 2, 64, Number::BF16, false})};
  Modules modules(forms, units());
  forEachCase([&](uint64_t number) {
    auto [module, form, unit] = modules.of(number);
    SCOPED_TRACE(unit);
    ASSERT_NE(module, nullptr);
    Random random(number);
    AttentionStep step = drawnStep(form, random, 1, 200, 100);
    Segment whole = step.segments[0];
    int64_t cut = random.between(0, whole.length - 1);
    auto together = run(*module, step, {whole});
    ASSERT_TRUE(together);
    std::optional<AttentionOutcome> pieces;
    for (auto [from, to] : {std::pair(int64_t(0), cut), {cut, whole.length}}) {
      if (from < to) {
        Segment piece{whole.slot, whole.start + from, to - from,
                      whole.position + from, 0};
        auto next = run(*module, step, {piece}, pieces ? &*pieces : nullptr);
        ASSERT_TRUE(next);
        pieces = std::move(next);
      }
    }
    EXPECT_EQ(pieces->y.bytes(), together->y.bytes());
    EXPECT_EQ(pieces->keys.bytes(), together->keys.bytes());
  });
}

/// Forms whose query heads read one key head.
const std::vector<AttentionForm> sharing = {
    {4, 1, 1, 1, 128, Number::BF16, false},
    {2, 1, 1, 2, 64, Number::BF16, false},
    {2, 1, 2, 2, 96, Number::BF16, false},
    {2, 1, 1, 1, 32, Number::BF16, false, MaskKind::Scale},
    {6, 1, 3, 3, 64, Number::BF16, false},
    {4, 1, 1, 1, 64, Number::BF16, false, MaskKind::None},
};

/// What a tensor has at one index of a dimension.
Tensor at(const Tensor &all, size_t dimension, int64_t place) {
  Tensor one;
  one.shape = all.shape;
  one.shape[dimension] = 1;
  int64_t inner = 1, extent = all.shape[dimension];
  for (size_t d = dimension + 1; d < all.shape.size(); ++d) {
    inner *= all.shape[d];
  }
  for (size_t i = 0; i < all.data.size(); ++i) {
    if (static_cast<int64_t>(i) / inner % extent == place) {
      one.data.push_back(all.data[i]);
    }
  }
  return one;
}

/// The step of one of its query heads alone.
AttentionStep stepOf(const AttentionStep &step, int64_t head) {
  const AttentionForm &form = step.form;
  int64_t state = head * form.states / form.queries,
          mask = head * form.masks / form.queries;
  AttentionStep one = step;
  one.form.queries = one.form.keys = one.form.states = one.form.masks = 1;
  one.query = at(step.query, 1, head);
  one.mask = at(step.mask, 1, mask);
  one.keys = at(step.keys, 2, state);
  one.values = at(step.values, 2, state);
  one.masks = at(step.masks, 2, mask);
  return one;
}

/// A head that has a block with another one has the bits of a head alone.
TEST(AttentionKernelTest, SharedKeysChangeNoBit) {
  Modules modules(sharing, units());
  forEachCase([&](uint64_t number) {
    auto [module, form, unit] = modules.of(number);
    SCOPED_TRACE(unit);
    ASSERT_NE(module, nullptr);
    Random random(number);
    AttentionStep step = drawnStep(form, random, 2, 150, 200);
    auto together = run(*module, step, step.segments);
    ASSERT_TRUE(together);
    int64_t head = random.between(0, form.queries - 1);
    AttentionStep one = stepOf(step, head);
    TileModule *alone = compiledStep(textOf(one.form), unit);
    ASSERT_NE(alone, nullptr);
    auto outcome = run(*alone, one, one.segments);
    ASSERT_TRUE(outcome);
    auto bytes = form.size * static_cast<int64_t>(sizeof(float));
    for (int64_t t = 0; t < step.rows(); ++t) {
      auto begin =
          together->y.bytes().begin() + (t * form.queries + head) * bytes;
      ASSERT_EQ(rowsOf(outcome->y, t, 1),
                std::vector<unsigned char>(begin, begin + bytes))
          << "row " << t;
    }
  });
}

/// What two heads ask for is what one asks for, their own queries and outputs,
/// and masks.
TEST(AttentionKernelTest, HeadsOfAGroupFetchKeysOnce) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  std::vector<AttentionForm> forms;
  for (int64_t size : drawnOf<int64_t>({64, 128}, 2)) {
    for (int64_t masks : {1, 2}) {
      forms.push_back({2, 1, 1, masks, size, Number::BF16, false});
    }
    forms.push_back({1, 1, 1, 1, size, Number::BF16, false});
  }
  constexpr int64_t rows = 512;
  auto steps = countedSteps([&] {
    for (const std::string &unit : units()) {
      for (const AttentionForm &form : forms) {
        auto module = compiledStep(textOf(form), unit);
        ASSERT_NE(module, nullptr);
        Random random(1);
        AttentionStep step = drawnStep(form, random, 1, rows, 0);
        ASSERT_TRUE(run(*module, step, step.segments));
        GPU::get().nextStep();
      }
    }
  });
  ASSERT_EQ(steps.size(), units().size() * forms.size());
  auto asked = [&](size_t number) {
    for (const KernelCounts &counts : steps[number]) {
      if (counts.kernel == "attention") {
        return counts.asked;
      }
    }
    ADD_FAILURE() << "no attention";
    return int64_t(0);
  };
  for (size_t number = 0; number < steps.size(); ++number) {
    const AttentionForm &form = forms[number % forms.size()];
    SCOPED_TRACE(textOf(form));
    if (form.queries == 1) {
      continue;
    }
    // Those of the same size stand after.
    int64_t one = asked(number / 3 * 3 + 2);
    Random random(1);
    AttentionStep step = drawnStep(form, random, 1, rows, 0);
    int64_t own = step.rows() * form.size * 2 * 4;
    EXPECT_LE(asked(number), (one + own) * 1.03);
  }
}

/// Scores and sums of values: two matmuls of all that a row sees. No access to
/// shared memory waits for another one's bank.
TEST(AttentionKernelTest, TensorCoresMultiplyAllThatIsNotInF32) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  std::vector<AttentionForm> forms = prompts;
  forms.insert(forms.end(), decoding.begin(), decoding.end());
  forms.insert(forms.end(), exact.begin(), exact.end());
  forms = drawnOf(forms, 6);
  auto drawn = [](const AttentionForm &form) {
    Random random(1);
    return drawnStep(form, random, 2, 40, 100);
  };
  auto steps = countedSteps([&] {
    for (const AttentionForm &form : forms) {
      auto module = compiledStep(textOf(form));
      ASSERT_NE(module, nullptr);
      AttentionStep step = drawn(form);
      ASSERT_TRUE(run(*module, step, step.segments));
      GPU::get().nextStep();
    }
  });
  ASSERT_EQ(steps.size(), forms.size());
  for (auto [form, kernels] : llvm::zip(forms, steps)) {
    SCOPED_TRACE(textOf(form));
    double multiplied = 0;
    int64_t pairs = 0;
    for (const KernelCounts &counts : kernels) {
      multiplied += counts.cycles * multiplyAddsPerCycle();
    }
    for (const Segment &segment : drawn(form).segments) {
      for (int64_t t = 0; t < segment.length; ++t) {
        pairs += segment.position + t + 1;
      }
    }
    for (const KernelCounts &counts : kernels) {
      EXPECT_EQ(counts.conflicts, 0) << counts.kernel;
    }
    if (form.stored == Number::F32) {
      EXPECT_EQ(multiplied, 0);
    } else {
      EXPECT_GE(multiplied,
                static_cast<double>(2 * pairs * form.queries * form.size));
    }
  }
}

} // namespace
