// Texts held against grammars byte by byte, and small vocabularies.
#ifndef CHEEMS_TEST_UNIT_GRAMMAR_TESTSUPPORT_H
#define CHEEMS_TEST_UNIT_GRAMMAR_TESTSUPPORT_H

#include "runtime/Error.h"
#include "runtime/Grammar/Automaton.h"
#include "runtime/Grammar/TokenConstraint.h"
#include "runtime/Grammar/VocabularyTrie.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::grammar_tests {

using GrammarPointer = std::shared_ptr<const Grammar>;
using grammar::Automaton;

/// Returns where `text` leads; dead where no text begins so.
inline Automaton::Position after(Automaton &automaton, std::string_view text) {
  Automaton::Position position = automaton.start();
  for (char byte : text) {
    automaton.beginStep();
    position = automaton.step(position, static_cast<uint8_t>(byte));
  }
  return position;
}

/// Each byte is a token.
inline std::vector<std::string> byteTokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) {
    tokens.emplace_back(1, static_cast<char>(byte));
  }
  return tokens;
}

inline std::shared_ptr<const VocabularyTrie>
trieOf(const std::vector<std::string> &tokens) {
  return std::make_shared<VocabularyTrie>(tokens, tokens.size());
}

inline bool allows(const std::vector<uint32_t> &mask, size_t token) {
  return (mask[token / 32] >> token % 32 & 1) != 0;
}

/// Whether masks allow the text byte by byte. They know more than the automaton
/// of a grammar with lists whose items must differ.
inline bool follows(TokenConstraint &constraint, std::string_view text) {
  for (char byte : text) {
    auto token = static_cast<uint8_t>(byte);
    if (!allows(constraint.mask({}), token)) {
      return false;
    }
    constraint.accept(token);
  }
  return true;
}

inline bool begins(const GrammarPointer &grammar, std::string_view text) {
  if (grammar->hasDistinct) {
    TokenConstraint constraint(grammar, trieOf(byteTokens()));
    return follows(constraint, text);
  }
  Automaton automaton(grammar);
  return after(automaton, text).state != Automaton::dead;
}

inline bool accepts(Automaton &automaton, std::string_view text) {
  Automaton::Position position = after(automaton, text);
  return position.state != Automaton::dead && position.base == 0 &&
         automaton.returns(position.state);
}

inline bool accepts(const GrammarPointer &grammar, std::string_view text) {
  if (grammar->hasDistinct) {
    TokenConstraint constraint(grammar, trieOf(byteTokens()));
    return follows(constraint, text) && constraint.mayEnd();
  }
  Automaton automaton(grammar);
  return accepts(automaton, text);
}

inline void expectTexts(const GrammarPointer &grammar,
                        const std::vector<std::string> &accepted,
                        const std::vector<std::string> &refused) {
  for (const std::string &text : accepted) {
    EXPECT_TRUE(accepts(grammar, text)) << text;
  }
  for (const std::string &text : refused) {
    EXPECT_FALSE(accepts(grammar, text)) << text;
  }
}

/// The message of the Error(usage) that `make` throws; empty: none.
inline std::string refusal(const std::function<void()> &make) {
  try {
    make();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::usage) << error.what();
    return error.what();
  }
  return "";
}

inline GrammarPointer schema(const std::string &text) {
  return jsonSchemaGrammar(text);
}

/// Why the schema is refused; empty: it is not.
inline std::string fault(const std::string &text) {
  return refusal([&] { jsonSchemaGrammar(text); });
}

} // namespace cheems::grammar_tests

#endif
