// Set algebra over ranges; tables are searched or walked, never copied whole.
#include "runtime/Tokenizer/CodePoints.h"

#include "runtime/Tokenizer/UnicodeData.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace cheems {

CodePoints::CodePoints(char32_t first, char32_t last) : ranges{{first, last}} {}

void CodePoints::append(char32_t first, char32_t last) {
  if (!ranges.empty() && ranges.back().last + 1 >= first) {
    ranges.back().last = std::max(ranges.back().last, last);
  } else {
    ranges.push_back({first, last});
  }
}

bool CodePoints::contains(char32_t codepoint) const {
  auto after = std::upper_bound(
      ranges.begin(), ranges.end(), codepoint,
      [](char32_t value, const Range &range) { return value < range.first; });
  return after != ranges.begin() && codepoint <= std::prev(after)->last;
}

CodePoints CodePoints::operator|(const CodePoints &other) const {
  std::vector<Range> all = ranges;
  all.insert(all.end(), other.ranges.begin(), other.ranges.end());
  std::sort(all.begin(), all.end(), [](const Range &left, const Range &right) {
    return left.first < right.first;
  });
  CodePoints sum;
  for (Range range : all) {
    sum.append(range.first, range.last);
  }
  return sum;
}

CodePoints CodePoints::operator~() const {
  CodePoints rest;
  char32_t next = 0;
  for (Range range : ranges) {
    if (range.first > next) {
      rest.append(next, range.first - 1);
    }
    next = range.last + 1;
  }
  if (next <= 0x10FFFF) {
    rest.append(next, 0x10FFFF);
  }
  return rest;
}

CodePoints CodePoints::operator&(const CodePoints &other) const {
  return ~(~*this | ~other);
}

std::string CodePoints::members() const {
  std::vector<Range> sorted = ranges;
  std::sort(sorted.begin(), sorted.end(), [](Range left, Range right) {
    char32_t one = left.last - left.first, other = right.last - right.first;
    return one != other ? one > other : left.first < right.first;
  });
  std::string text;
  for (Range range : sorted) {
    // PCRE2 takes no surrogate for an end of a range
    auto surrogate = [](char32_t value) {
      return value >= 0xD800 && value <= 0xDFFF;
    };
    range.first = surrogate(range.first) ? 0xE000 : range.first;
    range.last = surrogate(range.last) ? 0xD7FF : range.last;
    if (range.first > range.last) {
      continue;
    }
    char shown[32];
    std::snprintf(shown, sizeof shown,
                  range.first == range.last ? "\\x{%x}" : "\\x{%x}-\\x{%x}",
                  static_cast<unsigned>(range.first),
                  static_cast<unsigned>(range.last));
    text += shown;
  }
  return text;
}

namespace unicode {

namespace {

/// The code points of a partition's stretches whose low `shift` bits satisfy
/// `holds`.
template <typename Holds>
CodePoints stretches(const uint32_t *table, size_t count, int shift,
                     Holds holds) {
  CodePoints found;
  for (size_t index = 0; index < count; ++index) {
    if (holds(table[index] & ((1u << shift) - 1))) {
      found.append(table[index] >> shift, index + 1 < count
                                              ? (table[index + 1] >> shift) - 1
                                              : 0x10FFFF);
    }
  }
  return found;
}

} // namespace

CodePoints ofCategory(std::string_view name) {
  return stretches(attributes, attributesCount, 11, [&](uint32_t bits) {
    std::string_view category(categoryNames + size_t(2) * (bits & categoryBits),
                              2);
    return category.substr(0, name.size()) == name;
  });
}

CodePoints withAttribute(uint32_t wanted) {
  return stretches(attributes, attributesCount, 11,
                   [&](uint32_t bits) { return (bits & wanted) != 0; });
}

std::optional<CodePoints> ofScript(std::string_view name) {
  const char *const *end = scriptNames + scriptNamesCount;
  const char *const *found = std::find(scriptNames, end, name);
  if (found == end) {
    return std::nullopt;
  }
  auto script = static_cast<uint32_t>(found - scriptNames);
  return stretches(scripts, scriptsCount, 8,
                   [&](uint32_t bits) { return bits == script; });
}

const CodePoints &normalizable() {
  static const CodePoints all = [] {
    CodePoints made;
    for (size_t index = 0; index + 1 < normalizableBoundsCount; index += 2) {
      made.append(normalizableBounds[index], normalizableBounds[index + 1] - 1);
    }
    return made;
  }();
  return all;
}

uint32_t splitScript(char32_t codepoint) {
  const uint32_t *after = std::upper_bound(
      splitScripts, splitScripts + splitScriptsCount, codepoint << 8 | 0xFF);
  return after[-1] & 0xFF;
}

char32_t toLower(char32_t codepoint) {
  struct Run {
    uint32_t first, last, step, difference;
  };
  // runs of step 2 lie in one another: the capital and the small half of a run
  // of pairs; no more than the two before can hold a character
  size_t low = 0, high = lowerCaseCount / 4;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (lowerCase[4 * middle] <= codepoint) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (size_t index = low; index > 0 && index + 2 > low; --index) {
    const uint32_t *run = lowerCase + 4 * (index - 1);
    if (codepoint <= run[1] && (codepoint - run[0]) % run[2] == 0) {
      return codepoint + run[3];
    }
  }
  return codepoint;
}

} // namespace unicode

} // namespace cheems
