// Tells what a model thought from what it says, in text that comes piece by
// piece: <think>…</think> at the front of an answer.
#ifndef CHEEMS_SERVER_API_REASONINGSPLITTER_H
#define CHEEMS_SERVER_API_REASONINGSPLITTER_H

#include "runtime/Text/StopStrings.h"

#include <string>

namespace cheems::serve {

/// Says where an answer begins.
enum class Thinking {
  none,  ///< all of it is said
  may,   ///< it thinks if it begins with <think>
  inside ///< the prompt ends with <think>
};

/// All results together do not depend on how the text was cut. The first end
/// counts; tags after it are said. White space around the thinking is nobody's.
class ReasoningSplitter {
public:
  explicit ReasoningSplitter(Thinking start);

  struct Parts {
    std::string reasoning, said;
  };
  Parts push(const std::string &text);
  /// At the end of the text.
  Parts finish();

private:
  enum class Place { front, thinking, behind, said };
  void next(char byte, Parts &parts);
  void front(char byte, Parts &parts);
  void think(const std::string &text, Parts &parts);

  Place place;
  bool isInside;    ///< the thinking has begun, whether or not a tag comes
  std::string held; ///< of the front
  StopStrings end;
  std::string white; ///< held back: it may be the end of the thinking
  bool hasThought = false;
};

} // namespace cheems::serve

#endif
