// The ops of a step: whole sequences against the same cut into segments of any
// lengths, alone and beside others, and what is left in the pools.
#include "cheems/Reference/Segments.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/KeepThreshold.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/QuantizeEntries.h"
#include "test/unit/Reference/Golden.h"
#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

class Draws {
public:
  explicit Draws(int seed) : engine(seed) {}

  int64_t upTo(int64_t most) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(most)) + 1;
  }
  Tensor normal(std::initializer_list<int64_t> shape) {
    std::normal_distribution<double> number;
    Tensor x(shape);
    for (double &value : x.data) {
      value = number(engine);
    }
    return x;
  }
  /// Few different ones, so that ties are decided.
  Tensor masks(std::initializer_list<int64_t> shape) {
    Tensor x(shape);
    for (double &value : x.data) {
      value = static_cast<double>(upTo(5)) / 4.0;
    }
    return x;
  }
  /// Cuts a sequence into lengths that add up to its own.
  std::vector<int64_t> cuts(int64_t length) {
    std::vector<int64_t> result;
    for (int64_t left = length; left > 0; left -= result.back()) {
      result.push_back(std::min(left, upTo(7)));
    }
    return result;
  }

private:
  std::mt19937_64 engine;
};

std::vector<int64_t> positionsUpTo(int64_t count) {
  std::vector<int64_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

/// Rows of both, one below the other.
Tensor below(const Tensor &a, const Tensor &b) {
  llvm::SmallVector<int64_t, 4> shape = a.shape;
  shape[0] += b.shape[0];
  std::vector<double> data = a.data;
  data.insert(data.end(), b.data.begin(), b.data.end());
  return Tensor(shape, std::move(data));
}

TEST(GatherRows, TakesRowsInAnyOrder) {
  Tensor table({3, 2}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  EXPECT_EQ(gatherRows(table, {2, 0, 2}).data,
            (std::vector<double>{5.0, 6.0, 1.0, 2.0, 5.0, 6.0}));
}

TEST(RowPositions, CountOnFromWhereASequenceStands) {
  // the second segment's rows come first
  RowPositions rows = rowPositions({{0, 2, 3, 0, 8}, {5, 0, 2, 40, 64}}, 5);
  EXPECT_EQ(rows.position, (std::vector<int64_t>{40, 41, 0, 1, 2}));
  EXPECT_EQ(rows.length, (std::vector<int64_t>{64, 64, 8, 8, 8}));
}

SSDInputs ssdInputs(Draws &draws, int64_t rows) {
  SSDInputs inputs{
      draws.normal({rows, 4, 3}),          draws.normal({rows, 4}),
      Tensor({4}, {-1.0, -0.5, 0.1, 0.0}), draws.normal({rows, 2, 5}),
      draws.normal({rows, 2, 5}),          Tensor({4}, {1.0, 0.0, 2.0, -1.0})};
  for (double &step : inputs.step.data) {
    step = std::abs(step) / 4.0;
  }
  return inputs;
}

SSDInputs rowsOf(const SSDInputs &inputs, int64_t from, int64_t count) {
  SSDInputs part = inputs;
  for (Tensor *of : {&part.x, &part.step, &part.b, &part.c}) {
    *of = of->rows(from, count);
  }
  return part;
}

TEST(SegmentedSSD, IsTheRecurrenceHoweverRowsAreCut) {
  Draws draws(1);
  for (int trial = 0; trial < 50; ++trial) {
    int64_t length = draws.upTo(40), layer = draws.upTo(3) - 1;
    SSDInputs inputs = ssdInputs(draws, length);
    SSDResult whole = ssd(inputs, Tensor({4, 5, 3}));
    // of another sequence, which was in the slot
    Tensor pool = draws.normal({2, 3, 4, 5, 3}), before = pool;
    int64_t position = 0;
    for (int64_t count : draws.cuts(length)) {
      Tensor y = segmentedSSD(rowsOf(inputs, position, count),
                              {{1, 0, count, position, 64}}, layer, pool);
      ASSERT_EQ(y.data, whole.y.rows(position, count).data);
      position += count;
    }
    Tensor state = slice(slice(pool, 1), layer);
    ASSERT_EQ(state.data, whole.state.data);
    EXPECT_EQ(slice(pool, 0).data, slice(before, 0).data);
    EXPECT_EQ(slice(slice(pool, 1), (layer + 1) % 3).data,
              slice(slice(before, 1), (layer + 1) % 3).data);
  }
}

TEST(SegmentedSSD, SequencesOfOneStepDoNotMeet) {
  Draws draws(2);
  SSDInputs one = ssdInputs(draws, 5), other = ssdInputs(draws, 3), both = one;
  for (auto [to, from] : {std::pair(&both.x, &other.x),
                          {&both.step, &other.step},
                          {&both.b, &other.b},
                          {&both.c, &other.c}}) {
    *to = below(*to, *from);
  }
  Tensor pool({2, 1, 4, 5, 3});
  Tensor y = segmentedSSD(both, {{1, 5, 3, 0, 8}, {0, 0, 5, 0, 8}}, 0, pool);
  SSDResult first = ssd(one, Tensor({4, 5, 3})),
            second = ssd(other, Tensor({4, 5, 3}));
  EXPECT_EQ(y.rows(0, 5).data, first.y.data);
  EXPECT_EQ(y.rows(5, 3).data, second.y.data);
  EXPECT_EQ(slice(slice(pool, 0), 0).data, first.state.data);
  EXPECT_EQ(slice(slice(pool, 1), 0).data, second.state.data);
}

/// A form of attention: what is given to the op, and to the dense evaluator.
struct Form {
  const char *name;
  MaskKind kind;
  int64_t window; ///< 0: none
  bool counted;   ///< hidden rows are not stored
  bool known;     ///< `visible` in place of masks
  enum { Exact, BF16, Codes } stored;
  int64_t age = 0; ///< rows that a row sees at most; 0: all
};

// heads of keys, of A, of queries; the size of a head has an exact root
constexpr int64_t kKeys = 1, kMasks = 2, kQueries = 4, kSize = 4;
constexpr int64_t kSlots = 3, kLayers = 2, kCapacity = 64;

constexpr Form forms[] = {
    {"bias", MaskKind::Bias, 0, false, false, Form::Exact},
    {"scale", MaskKind::Scale, 0, false, false, Form::BF16},
    {"threshold", MaskKind::Threshold, 0, false, false, Form::Exact},
    {"counted", MaskKind::Threshold, 0, true, false, Form::Exact},
    {"counted_codes", MaskKind::Threshold, 0, true, false, Form::Codes},
    {"visible", MaskKind::Threshold, 0, false, true, Form::Exact},
    {"window", MaskKind::Bias, 6, false, false, Form::Exact},
    {"window_one", MaskKind::Bias, 1, false, false, Form::BF16},
    {"window_codes", MaskKind::Bias, 6, false, false, Form::Codes},
    {"none", MaskKind::None, 0, false, false, Form::Exact},
    {"none_codes", MaskKind::None, 0, false, false, Form::Codes},
    {"aged", MaskKind::None, 0, false, false, Form::Exact, 5},
    {"aged_one", MaskKind::None, 0, false, false, Form::BF16, 1},
};

class SegmentedAttention : public testing::TestWithParam<Form> {
protected:
  const Form &form() const { return GetParam(); }

  SegmentedAttentionOptions options() const {
    SegmentedAttentionOptions options;
    options.kind = form().kind;
    options.scale = 1.0 / 2.0; // the root of kSize
    if (form().window) {
      options.keep = form().window;
    }
    if (form().age) {
      options.window = form().age;
    }
    if (form().known) {
      options.visible = {false, true};
    }
    options.storesBF16 = form().stored == Form::BF16;
    return options;
  }

  /// With what an earlier sequence left.
  AttentionPools pools(Draws &draws) const {
    int64_t heads = form().window ? kMasks : kKeys;
    auto numbers = [&] {
      return draws.normal({kSlots, kLayers, heads, kCapacity});
    };
    AttentionPools pools{
        draws.normal({kSlots, kLayers, heads, kCapacity, kSize}),
        draws.normal({kSlots, kLayers, heads, kCapacity, kSize}),
        draws.normal({kSlots, kLayers, kMasks, kCapacity}),
        {},
        {},
        {},
        {}};
    if (form().kind == MaskKind::None) {
      pools.masks.reset();
    }
    if (form().window) {
      pools.positions = numbers();
    }
    if (form().stored == Form::Codes) {
      pools.keyScales = numbers();
      pools.valueScales = numbers();
    }
    if (form().counted) {
      pools.counts = Tensor({kSlots, kLayers, heads});
      std::fill(pools.counts->data.begin(), pools.counts->data.end(), 9.0);
    }
    return pools;
  }

  AttentionRows rows(Draws &draws, int64_t count) const {
    AttentionRows rows{draws.normal({count, kQueries, kSize}),
                       draws.normal({count, kKeys, kSize}),
                       draws.normal({count, kKeys, kSize}),
                       {}};
    if (!form().known && form().kind != MaskKind::None) {
      rows.mask = draws.masks({count, kMasks});
    }
    return rows;
  }

  static AttentionRows part(const AttentionRows &rows, int64_t from,
                            int64_t count) {
    AttentionRows result{rows.query.rows(from, count),
                         rows.key.rows(from, count),
                         rows.value.rows(from, count),
                         {}};
    if (rows.mask) {
      result.mask = rows.mask->rows(from, count);
    }
    return result;
  }

  /// Masks [M, T], 1 or 0 where they are known.
  Tensor masks(const AttentionRows &rows) const {
    Tensor mask({kMasks, rows.key.shape[0]});
    for (int64_t m = 0; m < kMasks; ++m) {
      for (int64_t t = 0; t < rows.key.shape[0]; ++t) {
        mask(m, t) = rows.mask ? (*rows.mask)(t, m) : double(m);
      }
    }
    return mask;
  }

  /// A sequence of its own, at once and with nothing stored.
  Tensor dense(const AttentionRows &rows) const {
    MaskOptions how{form().kind, options().keep};
    how.age = options().window;
    Tensor k = rows.key, v = rows.value;
    if (form().stored == Form::BF16) {
      k = bf16(k);
      v = bf16(v);
    } else if (form().stored == Form::Codes) {
      k = quantizeEntries(k).values();
      QuantizedEntries values = quantizeEntries(v);
      v = values.codes;
      how.valueScales = values.scales;
    }
    std::vector<int64_t> positions = positionsUpTo(rows.key.shape[0]);
    return dynamicMaskAttention(rows.query, k, v, masks(rows), positions,
                                positions, how);
  }
};

TEST_P(SegmentedAttention, IsThatOfTheWholeSequenceHoweverRowsAreCut) {
  Draws draws(3);
  for (int trial = 0; trial < 40; ++trial) {
    int64_t length = draws.upTo(40), layer = draws.upTo(kLayers) - 1;
    AttentionRows all = rows(draws, length);
    Tensor whole = dense(all);
    AttentionPools state = pools(draws), before = state;
    int64_t position = 0;
    for (int64_t count : draws.cuts(length)) {
      Tensor y = segmentedAttention(part(all, position, count),
                                    {{2, 0, count, position, 64}}, layer,
                                    options(), state);
      ASSERT_EQ(y.data, whole.rows(position, count).data)
          << "trial " << trial << ", rows from " << position;
      position += count;
    }
    EXPECT_EQ(slice(state.keys, 0).data, slice(before.keys, 0).data);
    EXPECT_EQ(slice(slice(state.keys, 2), 1 - layer).data,
              slice(slice(before.keys, 2), 1 - layer).data);
  }
}

TEST_P(SegmentedAttention, SequencesOfOneStepDoNotMeet) {
  Draws draws(4);
  AttentionRows one = rows(draws, 9), other = rows(draws, 12);
  Tensor ofOne = dense(one), ofOther = dense(other);
  AttentionPools state = pools(draws);
  // turns of 3 and of 4 rows, in one step each; the other's rows come first
  for (int64_t turn = 0; turn < 3; ++turn) {
    AttentionRows first = part(other, 4 * turn, 4),
                  second = part(one, 3 * turn, 3);
    AttentionRows both{below(first.query, second.query),
                       below(first.key, second.key),
                       below(first.value, second.value),
                       {}};
    if (first.mask) {
      both.mask = below(*first.mask, *second.mask);
    }
    Tensor y = segmentedAttention(
        both, {{0, 4, 3, 3 * turn, 64}, {1, 0, 4, 4 * turn, 64}}, 0, options(),
        state);
    EXPECT_EQ(y.rows(0, 4).data, ofOther.rows(4 * turn, 4).data);
    EXPECT_EQ(y.rows(4, 3).data, ofOne.rows(3 * turn, 3).data);
  }
}

TEST_P(SegmentedAttention, ASlotBeginsAnewAtPositionZero) {
  Draws draws(5);
  AttentionPools state = pools(draws);
  for (int64_t length : {20, 5, 11}) {
    AttentionRows all = rows(draws, length);
    EXPECT_EQ(
        segmentedAttention(all, {{1, 0, length, 0, 64}}, 1, options(), state)
            .data,
        dense(all).data);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, SegmentedAttention, testing::ValuesIn(forms),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

/// One head of size 1, whose keys and values are the rows' numbers.
AttentionRows numbered(const std::vector<double> &masks) {
  auto count = static_cast<int64_t>(masks.size());
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  Tensor x({count, 1, 1}, numbers);
  return {x, x, x, Tensor({count, 1}, masks)};
}

AttentionPools smallPools(int64_t capacity) {
  return {Tensor({1, 1, 1, capacity, 1}),
          Tensor({1, 1, 1, capacity, 1}),
          Tensor({1, 1, 1, capacity}),
          {},
          {},
          {},
          {}};
}

TEST(SegmentedAttentionState, TheBestStayWithTheirPositions) {
  SegmentedAttentionOptions options;
  options.keep = 3;
  AttentionPools pools = smallPools(3);
  pools.positions = Tensor({1, 1, 1, 3});
  std::vector<double> masks{0.5, 2.0, 0.25, 1.0, 1.0, 3.0, 0.125};
  segmentedAttention(numbered(masks), {{0, 0, 7, 0, 8}}, 0, options, pools);
  EXPECT_EQ(pools.positions->data, (std::vector<double>{1.0, 3.0, 5.0}));
  EXPECT_EQ(pools.keys.data, (std::vector<double>{1.0, 3.0, 5.0}));
  EXPECT_EQ(pools.values.data, (std::vector<double>{1.0, 3.0, 5.0}));
  EXPECT_EQ(pools.masks->data, (std::vector<double>{2.0, 1.0, 3.0}));
}

TEST(SegmentedAttentionState, MasksThatAreNoNumbersFillUpWhatIsLeft) {
  SegmentedAttentionOptions options;
  options.keep = 2;
  AttentionPools pools = smallPools(2);
  pools.positions = Tensor({1, 1, 1, 2});
  std::vector<double> masks{NAN, NAN, 1.0};
  segmentedAttention(numbered(masks), {{0, 0, 3, 0, 8}}, 0, options, pools);
  EXPECT_EQ(pools.positions->data, (std::vector<double>{0.0, 2.0}));
}

TEST(SegmentedAttentionState, HiddenRowsAreNotStored) {
  SegmentedAttentionOptions options;
  options.kind = MaskKind::Threshold;
  options.hideBelow = 1.0;
  AttentionPools pools = smallPools(4);
  pools.counts = Tensor({1, 1, 1});
  std::vector<double> masks{0.5, 2.0, 0.25, 1.0};
  Tensor y =
      segmentedAttention(numbered(masks), {{0, 0, 4, 0, 8}}, 0, options, pools);
  EXPECT_EQ(pools.counts->data, (std::vector<double>{2.0}));
  EXPECT_EQ(pools.keys.data, (std::vector<double>{1.0, 3.0, 0.0, 0.0}));
  EXPECT_EQ(pools.masks->data, (std::vector<double>{2.0, 1.0, 0.0, 0.0}));
  EXPECT_EQ(y(0, 0, 0), 0.0); // sees nothing
  EXPECT_EQ(y(1, 0, 0), 1.0);
  EXPECT_EQ(y(2, 0, 0), 1.0);
}

TEST(SegmentedAttentionState, HeadsThatSeeNothingGiveZero) {
  SegmentedAttentionOptions options;
  options.kind = MaskKind::Threshold;
  options.visible = {true, false};
  AttentionRows rows{Tensor({1, 2, 1}, {1.0, 1.0}),
                     Tensor({1, 1, 1}, {1.0}),
                     Tensor({1, 1, 1}, {7.0}),
                     {}};
  AttentionPools pools{Tensor({1, 1, 1, 2, 1}),
                       Tensor({1, 1, 1, 2, 1}),
                       Tensor({1, 1, 2, 2}),
                       {},
                       {},
                       {},
                       {}};
  Tensor y = segmentedAttention(rows, {{0, 0, 1, 0, 8}}, 0, options, pools);
  EXPECT_EQ(y.data, (std::vector<double>{7.0, 0.0}));
  EXPECT_EQ(pools.masks->data, (std::vector<double>{1.0, 0.0, 0.0, 0.0}));
}

} // namespace
