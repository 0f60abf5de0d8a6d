// A matmul after attention of one row: its blocks merge the splits that the
// row's entries were cut into, if these are few. Else a kernel merges them.
// Both give the same bits.
#include "AttentionForm.h"
#include "Counts.h"
#include <gmock/gmock.h>

using namespace cheems::test;
using cheems::MaskKind;
using cheems::reference::Segment;
using cheems::reference::Tensor;

namespace {

struct MergedForm {
  AttentionForm attention;
  int64_t columns;
  bool residual = false; ///< the sums are added to another row
  int64_t bits = 0;      ///< of quantized weights, which they then are

  int64_t depth() const { return attention.queries * attention.size; }
  int64_t group() const { return bits == 8 ? depth() : 32; }
  int64_t rowBytes() const {
    return bits == 8 ? depth() : (depth() + 127) / 128 * 64;
  }
  std::vector<int64_t> weights() const {
    return {columns, bits ? rowBytes() : depth()};
  }
};

constexpr auto bf16 = Number::BF16;

/// Heads of 128 have splits of 128 entries, smaller ones of up to 256. A
/// matmul merges 32 of them at most, and no more than 96 KiB: of the fifth
/// form 4, and of the last one none.
const std::vector<MergedForm> forms = {
    {{6, 3, 3, 3, 128, bf16, true}, 40},
    {{12, 6, 12, 12, 64, bf16, true, MaskKind::Scale}, 17, true},
    {{4, 1, 2, 4, 24, bf16, true, MaskKind::Threshold}, 33},
    {{1, 1, 1, 1, 16, bf16, true}, 8, true},
    {{12, 1, 1, 1, 256, bf16, true}, 16},
    {{4, 2, 2, 2, 32, bf16, true, MaskKind::Bias, 64}, 24, true},
    {{4,
      2,
      4,
      4,
      64,
      bf16,
      true,
      MaskKind::Threshold,
      0,
      0.5,
      {true, false, true, true}},
     16},
    {{6, 3, 3, 3, 128, bf16, true}, 40, false, 8},
    {{12, 6, 12, 12, 64, bf16, true, MaskKind::Scale}, 17, true, 4},
    {{4, 1, 2, 4, 24, bf16, true, MaskKind::Threshold}, 33, true, 8},
    {{12, 1, 1, 1, 256, bf16, true}, 16, false, 4},
    {{4, 2, 2, 2, 32, bf16, true, MaskKind::Bias, 64}, 24, true, 8},
    {{9, 3, 3, 3, 64, bf16, true, MaskKind::None}, 24, true},
    {{4, 2, 2, 2, 64, bf16, true, MaskKind::None, 0, 0, {}, 300}, 16},
    {{1, 1, 1, 1, 16, bf16, true}, 8, true, 8},
};

std::string textOf(const MergedForm &form) {
  const AttentionForm &a = form.attention;
  std::string query = a.rowsType(a.queries), key = a.rowsType(a.keys),
              depth = std::to_string(form.depth()),
              columns = std::to_string(form.columns),
              rows = "tensor<?x" + depth + "xf32>",
              rounded = "tensor<?x" + depth + "xbf16>",
              weights = "tensor<" + columns + "x" +
                        std::to_string(form.weights()[1]) +
                        (form.bits ? "xi8>" : "xbf16>"),
              scales = "tensor<" + columns + "x" +
                       std::to_string(form.depth() / form.group()) +
                       (form.bits == 4 ? "xbf16>" : "xf32>"),
              codes = "tensor<?x" + depth + "xi8>",
              sums = "tensor<?x" + columns + "xf32>";
  auto begin = [&](const std::string &name) {
    return "func.func @" + name + "(%q: " + query + ", %key: " + key +
           ", %value: " + key + ", %mask: " + a.maskType() +
           ", %segments: tensor<?x8xi32>, %layer: index, %y: " + query + ", " +
           a.poolArguments() + ", %w: " + weights +
           (form.bits ? ", %scales: " + scales : "") + ", %x: " + sums +
           ") -> (";
  };
  std::string head =
      a.poolTypes() + ") attributes {cheems.most_rows = 64 : i64} {\n" +
      "  %c0 = arith.constant 0 : index\n  %zero = arith.constant 0.0 : f32\n"
      "  %t = tensor.dim %q, %c0 : " +
      query + "\n" + a.opText() +
      "  %c = tensor.collapse_shape %r#0 [[0], [1, 2]] : " + query + " into " +
      rows + "\n";
  std::string attended =
      head + "  %ce = tensor.empty(%t) : " + rounded +
      "\n  %out = linalg.generic {indexing_maps = [#all, #all], "
      "iterator_types = [\"parallel\", \"parallel\"]} ins(%c : " +
      rows + ") outs(%ce : " + rounded +
      ") {\n  ^bb0(%0: f32, %old: bf16):\n"
      "    %1 = arith.truncf %0 : f32 to bf16\n    linalg.yield %1 : bf16\n"
      "  } -> " +
      rounded + "\n";
  std::string end = ", " + a.poolResults() + " : ";
  std::string product =
      "  %e = tensor.empty(%t) : " + sums +
      "\n  %z = linalg.fill ins(%zero : f32) outs(%e : " + sums + ") -> " +
      sums + "\n  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%out, " +
      "%w : " + rounded + ", " + weights + ") outs(%z : " + sums + ") -> " +
      sums + "\n";
  if (form.bits) {
    product = "  %e = tensor.empty(%t) : " + sums +
              "\n  %ce = tensor.empty(%t) : " + codes +
              "\n  %se = tensor.empty(%t) : tensor<?xf32>\n"
              "  %codes, %unit = cheems.quantize_entries ins(%c : " +
              rows + ") outs(%ce, %se : " + codes + ", tensor<?xf32>) -> " +
              codes +
              ", tensor<?xf32>\n  %p = cheems_tile.quantized_matmul bits " +
              std::to_string(form.bits) + " ins(%codes, %unit : " + codes +
              ", tensor<?xf32>) weights(%w, %scales : " + weights + ", " +
              scales + ") outs(%e : " + sums + ") -> " + sums + "\n";
  }
  std::string last = "%p";
  if (form.residual) {
    product += "  %s = linalg.generic {indexing_maps = [#all, #all, #all], "
               "iterator_types = [\"parallel\", \"parallel\"]} ins(%p, %x : " +
               sums + ", " + sums + ") outs(%e : " + sums +
               ") {\n  ^bb0(%0: f32, %1: f32, %old: f32):\n"
               "    %2 = arith.addf %0, %1 : f32\n"
               "    linalg.yield %2 : f32\n  } -> " +
               sums + "\n";
    last = "%s";
  }
  return "#all = affine_map<(t, n) -> (t, n)>\n"
         "#x = affine_map<(t, n, k) -> (t, k)>\n"
         "#w = affine_map<(t, n, k) -> (n, k)>\n"
         "#y = affine_map<(t, n, k) -> (t, n)>\n" +
         begin("attended") + rounded + ", " + attended + "  return %out" + end +
         rounded + ", " + a.poolTypes() + "\n}\n" + begin("multiplied") + sums +
         ", " + (form.bits ? head : attended) + product + "  return " + last +
         end + sums + ", " + a.poolTypes() + "\n}\n";
}

/// One row of a tensor.
Tensor rowOf(const Tensor &tensor, int64_t row) {
  auto shape = tensor.shape;
  shape[0] = 1;
  Tensor result(shape);
  auto size = static_cast<int64_t>(result.data.size());
  std::copy_n(tensor.data.begin() + row * size, size, result.data.begin());
  return result;
}

/// A step of a segment's row alone.
AttentionStep alone(const AttentionStep &step, const Segment &segment) {
  AttentionStep one = step;
  one.segments = {segment};
  one.segments[0].start = 0;
  for (auto member : {&AttentionStep::query, &AttentionStep::key,
                      &AttentionStep::value, &AttentionStep::mask}) {
    one.*member = rowOf(step.*member, segment.start);
  }
  return one;
}

/// Entries up to another capacity, of each head of a pool.
Tensor grown(const Tensor &pool, int64_t capacity) {
  auto shape = pool.shape;
  int64_t before = shape[3], width = shape.size() == 5 ? shape[4] : int64_t(1),
          heads = shape[0] * shape[1] * shape[2];
  shape[3] = capacity;
  Tensor result(shape);
  for (int64_t head = 0; head < heads; ++head) {
    std::copy_n(pool.data.begin() + head * before * width, before * width,
                result.data.begin() + head * capacity * width);
  }
  return result;
}

/// Whether a test has memory for pools of so many entries.
bool hasRoomForLongPools(const MergedForm &form) {
  constexpr int64_t most = 64;
  return form.attention.states * form.attention.size <= most;
}

/// The same in pools with more room than a matmul merges.
AttentionStep inLongPools(const AttentionStep &step) {
  constexpr int64_t capacity = 32 * 256 + 1;
  AttentionStep one = step;
  one.capacity = capacity;
  for (auto member :
       {&AttentionStep::keys, &AttentionStep::values, &AttentionStep::masks}) {
    one.*member = grown(step.*member, capacity);
  }
  if (step.form.keep) {
    one.positions = grown(step.positions, capacity);
  }
  return one;
}

/// The first result of a function.
std::optional<Array> run(TileModule &module, const char *function,
                         const AttentionStep &step, const Tensor &weights,
                         const Tensor &scales, const Tensor &x) {
  constexpr Number f32 = Number::F32;
  AttentionOutcome outcome(step);
  Array query(f32, step.query), key(f32, step.key), value(f32, step.value),
      mask(f32, step.mask), table = tableOf(step.segments, true), other(f32, x);
  // Scales of 8 bits are in f32, and numbers have none.
  bool isQuantized = !scales.data.empty();
  Array matrix(isQuantized ? Number::I8 : bf16, weights);
  Array units = other;
  if (isQuantized) {
    units = Array(scales.shape[1] > 1 ? bf16 : f32, scales);
  }
  std::vector<Argument> arguments = {
      &query,     &key,       &value,        &mask,          &table,
      step.layer, &outcome.y, &outcome.keys, &outcome.values};
  if (step.form.isMasked()) {
    arguments.emplace_back(&outcome.masks);
  }
  if (step.form.keep) {
    arguments.emplace_back(&outcome.positions);
  }
  if (step.form.counts()) {
    arguments.emplace_back(&outcome.counts);
  }
  arguments.emplace_back(&matrix);
  if (isQuantized) {
    arguments.emplace_back(&units);
  }
  arguments.emplace_back(&other);
  auto results = module.call(function, arguments);
  return results ? std::optional<Array>(results->front()) : std::nullopt;
}

struct Weights {
  Tensor numbers, scales; ///< none of numbers that are not quantized

  Weights(const MergedForm &form, Random &random) {
    if (!form.bits) {
      numbers = random.tensor(form.weights(), -1, 1, bf16);
      return;
    }
    numbers = Tensor(form.weights());
    for (double &code : numbers.data) {
      code = static_cast<double>(random.between(-128, 127));
    }
    scales = random.tensor({form.columns, form.depth() / form.group()}, -0.1,
                           0.1, form.bits == 8 ? Number::F32 : bf16);
  }
};

/// The matmul of rounded rows.
void expectMatmul(const MergedForm &form, const Array &got,
                  const Array &rounded, const Tensor &weights,
                  const Tensor &x) {
  int64_t depth = form.depth();
  for (int64_t n = 0; n < form.columns; ++n) {
    double sum = form.residual ? x(0, n) : 0, size = std::abs(sum);
    for (int64_t k = 0; k < depth; ++k) {
      sum += rounded.get(k) * weights(n, k);
      size += std::abs(rounded.get(k) * weights(n, k));
    }
    double bound = (static_cast<double>(depth) + 16) * 2 * kF32 * size + kTiny;
    // Written so that NaN fails.
    ASSERT_TRUE(std::abs(got.get(n) - sum) <= bound)
        << "output " << n << " is " << got.get(n) << ", and not " << sum;
  }
}

std::vector<unsigned char> bytesOf(const Array &array) {
  return {array.bytes().begin(), array.bytes().end()};
}

TEST(MergedMatmulTest, ARowHasTheSameBitsWhoeverMergesItsSplits) {
  forEachCase([&](uint64_t number) {
    const MergedForm &form = forms[formOf(number, forms.size())];
    TileModule *compiled = compiledStep(textOf(form));
    ASSERT_NE(compiled, nullptr);
    TileModule &module = *compiled;
    Random random(number);
    AttentionStep step =
        drawnStep(form.attention, random, /*sequences=*/2, 1, 700);
    Weights drawn(form, random);
    const Tensor &weights = drawn.numbers, &scales = drawn.scales;
    Tensor x = random.tensor({step.rows(), form.columns}, -2, 2);
    auto all = run(module, "multiplied", step, weights, scales, x);
    ASSERT_TRUE(all);
    for (const Segment &segment : step.segments) {
      SCOPED_TRACE("position " + std::to_string(segment.position));
      AttentionStep one = alone(step, segment);
      Tensor own = rowOf(x, segment.start);
      auto merged = run(module, "multiplied", one, weights, scales, own);
      ASSERT_TRUE(merged);
      EXPECT_EQ(bytesOf(*merged), rowsOf(*all, segment.start, 1));
    }
    AttentionStep one = alone(step, step.segments[0]);
    Tensor own = rowOf(x, step.segments[0].start);
    auto got = run(module, "multiplied",
                   hasRoomForLongPools(form) ? inLongPools(one) : one, weights,
                   scales, own);
    ASSERT_TRUE(got);
    EXPECT_EQ(bytesOf(*got), rowsOf(*all, step.segments[0].start, 1));
    if (!form.bits) { // QuantizedMatmulKernelTest holds quantized matmuls
      auto rounded = run(module, "attended", one, weights, scales, own);
      ASSERT_TRUE(rounded);
      expectMatmul(form, *got, *rounded, weights, own);
    }
  });
}

/// \param made the kernel that merges splits.
/// \param there the one after a merge.
/// \param few the one of more rows.
void expectLaunches(const MergedForm &form, const std::string &made,
                    const std::string &there, const std::string &few) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  ASSERT_TRUE(hasRoomForLongPools(form));
  auto steps = countedSteps([&] {
    Random random(1);
    AttentionStep step = drawnStep(form.attention, random, 2, 1, 300);
    Weights drawn(form, random);
    const Tensor &weights = drawn.numbers, &scales = drawn.scales;
    Tensor x = random.tensor({2, form.columns}, -2, 2);
    auto module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    AttentionStep one = alone(step, step.segments[0]);
    for (const AttentionStep &each : {one, inLongPools(one)}) {
      ASSERT_TRUE(
          run(*module, "multiplied", each, weights, scales, rowOf(x, 0)));
      GPU::get().nextStep();
    }
    ASSERT_TRUE(run(*module, "multiplied", step, weights, scales, x));
    GPU::get().nextStep();
  });
  ASSERT_EQ(steps.size(), 3U);
  auto names = [](const std::vector<KernelCounts> &kernels) {
    std::vector<std::string> all;
    for (const KernelCounts &counts : kernels) {
      if (counts.launches > 0) {
        all.push_back(counts.kernel);
      }
    }
    return all;
  };
  using testing::Contains;
  using testing::Not;
  const auto merge = testing::StartsWith("merge_splits"),
             rounding = testing::StartsWith("round_rows");
  EXPECT_THAT(names(steps[0]), Not(Contains(merge)));
  EXPECT_THAT(names(steps[0]), Contains(made));
  EXPECT_THAT(names(steps[1]), Contains(merge));
  EXPECT_THAT(names(steps[1]), Contains(there));
  EXPECT_THAT(names(steps[2]), Contains(merge));
  EXPECT_THAT(names(steps[2]), Contains(few));
  for (size_t i : {size_t(0), size_t(1)}) {
    EXPECT_THAT(names(steps[i]), Not(Contains(rounding)));
  }
}

TEST(MergedMatmulTest, OfOneRowAndFewSplitsTheMergeIsNoLaunch) {
  expectLaunches(forms[3], "merged_matmul_of_one_row", "matmul_of_one_row",
                 "matmul_few_rows");
}

TEST(MergedMatmulTest, OfOneRowTheRoundingToCodesIsNoLaunch) {
  expectLaunches(forms.back(), "merged_matmul_int8_of_one_row",
                 "rounded_matmul_int8_of_one_row", "matmul_int8_few_rows");
}

} // namespace
