// Matmuls against their evaluator, for prompts and for decoding, with what
// becomes of their sums; and bit for bit whatever other rows are in the step.
#include "Counts.h"
#include "MatmulForm.h"
#include <limits>

using namespace cheems::test;
using cheems::Activation;

namespace {

constexpr auto bf16 = Number::BF16, f16 = Number::F16, f32 = Number::F32;
constexpr auto silu = Activation::SiLU, gelu = Activation::GELU,
               relu = Activation::ReLU, tanhGelu = Activation::GELUTanh,
               relu2 = Activation::ReLU2;

/// Rows that stand somewhere else among others.
struct Moved {
  MatmulValues values;
  std::vector<int64_t> from; ///< the row that each one was, or -1
};

/// \param rows how many there are then.
Moved moved(const MatmulForm &form, const MatmulValues &values, Random &random,
            int64_t rows) {
  Moved result{values, {}};
  result.values.x = random.tensor({rows, form.depth}, -1e3, 1e3);
  result.values.y = random.tensor({rows, form.columns}, -1e3, 1e3);
  for (int64_t t = 0; t < rows; ++t) {
    // The first row is there always, and rows may be there twice.
    int64_t from = t == rows / 2 ? 0 : random.between(-1, values.rows() - 1);
    result.from.push_back(from);
    for (auto [target, source] : {std::pair(&result.values.x, &values.x),
                                  {&result.values.y, &values.y}}) {
      for (int64_t i = 0; i < target->shape[1]; ++i) {
        if (from >= 0) {
          (*target)(t, i) = (*source)(from, i);
        } else if (random.once(8)) {
          (*target)(t, i) = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  }
  return result;
}

std::vector<unsigned char> rowOf(const Array &y, int64_t row) {
  auto size = static_cast<int64_t>(y.bytes().size()) / y.shape()[0];
  return {y.bytes().begin() + row * size, y.bytes().begin() + (row + 1) * size};
}

/// A GPU for which some hundred rows are many.
constexpr const char *smallGPU = "wgmma multiprocessors=1";

/// The units of the GPU, as options of a compile; and for wgmma the copies of
/// threads and wider tiles, too.
std::vector<std::string> ways() {
  std::vector<std::string> all = units();
  if (all.front() == "wgmma") {
    all.insert(all.begin() + 1, {"wgmma copy=threads", smallGPU});
  }
  return all;
}

/// Each case has one of the forms, by one of the units, and at most `most`
/// rows.
void holdCases(const std::vector<MatmulForm> &forms, int64_t most,
               const std::vector<std::string> &units) {
  forEachCase([&](uint64_t number) {
    const MatmulForm &form = forms[formOf(number, forms.size())];
    const std::string &unit = units[unitOf(number, units.size())];
    SCOPED_TRACE(unit);
    TileModule *module = compiledStep(textOf(form), unit);
    ASSERT_NE(module, nullptr);
    Random random(number);
    auto rowCount = [&] {
      int64_t limit = form.mostRows ? form.mostRows : most;
      return random.once(4) ? 1 : random.between(1, limit);
    };
    MatmulValues values = drawnValues(form, random, rowCount());
    auto y = run(*module, form, values);
    ASSERT_TRUE(y);
    ASSERT_TRUE(isMatmul(*y, form, values));
    Moved others = moved(form, values, random, rowCount());
    auto again = run(*module, form, others.values);
    ASSERT_TRUE(again);
    for (int64_t t = 0; t < others.values.rows(); ++t) {
      int64_t from = others.from[static_cast<size_t>(t)];
      if (from >= 0) {
        ASSERT_EQ(rowOf(*again, t), rowOf(*y, from)) << "row " << from;
      }
    }
  });
}

// Large and small tiles, with and without remainders; rows of k whose bytes
// 16, 8, 4 and 2 divide.
const std::vector<MatmulForm> prompts = {
    {bf16, 64, 64},
    {f16, 200, 136, After::Nothing, true},
    {bf16, 1100, 72},
    {f16, 1024, 100, After::Activation, true, silu},
    {bf16, 96, 50, After::Residual},
    {f16, 33, 33, After::Residual, true},
    {bf16, 1100, 40, After::Gate, false, silu, bf16},
    {f16, 136, 264, After::Gate, true, relu, f16},
    {bf16, 4, 128, After::Mask},
    {f16, 6, 48, After::Mask, true},
    {bf16, 1536, 24, After::Activation, false, relu, bf16},
    {f16, 8, 520},
    {bf16, 130, 17, After::Activation, true, gelu},
    {bf16, 40, 33, After::Gate, false, tanhGelu},
    {f16, 40, 33, After::Activation, false, relu2},
    {f16, 1, 1},
    {bf16, 1, 1000, After::Residual, true},
    {f16, 72, 96, After::Gate, false, gelu},
    {bf16, 4100, 72, After::Residual},
    {f16, 4224, 136, After::Gate, false, silu, f16},
};

TEST(MatmulKernelTest, PromptsAgreeWithTheEvaluator) {
  holdCases(prompts, 200, ways());
}

/// Whether the hardware can copy boxes: rows of k are multiples of 16 bytes.
bool isCopiedInBulk(const MatmulForm &form) { return form.depth % 8 == 0; }

/// k has the same order, and what is past its end is zero for both.
TEST(MatmulKernelTest, BulkCopiesGiveTheBitsOfCopiesOfThreads) {
  if (units().front() != "wgmma") {
    GTEST_SKIP() << "sm_80 has no bulk copies";
  }
  for (const MatmulForm &form : prompts) {
    if (!isCopiedInBulk(form)) {
      continue;
    }
    SCOPED_TRACE(textOf(form));
    auto bulk = compiledStep(textOf(form)),
         threads = compiledStep(textOf(form), "wgmma copy=threads");
    ASSERT_TRUE(bulk && threads);
    Random random(static_cast<uint64_t>(form.columns));
    for (int64_t rows : {1, 129}) {
      MatmulValues values = drawnValues(form, random, rows);
      auto y = run(*bulk, form, values), z = run(*threads, form, values);
      ASSERT_TRUE(y && z);
      ASSERT_EQ(y->bytes(), z->bytes()) << rows;
    }
  }
}

/// One thread begins the copies of a stage, and no other way is there beside.
TEST(MatmulKernelTest, BulkCopiesAreUsedWhereRowsAllowThem) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "code is that of another process";
  }
  for (const std::string &way : ways()) {
    for (const MatmulForm &form : drawnOf(prompts, 2)) {
      SCOPED_TRACE(way + "\n" + textOf(form));
      auto module = compiledStep(textOf(form), way);
      ASSERT_NE(module, nullptr);
      llvm::StringRef text = module->ptx();
      bool isBulk = (way == "wgmma" || way == smallGPU) && isCopiedInBulk(form);
      EXPECT_EQ(text.contains("cp.async.bulk.tensor.2d"), isBulk);
      // Rows of an odd number of elements go through registers.
      EXPECT_EQ(text.contains("cp.async.ca") || text.contains("cp.async.cg"),
                !isBulk && form.depth % 2 == 0);
    }
  }
}

/// The small GPU has wider tiles from 128 rows on, or from 256 where all
/// outputs are one tile.
TEST(MatmulKernelTest, WiderTilesOfManyRowsGiveTheBitsOfOthers) {
  if (units().front() != "wgmma") {
    GTEST_SKIP() << "sm_80 has one kind of tiles";
  }
  const std::vector<MatmulForm> forms =
      drawnOf<MatmulForm>({{bf16, 1100, 72},
                           {f16, 200, 136, After::Nothing, true},
                           {bf16, 1100, 40, After::Gate, false, silu, bf16},
                           {bf16, 96, 50, After::Residual}},
                          2);
  auto bitsOf = [](const MatmulForm &form, const char *way, int64_t rows,
                   std::vector<unsigned char> &bits) {
    auto module = compiledStep(textOf(form), way);
    ASSERT_NE(module, nullptr);
    Random random(static_cast<uint64_t>(rows));
    auto y = run(*module, form, drawnValues(form, random, rows));
    ASSERT_TRUE(y);
    bits = {y->bytes().begin(), y->bytes().end()};
  };
  auto steps = countedSteps([&] {
    for (const MatmulForm &form : forms) {
      SCOPED_TRACE(textOf(form));
      for (int64_t rows : {127, 256, 300}) {
        std::vector<unsigned char> wide, narrow;
        bitsOf(form, smallGPU, rows, wide);
        GPU::get().nextStep();
        bitsOf(form, "wgmma", rows, narrow);
        GPU::get().nextStep();
        ASSERT_EQ(wide, narrow) << rows << " rows";
      }
    }
  });
  ASSERT_EQ(steps.size(), 6 * forms.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE(i);
    auto isMatmul = [](const KernelCounts &counts) {
      return llvm::StringRef(counts.kernel).starts_with("matmul");
    };
    auto product = llvm::find_if(steps[i], isMatmul);
    ASSERT_NE(product, steps[i].end());
    EXPECT_EQ(llvm::StringRef(product->kernel).starts_with("matmul_wide"),
              i % 2 == 0 && i % 6 > 0);
    EXPECT_EQ(llvm::count_if(steps[i], isMatmul), 1);
    EXPECT_EQ(product->conflicts, 0);
    EXPECT_GT(product->tensor, 0);
  }
}

const std::vector<MatmulForm> decoding = {
    {bf16, 64, 256, After::Nothing, false, relu, f32, 64},
    {f16, 40, 136, After::Nothing, true, relu, f32, 64},
    {bf16, 100, 1056, After::Residual, false, relu, f32, 64},
    {f16, 33, 33, After::Residual, true, relu, f32, 64},
    {bf16, 48, 130, After::Gate, false, silu, bf16, 64},
    {f16, 17, 264, After::Gate, true, relu, f16, 16},
    {bf16, 4, 128, After::Mask, false, relu, f32, 64},
    {f16, 6, 50, After::Mask, true, relu, f32, 8},
    {bf16, 130, 96, After::Activation, true, gelu, f32, 32},
    {f16, 16, 2000, After::Activation, false, silu, f16, 1},
    {bf16, 1, 1, After::Nothing, false, relu, f32, 4},
    {f16, 20, 516, After::Gate, false, gelu, f32, 24},
};

TEST(MatmulKernelTest, AllMatmulsOfAnEntryHaveOneUnit) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "code is that of another process";
  }
  for (const std::string &unit : units()) {
    for (const auto &forms : {prompts, decoding}) {
      for (const MatmulForm &form : forms) {
        SCOPED_TRACE(unit + "\n" + textOf(form));
        auto module = compiledStep(textOf(form), unit);
        ASSERT_NE(module, nullptr);
        auto [groups, warps] = instructionsIn(module->ptx());
        bool isGroups = unit == "wgmma" && !form.mostRows;
        EXPECT_EQ(groups > 0, isGroups);
        EXPECT_EQ(warps > 0, !isGroups);
      }
    }
  }
}

/// What tensor cores read of shared memory follows from the shape of an
/// instruction: 64 rows of x and n of weights, with 16 terms each.
TEST(MatmulKernelTest, WideMatmulsHaveTheWidestInstruction) {
  if (units().front() != "wgmma" || !GPU::copiesEarly()) {
    GTEST_SKIP() << "code is the same in both modes, and of sm_80 has none";
  }
  for (auto [columns, depth, n] :
       {std::tuple{4096, 512, 256}, {32768, 2048, 256}, {1024, 768, 128}}) {
    auto module = compiledStep(textOf({bf16, columns, depth}));
    ASSERT_NE(module, nullptr);
    llvm::StringRef text = module->ptx();
    size_t wanted = text.count("wgmma.mma_async.sync.aligned.m64n" +
                               std::to_string(n) + "k16.f32.bf16.bf16 ");
    // A row of 64 terms has so many.
    EXPECT_EQ(wanted, 4U) << columns;
    EXPECT_EQ(text.count("wgmma.mma_async"), wanted) << columns;
  }
}

TEST(MatmulKernelTest, DecodingAgreesWithTheEvaluator) {
  holdCases(decoding, 64, {units().front()});
}

/// A row's sums depend on the weights alone, not on how many rows a kernel was
/// compiled for.
TEST(MatmulKernelTest, DecodingKernelsOfAnyNumberOfRowsHaveTheSameBits) {
  for (MatmulForm form : {MatmulForm{bf16, 24, 1000}, {f16, 40, 66}}) {
    Random random(static_cast<uint64_t>(form.depth));
    MatmulValues values = drawnValues(form, random, 1);
    std::optional<Array> first;
    for (int64_t mostRows : {1, 8, 16, 40, 64}) {
      form.mostRows = mostRows;
      auto module = compiledStep(textOf(form));
      ASSERT_NE(module, nullptr);
      auto y = run(*module, form, values);
      ASSERT_TRUE(y);
      EXPECT_EQ(y->bytes(), first.value_or(*y).bytes()) << mostRows;
      first = y;
    }
  }
}

const std::vector<MatmulForm> exact = {
    {f32, 64, 64},
    {f32, 100, 130, After::Nothing, true},
    {f32, 33, 33, After::Residual, true},
    {f32, 160, 50, After::Gate, false, silu},
    {f32, 65, 264, After::Gate, true, relu},
    {f32, 4, 128, After::Mask},
    {f32, 1, 1000, After::Residual},
    {f32, 70, 1, After::Activation, true, gelu},
    {f32, 64, 96, After::Activation, false, silu, f32, 64},
    {f32, 64, 40, After::Activation, true, tanhGelu},
};

TEST(MatmulKernelTest, F32IsExact) { holdCases(exact, 200, {units().front()}); }

TEST(MatmulKernelTest, TensorCoresMultiplyAllThatIsNotInF32) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  constexpr int64_t rows = 20;
  std::vector<MatmulForm> forms = prompts;
  forms.insert(forms.end(), decoding.begin(), decoding.end());
  forms.insert(forms.end(), exact.begin(), exact.end());
  auto rowsOf = [=](const MatmulForm &form) {
    return form.mostRows ? std::min(form.mostRows, rows) : rows;
  };
  auto steps = countedSteps([&] {
    for (const MatmulForm &form : forms) {
      Random random(1);
      auto module = compiledStep(textOf(form));
      ASSERT_NE(module, nullptr);
      ASSERT_TRUE(run(*module, form, drawnValues(form, random, rowsOf(form))));
      GPU::get().nextStep();
    }
  });
  ASSERT_EQ(steps.size(), forms.size());
  for (auto [form, kernels] : llvm::zip(forms, steps)) {
    SCOPED_TRACE(textOf(form));
    int64_t launches = 0;
    double multiplied = 0;
    for (const KernelCounts &counts : kernels) {
      bool isMatmul = llvm::StringRef(counts.kernel).starts_with("matmul");
      launches += isMatmul ? counts.launches : 0;
      multiplied += counts.cycles * multiplyAddsPerCycle();
      EXPECT_EQ(counts.conflicts, 0) << counts.kernel;
    }
    EXPECT_EQ(launches, 1);
    if (form.isF32()) {
      EXPECT_EQ(multiplied, 0);
    } else {
      EXPECT_GE(multiplied,
                static_cast<double>(rowsOf(form) * form.columns * form.depth) *
                    static_cast<double>(form.products()));
    }
  }
}

} // namespace
