// Holds tokens back until it is known that their text is a part of the answer:
// what is told of a token must not tell what a stop string took away.
#ifndef CHEEMS_SERVER_API_TOKENHOLD_H
#define CHEEMS_SERVER_API_TOKENHOLD_H

#include "server/Engine/GenerationEngine.h"

#include <deque>
#include <string>
#include <vector>

namespace cheems::serve {

/// Holds back tokens of one choice. The joined texts of all pieces stay as they
/// were; each token comes with its own text, as far as that may be told.
class TokenHold {
public:
  /// The pieces that can be told now. A token can when all of its text can; one
  /// without text, such as half a character, when some after it can.
  std::vector<TextPiece> push(TextPiece piece);
  /// The others. Where a stop string ended the text, those that are of it alone
  /// have no log-probabilities.
  std::vector<TextPiece> finish(bool stopped);

private:
  struct Held {
    TextPiece piece;
    size_t begin, end; ///< of its text, in bytes of the whole text
  };
  TextPiece told(Held held);

  std::deque<Held> waiting;
  std::string text;     ///< that may be told, from byte `given` on
  size_t given = 0;     ///< bytes that went out with pieces
  size_t generated = 0; ///< bytes so far, with those that are held back
};

} // namespace cheems::serve

#endif
