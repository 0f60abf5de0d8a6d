// Texts that end a generation: found in text that comes piece by piece.
#ifndef CHEEMS_RUNTIME_TEXT_STOPSTRINGS_H
#define CHEEMS_RUNTIME_TEXT_STOPSTRINGS_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

/// Holds back what may be the beginning of a stop string, and nothing else. Of
/// several, the one counts that is complete first; of those that end at one
/// place, the longest. So the pieces do not matter.
class StopStrings {
public:
  /// Empty texts are left out: nothing would be generated before them.
  explicit StopStrings(std::vector<std::string> texts);

  /// The text that can be handed out now. Nothing after a stop string.
  std::string push(const std::string &text);
  /// What was held back, where no stop string came.
  std::string finish();
  /// How much that is.
  size_t heldBytes() const { return held.size(); }
  /// The one that came, which is not a part of the text.
  const std::optional<std::string> &found() const { return stop; }

private:
  std::vector<std::string> texts;
  std::string held;
  std::optional<std::string> stop;
};

} // namespace cheems

#endif
