// Every piece becomes alternating stretches (match or gap); the behaviour then
// joins or drops them.
#include "runtime/Tokenizer/Split.h"

#include <algorithm>

namespace cheems {

namespace {

struct Stretch {
  TextSpan span;
  bool match;
};

/// Joins a stretch to the one taken before it when `join(stretch, match of the
/// one before)`; gap and match alike start as "no match" before the first.
template <typename Iterator, typename Join>
void joinStretches(const Iterator &begin, const Iterator &end,
                   std::vector<TextSpan> &out, Join join) {
  bool previous = false;
  size_t first = out.size();
  for (Iterator stretch = begin; stretch != end; ++stretch) {
    if (join(stretch->match, previous) && out.size() > first) {
      out.back().begin = std::min(out.back().begin, stretch->span.begin);
      out.back().end = std::max(out.back().end, stretch->span.end);
    } else {
      out.push_back(stretch->span);
    }
    previous = stretch->match;
  }
}

} // namespace

SplitBehavior parseSplitBehavior(const std::string &name,
                                 const std::string &where) {
  if (name == "Isolated") {
    return SplitBehavior::isolated;
  }
  if (name == "Removed") {
    return SplitBehavior::removed;
  }
  if (name == "MergedWithPrevious") {
    return SplitBehavior::mergedWithPrevious;
  }
  if (name == "MergedWithNext") {
    return SplitBehavior::mergedWithNext;
  }
  if (name == "Contiguous") {
    return SplitBehavior::contiguous;
  }
  tokenizer_json::unsupported(
      where, "behavior " + tokenizer_json::shown(name),
      "Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous");
}

void Split::apply(Pieces &pieces) const {
  std::vector<TextSpan> cut, matches;
  std::vector<Stretch> stretches;
  for (size_t index = 0; index < pieces.spans.size(); ++index) {
    std::string_view piece = pieces[index];
    size_t base = pieces.spans[index].begin;
    pattern.findAll(piece, matches);
    stretches.clear();
    size_t from = 0;
    for (TextSpan match : matches) {
      if (from != match.begin) {
        stretches.push_back({{base + from, base + match.begin}, invert});
      }
      stretches.push_back({{base + match.begin, base + match.end}, !invert});
      from = match.end;
    }
    if (from != piece.size()) {
      stretches.push_back({{base + from, base + piece.size()}, invert});
    }

    auto matchAfterGap = [](bool match, bool previous) {
      return match && !previous;
    };
    switch (behavior) {
    case SplitBehavior::isolated:
      joinStretches(stretches.begin(), stretches.end(), cut,
                    [](bool, bool) { return false; });
      break;
    case SplitBehavior::removed:
      for (const Stretch &stretch : stretches) {
        if (!stretch.match) {
          cut.push_back(stretch.span);
        }
      }
      break;
    case SplitBehavior::mergedWithPrevious:
      joinStretches(stretches.begin(), stretches.end(), cut, matchAfterGap);
      break;
    case SplitBehavior::mergedWithNext: {
      size_t first = cut.size();
      joinStretches(stretches.rbegin(), stretches.rend(), cut, matchAfterGap);
      std::reverse(cut.begin() + static_cast<std::ptrdiff_t>(first), cut.end());
      break;
    }
    case SplitBehavior::contiguous:
      joinStretches(
          stretches.begin(), stretches.end(), cut,
          [](bool match, bool previous) { return match == previous; });
      break;
    }
  }
  cut.erase(
      std::remove_if(cut.begin(), cut.end(),
                     [](TextSpan span) { return span.begin == span.end; }),
      cut.end());
  pieces.spans = std::move(cut);
}

} // namespace cheems
