#include "runtime/Grammar/CharacterSet.h"

#include <algorithm>

namespace cheems::grammar {

void CharacterSet::add(uint32_t first, uint32_t final) {
  // the ranges that touch the new one become a part of it
  auto begin = std::lower_bound(
      ranges.begin(), ranges.end(), first,
      [](auto range, uint32_t value) { return range.second + 1 < value; });
  auto end = begin;
  std::pair<uint32_t, uint32_t> all = {first, final};
  for (; end != ranges.end() && end->first <= final + 1; ++end) {
    all.first = std::min(all.first, end->first);
    all.second = std::max(all.second, end->second);
  }
  ranges.insert(ranges.erase(begin, end), all);
  if (final >= 0xD800 && first <= 0xDFFF) {
    remove(0xD800, 0xDFFF);
  }
}

void CharacterSet::add(const CharacterSet &other) {
  for (auto [first, final] : other.ranges) {
    add(first, final);
  }
}

void CharacterSet::remove(uint32_t first, uint32_t final) {
  std::vector<std::pair<uint32_t, uint32_t>> kept;
  for (auto [begin, end] : ranges) {
    if (end < first || begin > final) {
      kept.emplace_back(begin, end);
      continue;
    }
    if (begin < first) {
      kept.emplace_back(begin, first - 1);
    }
    if (end > final) {
      kept.emplace_back(final + 1, end);
    }
  }
  ranges = std::move(kept);
}

CharacterSet CharacterSet::negated() const {
  CharacterSet rest;
  uint32_t next = 0;
  auto append = [&](uint32_t first, uint32_t final) {
    if (first <= final) {
      rest.ranges.emplace_back(first, final);
    }
  };
  for (auto [first, final] : ranges) {
    if (first > next) {
      append(next, first - 1);
    }
    next = final + 1;
  }
  append(next, last);
  rest.remove(0xD800, 0xDFFF);
  return rest;
}

CharacterSet CharacterSet::intersected(const CharacterSet &other) const {
  CharacterSet both;
  auto left = ranges.begin(), right = other.ranges.begin();
  while (left != ranges.end() && right != other.ranges.end()) {
    uint32_t first = std::max(left->first, right->first),
             final = std::min(left->second, right->second);
    if (first <= final) {
      both.ranges.emplace_back(first, final);
    }
    ++(left->second < right->second ? left : right);
  }
  return both;
}

bool CharacterSet::contains(uint32_t character) const {
  return std::any_of(ranges.begin(), ranges.end(), [&](auto range) {
    return range.first <= character && character <= range.second;
  });
}

} // namespace cheems::grammar
