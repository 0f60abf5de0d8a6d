// Cutting a piece at the matches of a regular expression, by the five
// behaviours tokenizer.json knows.
#ifndef CHEEMS_RUNTIME_TOKENIZER_SPLIT_H
#define CHEEMS_RUNTIME_TOKENIZER_SPLIT_H

#include "runtime/Tokenizer/PreTokenizer.h"

namespace cheems {

/// What becomes of a match: its own piece; dropped; joined to the piece before,
/// or after; joined to adjacent matches.
enum class SplitBehavior {
  isolated,
  removed,
  mergedWithPrevious,
  mergedWithNext,
  contiguous
};

SplitBehavior parseSplitBehavior(const std::string &name,
                                 const std::string &where);

class Split : public PreTokenizer {
public:
  /// `invert` makes what lies between the matches the matches.
  Split(Regex pattern, SplitBehavior behavior, bool invert)
      : pattern(std::move(pattern)), behavior(behavior), invert(invert) {}
  void apply(Pieces &pieces) const override;

private:
  Regex pattern;
  SplitBehavior behavior;
  bool invert;
};

} // namespace cheems

#endif
