// Changes of a module's text, a token at a time.
#include "Mutate.h"
#include <regex>

namespace cheems::test {

namespace {

struct Token {
  size_t begin, end;
  char kind; ///< 'n'umber, 'v'alue, 'w'ord, 's'tring, 'p'unctuation
};

std::vector<Token> tokensOf(const std::string &text) {
  static const std::regex token(
      R"((-?[0-9]+(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?)?)|([%@^#!][\w.$-]+(?::\d+)?(?:#\d+)?)|([A-Za-z_][\w.]*)|("[^"\n]*")|(->|[^\s\w]))");
  std::vector<Token> tokens;
  for (std::sregex_iterator match(text.begin(), text.end(), token), end;
       match != end; ++match) {
    for (size_t group = 1; group <= 5; ++group) {
      if ((*match)[group].matched) {
        size_t begin = match->position(group);
        tokens.push_back(
            {begin, begin + match->length(group), "nvwsp"[group - 1]});
      }
    }
  }
  return tokens;
}

std::string otherNumber(Random &random) {
  static const std::vector<std::string> numbers{
      "0",          "1",
      "-1",         "2",
      "3",          "7",
      "16",         "17",
      "1000",       "1.5",
      "0.0",        "?",
      "4294967296", "9223372036854775807",
      "1e9",        "0x0",
      "64",         "0x7FC00000"};
  return random.of(numbers);
}

} // namespace

std::string mutateText(const std::string &text, Random &random) {
  std::vector<Token> tokens = tokensOf(text);
  if (tokens.empty()) {
    return text;
  }
  const Token &token = random.of(tokens);
  std::string own = text.substr(token.begin, token.end - token.begin);
  // Another token of its kind, somewhere in the text.
  std::vector<Token> alike;
  for (const Token &other : tokens) {
    if (other.kind == token.kind) {
      alike.push_back(other);
    }
  }
  const Token &other = random.of(alike);
  std::string theirs = text.substr(other.begin, other.end - other.begin);
  std::string before = text.substr(0, token.begin),
              after = text.substr(token.end);
  switch (random.below(token.kind == 'n' ? 10 : 6)) {
  case 0:
    return before + after;
  case 1:
    return before + own + " " + own + after;
  case 2: // cut off
    return random.once(4) ? before : before + theirs + after;
  case 3:
  case 4:
  case 5:
    return before + theirs + after;
  default:
    return before + otherNumber(random) + after;
  }
}

} // namespace cheems::test
