#include "server/Api/ReasoningSplitter.h"

#include "server/Api/ChatStyle.h"
#include "server/Api/ValueScanner.h"

namespace cheems::serve {

ReasoningSplitter::ReasoningSplitter(Thinking start)
    : place(start == Thinking::none ? Place::said : Place::front),
      isInside(start == Thinking::inside), end({thinkingEnds}) {}

void ReasoningSplitter::think(const std::string &text, Parts &parts) {
  for (char byte : text) {
    if (isWhite(byte)) {
      white += byte;
      continue;
    }
    parts.reasoning += hasThought ? white : "";
    parts.reasoning += byte;
    white.clear();
    hasThought = true;
  }
}

/// Some models write the tag though the prompt has it.
void ReasoningSplitter::front(char byte, Parts &parts) {
  held += byte;
  size_t first = held.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) {
    return;
  }
  const std::string tag = thinkingBegins;
  std::string begun = held.substr(first);
  if (begun == tag) {
    held.clear();
    place = Place::thinking;
  } else if (tag.compare(0, begun.size(), begun) != 0) {
    place = isInside ? Place::thinking : Place::said;
    std::string all;
    all.swap(held);
    for (char each : all) {
      next(each, parts);
    }
  }
}

void ReasoningSplitter::next(char byte, Parts &parts) {
  switch (place) {
  case Place::front:
    front(byte, parts);
    break;
  case Place::thinking:
    think(end.push(std::string(1, byte)), parts);
    if (end.found()) {
      place = Place::behind;
    }
    break;
  case Place::behind:
    if (!isWhite(byte)) {
      place = Place::said;
      parts.said += byte;
    }
    break;
  case Place::said:
    parts.said += byte;
    break;
  }
}

ReasoningSplitter::Parts ReasoningSplitter::push(const std::string &text) {
  Parts parts;
  if (place == Place::said) {
    parts.said = text;
    return parts;
  }
  for (char byte : text) {
    next(byte, parts);
  }
  return parts;
}

ReasoningSplitter::Parts ReasoningSplitter::finish() {
  Parts parts;
  if (place == Place::front && isInside) {
    think(held, parts);
  } else if (place == Place::front) {
    parts.said = held;
  } else if (place == Place::thinking) {
    think(end.finish(), parts);
  }
  held.clear();
  return parts;
}

} // namespace cheems::serve
