// Random texts of schemas, for random_schemas.py: reads a schema a line, prints
// a JSON list of texts a line, or a refusal as a string. A line may be a list
// of a schema and of texts: then it prints of each whether it is one of the
// schema's.
#include "TestSupport.h"
#include "runtime/Json/Json.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <random>

using namespace cheems;
using namespace cheems::grammar_tests;

/// Chooses tokens at random; what closes is chosen more often, or texts would
/// hardly end. Nothing: it did not end.
static std::optional<std::string>
walk(const GrammarPointer &grammar,
     const std::shared_ptr<const VocabularyTrie> &trie, std::mt19937 &random) {
  TokenConstraint constraint(grammar, trie);
  std::string text;
  for (int step = 0; step < 3000; ++step) {
    if (constraint.mustEnd() || (constraint.mayEnd() && random() % 3 == 0)) {
      return text;
    }
    const std::vector<uint32_t> &mask = constraint.mask({});
    std::vector<int32_t> allowed, closing;
    for (size_t token = 0; token < trie->vocabulary(); ++token) {
      if (allows(mask, token)) {
        allowed.push_back(static_cast<int32_t>(token));
        char first = trie->bytes(allowed.back())[0];
        if (first == '"' || first == ']' || first == '}') {
          closing.push_back(allowed.back());
        }
      }
    }
    bool closes = !closing.empty() && (step > 100 || random() % 4 == 0);
    const auto &choice = closes ? closing : allowed;
    int32_t token = choice[random() % choice.size()];
    constraint.accept(token);
    text += trie->bytes(token);
  }
  return std::nullopt;
}

int main() {
  std::vector<std::string> tokens = byteTokens();
  for (const char *token :
       {"{\"",  "\":",   "\": ", "\",",   "\", \"", "\"}",   "},", "}}",
        "]}",   "]]",    "true", "false", "null",   "abc",   "12", "é",
        "日本", "\\u00", "\\n",  "a\"",   "1]",     "e\": ", "-1", "{}",
        "[]",   "[[",    " [",   "[{\"",  ", ",     "0.5"}) {
    tokens.emplace_back(token);
  }
  auto trie = trieOf(tokens);
  std::mt19937 random(1);
  std::string line;
  while (std::getline(std::cin, line)) {
    nlohmann::json answer = nlohmann::json::array();
    try {
      auto asked = parseJsonOrThrow<nlohmann::ordered_json>(line);
      GrammarPointer grammar =
          jsonSchemaGrammar(asked.is_array() ? asked[0].dump() : line);
      if (asked.is_array()) {
        for (const auto &text : asked[1]) {
          answer.push_back(accepts(grammar, text.get<std::string>()));
        }
        std::cout << answer.dump() << std::endl;
        continue;
      }
      for (int text = 0; text < 6; ++text) {
        std::optional<std::string> found = walk(grammar, trie, random);
        answer.push_back(found ? nlohmann::json(*found) : nullptr);
      }
    } catch (const Error &error) {
      answer = error.what();
    }
    std::cout << answer.dump() << std::endl;
  }
}
