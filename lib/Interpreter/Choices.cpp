// Choices that could as well have been others.
#include "cheems/Interpreter/Choices.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace cheems::interpreter {

double deviationOf(const Tensor &numbers) {
  double sum = 0.0, squares = 0.0;
  auto count = static_cast<double>(numbers.data.size());
  for (double number : numbers.data) {
    sum += number;
    squares += number * number;
  }
  double square = squares / count - sum / count * (sum / count);
  return square > 0.0 ? std::sqrt(square) : 1.0;
}

Tensor ownChoice(const Choice &choice) {
  Tensor own(choice.chosen.shape);
  double none =
      choice.isOfExperts() ? -1.0 : std::numeric_limits<double>::quiet_NaN();
  std::fill(own.data.begin(), own.data.end(), none);
  return own;
}

/// One expert of a head for one that it has not.
static void exchangeExperts(const Choice &choice, int64_t row, int64_t head,
                            double reach, std::vector<Alternative> &found) {
  int64_t heads = choice.chosen.shape[1], k = choice.chosen.shape[2],
          keys = choice.own.shape[3];
  double unit = deviationOf(choice.own);
  auto first = static_cast<size_t>((row * heads + head) * k);
  auto scoreOf = [&](int64_t expert) {
    return choice.own(row, 0, head, expert / keys) +
           choice.own(row, 1, head, expert % keys);
  };
  std::vector<int64_t> taken(choice.chosen.data.begin() + first,
                             choice.chosen.data.begin() + first + k);
  for (int64_t other = 0; other < keys * keys; ++other) {
    if (std::find(taken.begin(), taken.end(), other) != taken.end()) {
      continue;
    }
    for (int64_t i = 0; i < k; ++i) {
      double loss = (scoreOf(taken[i]) - scoreOf(other)) / unit;
      if (!(loss <= reach)) {
        continue;
      }
      Alternative &each = found.emplace_back();
      each.name = choice.name;
      each.loss = loss;
      for (int64_t j = 0; j < k; ++j) {
        each.changes.emplace_back(
            first + j, static_cast<double>(j == i ? other : taken[j]));
      }
    }
  }
}

/// The keys that a row may see, best first.
static std::vector<int64_t> rankedKeys(const Choice &choice, int64_t row,
                                       int64_t head) {
  std::vector<int64_t> keys;
  for (int64_t key = choice.first[row]; key <= row; ++key) {
    keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end(), [&](int64_t one, int64_t other) {
    double first = choice.chosen(one, head),
           second = choice.chosen(other, head);
    return first != second ? first > second : one < other;
  });
  return keys;
}

/// Finds alternatives that exchange one of the keys that stay with one of those
/// that do not.
static void exchangeKeys(const Choice &choice, int64_t row, int64_t head,
                         double reach, std::vector<Alternative> &found) {
  std::vector<int64_t> keys = rankedKeys(choice, row, head);
  auto place = [&](int64_t key) {
    return static_cast<size_t>(key * choice.chosen.shape[1] + head);
  };
  double unit = deviationOf(choice.own);
  auto count = static_cast<int64_t>(keys.size());
  constexpr int64_t near = 3; // on either side
  for (int64_t i = std::max<int64_t>(choice.keep - near, 0);
       i < choice.keep && choice.keep < count; ++i) {
    for (int64_t j = choice.keep; j < std::min(choice.keep + near, count);
         ++j) {
      int64_t kept = keys[i], dropped = keys[j];
      double loss = (choice.own(kept, head) - choice.own(dropped, head)) / unit;
      if (loss <= reach) {
        found.push_back({choice.name,
                         loss,
                         {{place(kept), choice.chosen(dropped, head)},
                          {place(dropped), choice.chosen(kept, head)}}});
      }
    }
  }
}

/// A key comes to the other side of the threshold.
static void turnKeys(const Choice &choice, int64_t row, int64_t head,
                     double reach, std::vector<Alternative> &found) {
  double unit = deviationOf(choice.own), limit = choice.hideBelow;
  for (int64_t key = choice.first[row]; key <= row; ++key) {
    double loss = std::abs(choice.own(key, head) - limit) / unit;
    if (loss <= reach) {
      bool seen = choice.chosen(key, head) >= limit;
      auto place = static_cast<size_t>(key * choice.chosen.shape[1] + head);
      found.push_back(
          {choice.name,
           loss,
           {{place, seen ? std::nextafter(static_cast<float>(limit), -1.0F)
                         : limit}}});
    }
  }
}

std::vector<Alternative> alternatives(const Choice &choice, int64_t row,
                                      double reach) {
  std::vector<Alternative> found;
  for (int64_t head = 0; head < choice.chosen.shape[1]; ++head) {
    auto exchange = choice.isOfExperts() ? exchangeExperts
                    : choice.keep != 0   ? exchangeKeys
                                         : turnKeys;
    exchange(choice, row, head, reach, found);
  }
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace cheems::interpreter
