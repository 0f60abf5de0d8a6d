// ssd and ssd_chunk against the goldens, each other and small cases by hand.
#include "cheems/Reference/SSD.h"
#include "test/unit/Reference/Golden.h"
#include "gtest/gtest.h"
#include <random>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

/// [H, P, N] as recorded to [H, N, P] as we store it.
Tensor stateOf(const Tensor &recorded) {
  int64_t heads = recorded.shape[0], headSize = recorded.shape[1],
          stateSize = recorded.shape[2];
  Tensor state({heads, stateSize, headSize});
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t p = 0; p < headSize; ++p) {
      for (int64_t n = 0; n < stateSize; ++n) {
        state(h, n, p) = recorded(h, p, n);
      }
    }
  }
  return state;
}

Tensor zeroState(const SSDInputs &inputs) {
  return Tensor({inputs.x.shape[1], inputs.b.shape[2], inputs.x.shape[2]});
}

class SSDGolden : public testing::TestWithParam<const char *> {};

TEST_P(SSDGolden, RunsAsRecorded) {
  GoldenFile golden(
      goldenPath(std::string("ops/") + GetParam() + ".safetensors"));
  Tensor x = golden.tensor("x"), y = golden.tensor("y");
  Tensor finalState = golden.tensor("final_state");
  for (int64_t sequence = 0; sequence < x.shape[0]; ++sequence) {
    SSDInputs inputs{slice(x, sequence),
                     slice(golden.tensor("dt"), sequence),
                     golden.tensor("A"),
                     slice(golden.tensor("B"), sequence),
                     slice(golden.tensor("C"), sequence),
                     std::nullopt};
    if (golden.has("D")) {
      inputs.skip = golden.tensor("D");
    }
    Tensor before = zeroState(inputs);
    if (golden.has("initial_state")) {
      before = stateOf(slice(golden.tensor("initial_state"), sequence));
    }
    Tensor wantY = slice(y, sequence),
           wantState = stateOf(slice(finalState, sequence));
    int64_t length = x.shape[1] + inputs.b.shape[2];
    for (SSDResult got : {ssd(inputs, before), ssdChunk(inputs, before)}) {
      EXPECT_LE(maxError(got.y, wantY), toleranceF32(wantY, length));
      EXPECT_LE(maxError(got.state, wantState),
                toleranceF32(wantState, length));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, SSDGolden,
                         testing::Values("ssd_growing", "ssd_long",
                                         "ssd_one_step", "ssd_ragged",
                                         "ssd_resumed"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(SSD, DualFormIsTheRecurrence) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  auto random = [&](std::initializer_list<int64_t> shape) {
    Tensor x(shape);
    for (double &value : x.data) {
      value = normal(engine);
    }
    return x;
  };
  for (int trial = 0; trial < 200; ++trial) {
    auto pick = [&](int64_t most) {
      return static_cast<int64_t>(engine() % most) + 1;
    };
    int64_t rows = pick(40), groups = pick(3), heads = groups * pick(3);
    int64_t headSize = pick(9), stateSize = pick(9);
    SSDInputs inputs{random({rows, heads, headSize}),
                     random({rows, heads}),
                     random({heads}),
                     random({rows, groups, stateSize}),
                     random({rows, groups, stateSize}),
                     std::nullopt};
    for (double &value : inputs.step.data) {
      value = std::abs(value) / 8.0;
    }
    if (trial % 2) {
      inputs.skip = random({heads});
    }
    Tensor before = random({heads, stateSize, headSize});
    SSDResult one = ssd(inputs, before), other = ssdChunk(inputs, before);
    // terms cancel: the bound goes by what is summed, not by the sums
    double grown = 1.0;
    for (int64_t h = 0; h < heads; ++h) {
      double steps = 0.0;
      for (int64_t t = 0; t < rows; ++t) {
        steps += inputs.step(t, h);
      }
      grown = std::max(grown, std::exp(inputs.a(h) * steps));
    }
    double largest =
        grown * (1.0 + maxMagnitude(before)) * (1.0 + maxMagnitude(inputs.b)) *
        (1.0 + maxMagnitude(inputs.c)) * (1.0 + maxMagnitude(inputs.x));
    double terms = static_cast<double>(rows * stateSize + stateSize + 1);
    // each exponential repeats the error of a logarithm summed over all rows
    double bound = largest * terms * static_cast<double>(rows + 8) * 0x1p-52;
    ASSERT_LE(maxError(other.y, one.y), bound) << "trial " << trial;
    ASSERT_LE(maxError(other.state, one.state), bound) << "trial " << trial;
  }
}

TEST(SSD, OneHeadByHand) {
  // decay 1/2 per row; c reads what the row has just added
  double half = std::log(0.5);
  SSDInputs inputs{Tensor({2, 1, 1}, {3.0, 5.0}), Tensor({2, 1}, {1.0, 1.0}),
                   Tensor({1}, {half}),           Tensor({2, 1, 1}, {1.0, 2.0}),
                   Tensor({2, 1, 1}, {1.0, 1.0}), Tensor({1}, {10.0})};
  for (const SSDResult &got : {ssd(inputs, Tensor({1, 1, 1}, {4.0})),
                               ssdChunk(inputs, Tensor({1, 1, 1}, {4.0}))}) {
    EXPECT_DOUBLE_EQ(got.y.data[0], 5.0 + 30.0);
    EXPECT_DOUBLE_EQ(got.y.data[1], 12.5 + 50.0);
    EXPECT_DOUBLE_EQ(got.state.data[0], 12.5);
  }
}

TEST(SSD, HeadsShareTheirGroup) {
  SSDInputs inputs{Tensor({1, 4, 1}, {1.0, 1.0, 1.0, 1.0}),
                   Tensor({1, 4}, {1.0, 1.0, 1.0, 1.0}),
                   Tensor({4}),
                   Tensor({1, 2, 1}, {1.0, 1.0}),
                   Tensor({1, 2, 1}, {2.0, 3.0}),
                   std::nullopt};
  Tensor before({4, 1, 1});
  EXPECT_EQ(ssd(inputs, before).y.data,
            (std::vector<double>{2.0, 2.0, 3.0, 3.0}));
  EXPECT_EQ(ssdChunk(inputs, before).y.data,
            (std::vector<double>{2.0, 2.0, 3.0, 3.0}));
}

TEST(SSD, NoRowsLeaveTheState) {
  SSDInputs inputs{Tensor({0, 1, 2}), Tensor({0, 1}),    Tensor({1}, {-1.0}),
                   Tensor({0, 1, 1}), Tensor({0, 1, 1}), std::nullopt};
  Tensor before({1, 1, 2}, {7.0, 8.0});
  EXPECT_EQ(ssd(inputs, before).state.data, before.data);
  EXPECT_EQ(ssdChunk(inputs, before).state.data, before.data);
}

} // namespace
