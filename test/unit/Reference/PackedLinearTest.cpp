// Packed weights by hand.
#include "cheems/Reference/PackedLinear.h"
#include "gtest/gtest.h"

using namespace cheems::reference;

namespace {

TEST(QuantizedWeights, BytesStandPlus128AndHalvesOfBytesPlus8) {
  Tensor bytes({1, 2, 16, 4}), halves({1, 1, 16, 4}), scales({1, 1, 16});
  for (int64_t k = 0; k < 8; ++k) {
    bytes(0, k / 4, 3, k % 4) = static_cast<double>(128 - 127 + k);
  }
  for (int64_t k = 0; k < 4; ++k) {
    halves(0, 0, 3, k) = static_cast<double>(k | (15 - k) << 4);
  }
  scales(0, 0, 3) = 0.5;
  QuantizedWeights w = unpacked(bytes, scales, 4, 8, /*bits=*/8);
  EXPECT_EQ(w.codes(3, 0), -127.0);
  EXPECT_EQ(w.codes(3, 7), -120.0);
  EXPECT_EQ(w.codes(2, 7), -128.0) << "the byte 0";
  EXPECT_EQ(w.scales(3, 0), 0.5);
  w = unpacked(halves, scales, 4, 8, /*bits=*/4);
  EXPECT_EQ(w.codes(3, 0), -8.0);
  EXPECT_EQ(w.codes(3, 3), -5.0);
  EXPECT_EQ(w.codes(3, 4), 7.0);
  EXPECT_EQ(w.codes(3, 7), 4.0);
}

} // namespace
