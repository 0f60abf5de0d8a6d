// Masks against a check of each token by a reader that keeps every stack as it
// is, over random grammars and vocabularies.
#include "TestSupport.h"
#include "test/unit/Support/TestRun.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

namespace cheems {
namespace {

using namespace grammar_tests;

/// All ways to read a text, without states, sharing or depth.
class PlainReader {
public:
  using Place = std::pair<grammar::NodeId, std::vector<grammar::NodeId>>;
  using Places = std::set<Place>;

  explicit PlainReader(const Grammar &grammar) : grammar(grammar) {}

  Places start() const { return closed({{grammar.start, {}}}); }

  Places after(Places places, std::string_view text) const {
    for (char byte : text) {
      auto code = static_cast<uint8_t>(byte);
      Places next;
      for (const auto &[id, stack] : places) {
        const grammar::Node &node = grammar.nodes[id];
        if (node.kind == grammar::Node::bytes && node.low <= code &&
            code <= node.high) {
          next.insert({node.next, stack});
        }
      }
      places = closed(next);
    }
    return places;
  }

  bool mayEnd(const Places &places) const {
    return places.count({grammar::endNode, {}}) != 0;
  }

private:
  Places closed(const Places &from) const {
    std::vector<Place> work(from.begin(), from.end());
    Places seen;
    while (!work.empty()) {
      auto [id, stack] = work.back();
      work.pop_back();
      const grammar::Node &node = grammar.nodes[id];
      if (grammar.need[id] == grammar::endless ||
          !seen.insert({id, stack}).second) {
        continue;
      }
      if (node.kind == grammar::Node::split) {
        work.push_back({node.next, stack});
        work.push_back({node.other, stack});
      } else if (node.kind == grammar::Node::call) {
        stack.push_back(node.next);
        work.push_back({node.other, stack});
      } else if (node.kind == grammar::Node::end && !stack.empty()) {
        grammar::NodeId top = stack.back();
        stack.pop_back();
        work.push_back({top, stack});
      }
    }
    return seen;
  }

  const Grammar &grammar;
};

class Draw {
public:
  explicit Draw(uint64_t seed) : random(seed) {}
  size_t below(size_t limit) { return random() % limit; }
  template <typename List> const auto &of(const List &list) {
    return list[below(list.size())];
  }

private:
  std::mt19937_64 random;
};

const std::vector<std::string> pieces = {"a", "b",  "ab", "(",  ")",
                                         "é", "日", ",",  "aa", "x"};

std::string randomPart(Draw &draw, size_t rules, int depth) {
  switch (draw.below(depth > 2 ? 4 : 8)) {
  case 0:
    return "[a-d]";
  case 1:
    return "[^a(é]";
  case 2:
  case 3:
    return "\"" + draw.of(pieces) + "\"";
  case 4:
  case 5:
    return "r" + std::to_string(draw.below(rules));
  default: {
    std::string inside = randomPart(draw, rules, depth + 1);
    for (size_t more = draw.below(3); more > 0; --more) {
      inside +=
          (draw.below(2) ? " | " : " ") + randomPart(draw, rules, depth + 1);
    }
    const std::vector<std::string> times = {"", "*", "?", "+", "{2}", "{0,5}"};
    return "(" + inside + ")" + draw.of(times);
  }
  }
}

std::string randomGrammar(Draw &draw) {
  size_t rules = 1 + draw.below(4);
  std::string text = "root ::= r0 " + randomPart(draw, rules, 0) + "\n";
  for (size_t rule = 0; rule < rules; ++rule) {
    text += "r" + std::to_string(rule) + " ::= ";
    for (size_t count = 1 + draw.below(3); count > 0; --count) {
      text += randomPart(draw, rules, 0) + (count > 1 ? " " : "");
      text += count > 1 && draw.below(2) ? "| " : "";
    }
    text += "\n";
  }
  return text;
}

std::vector<std::string> randomVocabulary(Draw &draw) {
  std::vector<std::string> tokens = byteTokens();
  for (int count = 0; count < 150; ++count) {
    std::string token;
    for (size_t length = 1 + draw.below(5); length > 0; --length) {
      token += draw.of(pieces);
    }
    // parts of characters, too
    size_t begin = draw.below(4) == 0 ? draw.below(token.size()) : 0;
    tokens.push_back(token.substr(begin, 1 + draw.below(token.size())));
  }
  tokens.emplace_back(); // a special token
  return tokens;
}

TEST(Masks, AreThoseOfEachTokenAlone) {
  int grammars = 0, refused = 0, tokensSeen = 0, ends = 0;
#ifdef CHEEMS_ADDRESS_SANITIZER
  const int some = 8; // the release build finds wrong masks
#else
  const int some = 20;
#endif
  const int most = cheems::test::isLongRun() ? 60 : some;
  for (uint64_t seed = 0; grammars < most && seed < 2000; ++seed) {
    // half of the cases are the same in every run
    Draw draw(seed % 2 ? seed : seed + 7919 * cheems::test::testSeed());
    std::string text = randomGrammar(draw);
    GrammarPointer grammar;
    try {
      grammar = parseGbnf(text);
    } catch (const Error &) {
      continue; // left recursion, or no text
    }
    ++grammars;
    std::vector<std::string> tokens = randomVocabulary(draw);
    auto trie = trieOf(tokens);
    auto endToken = static_cast<int32_t>(tokens.size() - 1);
    PlainReader reader(*grammar);
    TokenConstraint constraint(grammar, trie);
    PlainReader::Places places = reader.start();
    std::string soFar;
    for (int step = 0; step < 12 && !places.empty(); ++step) {
      if (places.size() > 300) {
        break; // slow without states
      }
      if (step == 6) { // a copy goes on as the other would have
        TokenConstraint copy(constraint);
        ASSERT_EQ(copy.mask({endToken}), constraint.mask({endToken}));
      }
      std::vector<uint32_t> mask;
      try {
        mask = constraint.mask({endToken});
      } catch (const Error &error) {
        ASSERT_THAT(error.what(), testing::HasSubstr("too ambiguous"));
        ++refused;
        break;
      }
      std::vector<int32_t> allowed;
      for (size_t token = 0; token + 1 < tokens.size(); ++token) {
        bool is = !reader.after(places, tokens[token]).empty();
        ASSERT_EQ(allows(mask, token), is)
            << text << "after '" << soFar << "' token '" << tokens[token]
            << "'";
        if (is) {
          allowed.push_back(static_cast<int32_t>(token));
        }
      }
      ASSERT_EQ(constraint.mayEnd(), reader.mayEnd(places)) << text << soFar;
      ASSERT_EQ(allows(mask, endToken), constraint.mayEnd()) << text << soFar;
      ASSERT_EQ(constraint.mustEnd(), allowed.empty()) << text << soFar;
      ends += constraint.mayEnd();
      if (allowed.empty()) {
        break;
      }
      int32_t chosen = draw.of(allowed);
      soFar += tokens[chosen];
      constraint.accept(chosen);
      places = reader.after(places, tokens[chosen]);
      ++tokensSeen;
    }
  }
  EXPECT_EQ(grammars, most);
  EXPECT_LT(refused, 6);
  EXPECT_GT(tokensSeen, most * 10 / 3);
  EXPECT_GT(ends, most * 5 / 6);
}

TEST(Masks, EndTokensMayComeWhereTheTextMayEnd) {
  std::vector<std::string> tokens = byteTokens();
  tokens.emplace_back();
  TokenConstraint constraint(parseGbnf("root ::= [ac] \"b\"?"), trieOf(tokens));
  // an end token that has a text is not one of the text
  std::vector<int32_t> ends = {256, 'a', 1000, -1};
  const auto &first = constraint.mask(ends);
  EXPECT_FALSE(allows(first, 256));
  EXPECT_FALSE(allows(first, 'a'));
  EXPECT_THROW(constraint.accept(256), Error);
  EXPECT_TRUE(allows(constraint.mask({256}), 'a'));
  EXPECT_THROW(constraint.accept('b'), Error);
  constraint.accept('a'); // what threw changed nothing
  EXPECT_TRUE(constraint.mayEnd());
  EXPECT_FALSE(constraint.mustEnd());
  EXPECT_TRUE(allows(constraint.mask({256}), 256));
  TokenConstraint ended(constraint);
  ended.accept(256);
  EXPECT_TRUE(ended.mustEnd());
  EXPECT_FALSE(allows(ended.mask({256}), 'b'));
  EXPECT_THROW(ended.accept('b'), Error);
  constraint.accept('b');
  EXPECT_TRUE(constraint.mustEnd());
  EXPECT_EQ(constraint.mask({}), std::vector<uint32_t>(9));
}

TEST(Masks, AVocabularyThatCannotGoOnIsTold) {
  TokenConstraint constraint(parseGbnf("root ::= \"é\""),
                             trieOf({"a", "b", "e"}));
  EXPECT_THROW(constraint.mask({}), Error);
}

TEST(Masks, AreAsLargeAsTheModelsVocabulary) {
  auto trie = std::make_shared<VocabularyTrie>(
      std::vector<std::string>{"a", "b", "ab"}, 70);
  TokenConstraint constraint(parseGbnf("root ::= \"ab\""), trie);
  EXPECT_EQ(constraint.mask({}), (std::vector<uint32_t>{5, 0, 0}));
}

TEST(Masks, TokensThatCloseSeveralRulesDependOnThoseBelow) {
  std::vector<std::string> tokens = {"[", "]", "]]", "]]]", "]]]]", "1", "1]]"};
  TokenConstraint constraint(parseGbnf("root ::= \"[\" (root | \"1\")? \"]\""),
                             trieOf(tokens));
  for (int depth = 1; depth <= 3; ++depth) {
    constraint.mask({});
    constraint.accept(0);
  }
  const auto &mask = constraint.mask({});
  EXPECT_EQ(mask[0], 1u | 2 | 4 | 8 | 32 | 64);
  constraint.accept(6);
  EXPECT_EQ(constraint.mask({})[0], 2u);
}

/// What a step costs, for people: CHEEMS_GRAMMAR_BENCH=1.
TEST(Masks, Cost) {
  if (!std::getenv("CHEEMS_GRAMMAR_BENCH")) {
    GTEST_SKIP() << "skipped: a measurement, with CHEEMS_GRAMMAR_BENCH=1";
  }
  using Clock = std::chrono::steady_clock;
  auto microseconds = [](Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count();
  };
  for (size_t size : {32000, 150000}) {
    std::mt19937_64 random(1);
    std::vector<std::string> tokens = byteTokens();
    for (const char *token : {"{\"", "\":", "\": ", "\",", "\", \"", "\"}",
                              "},", "}}", "]}", "true", "false", "null"}) {
      tokens.emplace_back(token);
    }
    std::set<std::string> words;
    while (tokens.size() < size) {
      std::string word = random() % 2 ? " " : "";
      for (size_t length = 1 + random() % 9; length > 0; --length) {
        word +=
            static_cast<char>("etaoinshrdlucmfwypvbgkqjxzET0123.,:\"'"[std::min(
                random() % 37, random() % 37)]);
      }
      if (words.insert(word).second) {
        tokens.push_back(word);
      }
    }
    auto begin = Clock::now();
    auto trie = trieOf(tokens);
    std::cout << size << " tokens, trie of " << trie->nodeCount()
              << " nodes in " << microseconds(Clock::now() - begin) / 1000
              << " ms\n";
    GrammarPointer grammars[] = {
        jsonObjectGrammar(),
        jsonSchemaGrammar(R"({"properties": {"name": {"type": "string"},
          "age": {"type": "integer", "minimum": 0, "maximum": 150},
          "tags": {"items": {"type": "string", "maxLength": 40}}},
          "required": ["name", "age", "tags"]})"),
        jsonSchemaGrammar(R"({"uniqueItems": true, "minItems": 9,
          "items": {"type": "string"}})"),
        jsonSchemaGrammar(R"({"uniqueItems": true, "minItems": 9,
          "items": {"type": "string", "maxLength": 40}})"),
        parseGbnf("root ::= (word \" \")* word \".\"\nword ::= [a-zA-Z]+")};
    for (const GrammarPointer &grammar : grammars) {
      double total = 0, most = 0;
      int steps = 0;
      for (int text = 0; text < 3; ++text) {
        TokenConstraint constraint(grammar, trie);
        for (int step = 0; step < 100 && !constraint.mustEnd(); ++step) {
          auto from = Clock::now();
          const auto &mask = constraint.mask({});
          double time = microseconds(Clock::now() - from);
          total += time;
          most = std::max(most, time);
          ++steps;
          size_t token = random() % size;
          for (size_t tried = 0; !allows(mask, token) && tried < size;
               ++tried) {
            token = (token + 1) % size;
          }
          if (!allows(mask, token)) {
            break;
          }
          constraint.accept(static_cast<int32_t>(token));
        }
      }
      std::cout << "  " << total / steps << " us a mask, at most " << most
                << " us, " << steps << " steps\n";
    }
  }
}

} // namespace
} // namespace cheems
