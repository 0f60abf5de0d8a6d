#include "server/Api/TokenHold.h"

#include <algorithm>
#include <utility>

namespace cheems::serve {

TextPiece TokenHold::told(Held held) {
  size_t end = std::min(held.end, given + text.size());
  size_t count = end > given ? end - given : 0;
  held.piece.text = text.substr(0, count);
  text.erase(0, count);
  given += count;
  return std::move(held.piece);
}

std::vector<TextPiece> TokenHold::push(TextPiece piece) {
  text += piece.text;
  size_t begin = generated;
  size_t known = given + text.size(); // of it, that can be told
  generated = known + piece.held;
  std::vector<TextPiece> out;
  TextPiece rest; // after the last token's
  rest.choice = piece.choice;
  bool isToken = piece.token.has_value();
  if (isToken) {
    waiting.push_back({std::move(piece), begin, generated});
  }
  while (!waiting.empty() && waiting.front().begin < known &&
         waiting.front().end <= known) {
    out.push_back(told(std::move(waiting.front())));
    waiting.pop_front();
  }
  if (!isToken && !text.empty()) {
    given += text.size();
    rest.text = std::exchange(text, std::string());
    out.push_back(std::move(rest));
  }
  return out;
}

std::vector<TextPiece> TokenHold::finish(bool stopped) {
  size_t known = given + text.size();
  std::vector<TextPiece> out;
  for (Held &held : waiting) {
    if (stopped && held.begin >= known) {
      held.piece.logprob.reset();
    }
    out.push_back(told(std::move(held)));
  }
  waiting.clear();
  return out;
}

} // namespace cheems::serve
