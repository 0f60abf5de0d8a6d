// The highest of many numbers, against a search element by element.
#include "runtime/Sampler/Highest.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

using namespace cheems;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Finds it by both ways, which agree.
size_t ofAll(const std::vector<float> &numbers) {
  size_t found = highest(numbers.data(), numbers.size());
  EXPECT_EQ(highestPlain(numbers.data(), numbers.size()), found);
  return found;
}

/// Few values, so that many are equal; some of them -inf, 0 and -0.
std::vector<float> drawNumbers(std::mt19937 &random, size_t count) {
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    auto drawn = static_cast<int>(random() % 24);
    number = drawn == 0   ? -infinity
             : drawn == 1 ? -0.0f
                          : 0.25f * static_cast<float>(drawn - 16);
  }
  return numbers;
}

TEST(Highest, IsTheFirstOfThoseThatNoneExceeds) {
  std::mt19937 random(1);
  for (size_t count = 1; count <= 1200; count += 1 + count / 20) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<float> numbers = drawNumbers(random, count);
      auto wanted = std::max_element(numbers.begin(), numbers.end());
      EXPECT_EQ(ofAll(numbers), size_t(wanted - numbers.begin())) << count;
    }
  }
}

TEST(Highest, IsFoundInEveryPlace) {
  for (size_t place = 0; place < 1100; ++place) {
    std::vector<float> numbers(1100, -3.0f);
    numbers[place] = -2.0f;
    EXPECT_EQ(ofAll(numbers), place);
  }
}

TEST(Highest, OfNothingButMinusInfinityIsTheFirst) {
  EXPECT_EQ(ofAll(std::vector<float>(700, -infinity)), 0u);
}

TEST(Highest, IsNoneWhereANumberIsNoneOrInfinite) {
  std::mt19937 random(2);
  for (float wrong : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
    for (size_t count : {1, 15, 16, 512, 513, 1100}) {
      std::vector<float> numbers = drawNumbers(random, count);
      numbers[random() % count] = wrong;
      EXPECT_EQ(ofAll(numbers), count);
    }
  }
}

} // namespace
