#include "runtime/ChatTemplate/Sorting.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace cheems::jinja {
namespace {

TEST(Sorting, KeepsTheOrderOfWhatIsEqual) {
  std::mt19937 random(1);
  for (size_t size = 0; size < 70; ++size) {
    MeteredVector<std::pair<int, size_t>> items;
    for (size_t place = 0; place < size; ++place) {
      items.emplace_back(static_cast<int>(random() % 9), place);
    }
    auto expected = items;
    std::sort(expected.begin(), expected.end()); // by key, then by index
    sortStably(items,
               [](const auto &a, const auto &b) { return a.first < b.first; });
    EXPECT_EQ(items, expected) << size;
  }
}

TEST(Sorting, LosesNothingWhereTheOrderContradictsItself) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  MeteredVector<double> items = {3, nan, 1, nan, 2, nan, 0};
  sortStably(items, std::less<>());
  std::sort(items.begin(), items.end(), [](double a, double b) {
    return (a != a ? -1 : a) < (b != b ? -1 : b);
  });
  EXPECT_EQ(std::count_if(items.begin(), items.begin() + 3,
                          [](double item) { return item != item; }),
            3);
  EXPECT_EQ((std::vector<double>(items.begin() + 3, items.end())),
            (std::vector<double>{0, 1, 2, 3}));
}

TEST(Sorting, ItsMemoryIsCounted) {
  MeteredVector<int> items(1000);
  Meter meter(3000); // bytes: fewer than a second list of them takes
  EXPECT_THROW(sortStably(items, std::less<>()), std::exception);
}

} // namespace
} // namespace cheems::jinja
