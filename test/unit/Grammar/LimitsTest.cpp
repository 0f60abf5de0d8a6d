// Whatever a client sends ends soon: what is too large is refused by name, and
// what is deep stays within its depth.
#include "TestSupport.h"
#include "runtime/Work.h"

#include <malloc.h>
#include <random>

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

std::string repeated(const std::string &text, size_t times) {
  std::string all;
  for (size_t index = 0; index < times; ++index) {
    all += text;
  }
  return all;
}

std::string fault(const std::string &text) {
  return refusal([&] { parseGbnf(text); });
}

TEST(Limits, OfGrammars) {
  EXPECT_THAT(fault(std::string((1 << 20) + 1, ' ')), HasSubstr("at most"));
  EXPECT_THAT(fault("root ::= \"a\"{65537}"), HasSubstr("more than 65536"));
  EXPECT_THAT(fault("root ::= \"" + std::string(300000, 'a') + "b\""),
              HasSubstr("more than 262144 states"));
  EXPECT_THAT(
      fault("root ::= " + repeated("(", 65) + "\"a\"" + repeated(")", 65)),
      HasSubstr("more than 64 deep"));
  EXPECT_THAT(fault("root ::= \"a\"" + repeated("?", 9)),
              HasSubstr("more than 8 repetitions"));
  std::string rules = "root ::= r0\n";
  for (int rule = 0; rule < 17000; ++rule) {
    rules += "r" + std::to_string(rule) + " ::= \"a\"\n";
  }
  EXPECT_THAT(fault(rules), HasSubstr("more than 16384 rules"));
  EXPECT_THAT(fault("root ::= [" + repeated("ab", 3000) + "]"),
              HasSubstr("more than 4096 ranges"));
}

TEST(Limits, AGrammarIsPartOfTheWorkOfWhoeverAsksForIt) {
  const std::string large = "root ::= \"" + std::string(100000, 'a') + "\"";
  auto budget = std::make_shared<Budget>(uint64_t(1) << 20);
  {
    Work work(std::chrono::minutes(1), std::make_shared<BudgetShare>(budget));
    Work::Scope scope(work);
    parseGbnf("root ::= \"a\"");
    EXPECT_THROW(parseGbnf(large), WorkStopped);
  }
  EXPECT_EQ(budget->used(), 0u);
  Work work(std::chrono::minutes(1), nullptr);
  Work::Scope scope(work);
  parseGbnf(large);
  work.cancel();
  EXPECT_THROW(parseGbnf(large), WorkStopped);
}

TEST(Limits, RepetitionsOfRepetitionsDoNotExplode) {
  std::string deep = "\"a\"";
  std::string empty = "\"\"";
  for (int level = 0; level < 40; ++level) {
    deep = "(" + deep + "){500}";
    empty = "(" + empty + "){50000}";
  }
  parseGbnf("root ::= \"b\" | " + deep); // a rule a level
  EXPECT_THAT(fault("root ::= " + empty), HasSubstr("too large"));
  std::string pattern = "()";
  for (int level = 0; level < 40; ++level) {
    pattern = "(" + pattern + "){4000}";
  }
  EXPECT_THAT(
      refusal([&] { jsonSchemaGrammar("{\"pattern\": \"" + pattern + "\"}"); }),
      HasSubstr("too large"));
}

TEST(Limits, OfSchemas) {
  auto refused = [](const std::string &text) {
    return refusal([&] { jsonSchemaGrammar(text); });
  };
  EXPECT_THAT(refused("{\"maxItems\": 65537}"), HasSubstr("at most 65536"));
  EXPECT_THAT(refused("{\"pattern\": \"a{4097}\"}"),
              HasSubstr("more than 4096"));
  EXPECT_THAT(refused("{\"pattern\": \"(a{4000}b){40}\"}"),
              HasSubstr("too large"));
  EXPECT_THAT(refused("{\"pattern\": \"" + std::string(20000, 'a') + "\"}"),
              HasSubstr("at most 16384"));
  EXPECT_THAT(refused("{\"pattern\": \"a{4000}\", \"maxLength\": 60000}"),
              HasSubstr("more than 262144 states"));
  EXPECT_THAT(refused(repeated("{\"items\":", 200) + "{}" + repeated("}", 200)),
              HasSubstr("levels deep"));
  EXPECT_THAT(refused(repeated("[", 100000)), HasSubstr("levels deep"));
  EXPECT_THAT(refused(R"({"$ref": "#", "minLength": 1})"),
              HasSubstr("left recursion"));
}

/// `count` parts, with commas between them; # in one is its number.
std::string listOf(int count, const std::string &part) {
  std::string all;
  for (int index = 0; index < count; ++index) {
    size_t at = part.find('#');
    all += index ? "," : "";
    all += at == part.npos ? part
                           : part.substr(0, at) + std::to_string(index) +
                                 part.substr(at + 1);
  }
  return all;
}

TEST(Limits, MultiplesOfALargeStepAreMadeOrRefusedSoon) {
  auto multiples = [](const std::string &step) {
    return R"({"type": "integer", "multipleOf": )" + step + "}";
  };
  GrammarPointer round = jsonSchemaGrammar(multiples("1000000"));
  EXPECT_TRUE(accepts(round, "-17000000"));
  EXPECT_FALSE(accepts(round, "17000001"));
  EXPECT_FALSE(accepts(round, "100000"));
  EXPECT_THAT(refusal([&] { jsonSchemaGrammar(multiples("999983")); }),
              HasSubstr("more than 262144 states"));
}

TEST(Limits, LargeSchemasAreMadeOrRefusedByTheLimitsName) {
  auto refused = [](const std::string &text) {
    return refusal([&] { jsonSchemaGrammar(text); });
  };
  EXPECT_EQ(refused("{\"enum\": [" + listOf(100000, "#") + "]}"), "");
  EXPECT_EQ(refused("{\"required\": [" + listOf(4000, "\"r#\"") + "]}"), "");
  EXPECT_EQ(refused("{\"prefixItems\": [" +
                    listOf(15000, "{\"type\": \"integer\", \"title\": \"#\"}") +
                    "]}"),
            "");
  // the same large schema with other keywords beside it, again and again
  EXPECT_THAT(
      refused(
          "{\"$defs\": {\"big\": {\"properties\": {" +
          listOf(1500, "\"p#\": {\"type\": \"string\"}") +
          "}}}, \"prefixItems\": [" +
          listOf(15000, "{\"maxProperties\": #, \"$ref\": \"#/$defs/big\"}") +
          "]}"),
      HasSubstr("the grammar is too large"));
  EXPECT_THAT(refused("{\"anyOf\": [" + listOf(5000, "{}") + "]}"),
              HasSubstr("more than 4096 schemas"));
  EXPECT_THAT(refused("{\"allOf\": [" +
                      listOf(9, "{\"anyOf\": [" + listOf(9, "{}") + "]}") +
                      "]}"),
              HasSubstr("more than 4096 alternatives"));
  // a property that differs in none of them comes before the one that does
  EXPECT_EQ(refused("{\"oneOf\": [" +
                    listOf(40, R"({"properties": {"m": {"format": "email",
                  "maxLength": 100}, "k": {"const": "#"}},
                  "required": ["m", "k"]})") +
                    "]}"),
            "");
  EXPECT_THAT(refused("{\"patternProperties\": {" +
                      listOf(3000, "\"^[ab]*a[ab]{5}x#\": {}") + "}}"),
              HasSubstr("4194304 steps of work"));
  EXPECT_THAT(refused(R"({"allOf": [{"pattern": "a.{20}$"},
    {"pattern": "b.{21}$"}]})"),
              HasSubstr("the grammar is too large"));
  EXPECT_THAT(
      refused("{\"type\": \"integer\", \"allOf\": [" +
              listOf(300, "{\"not\": {\"enum\": [" + listOf(200, "#") + "]}}") +
              "]}"),
      "");
}

TEST(Limits, AmbiguousGrammarsAreRefusedWhileTheyAreRead) {
  GrammarPointer grammar =
      parseGbnf("root ::= a{0,5000} b{0,5000}\na ::= \"x\"?\nb ::= \"x\"*");
  EXPECT_THAT(refusal([&] { begins(grammar, "xxxx"); }),
              HasSubstr("too ambiguous"));
  // an automaton goes on after a refusal, and says the same
  GrammarPointer late =
      parseGbnf("root ::= \"y\" | \"z\" c{0,9000}\nc ::= \"x\"?");
  Automaton automaton(late);
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(refusal([&] { after(automaton, "zx"); }),
                HasSubstr("too ambiguous"));
    EXPECT_NE(after(automaton, "y").state, Automaton::dead);
  }
}

/// Grammars of which a mask takes much work.
std::vector<std::string> hostileGrammars() {
  std::string words;
  for (int word = 0; word < 200; ++word) {
    words += (word ? " | w " : "w ") + std::string("\"") +
             std::to_string(word * 7919 % 10007) + "\"";
  }
  return {"root ::= (((\"a\" | \"b\" | \"ab\")* | \"a\"+)* \"c\"){1,200}",
          "root ::= w{1,64}\nw ::= (\"a\"? \"b\"? [a-z]?){1,40} | w2\n"
          "w2 ::= (\"a\" | \"aa\" | \"aaa\"){0,60} w3?\n"
          "w3 ::= \"(\" (w | \"a\"){0,30} \")\"",
          "root ::= (" + words + ")+\nw ::= [a-z]{0,12}"};
}

std::vector<std::string> lettersAndDigits() {
  std::vector<std::string> tokens = byteTokens();
  std::mt19937 random(1);
  for (int count = 0; count < 4000; ++count) {
    std::string token;
    for (size_t length = 2 + random() % 8; length > 0; --length) {
      token += "abc(0123456789)"[random() % 15];
    }
    tokens.push_back(token);
  }
  return tokens;
}

TEST(Limits, APieceOfTheWorkForAMaskIsBounded) {
  auto trie = trieOf(lettersAndDigits());
  TokenConstraint::Limits limits;
  size_t most = limits.piece + grammar::maximumEdgeWork + 1024;
  for (const std::string &text : hostileGrammars()) {
    std::mt19937 random(1);
    std::string refused = refusal([&] {
      TokenConstraint constraint(parseGbnf(text), trie);
      for (int step = 0; step < 12; ++step) {
        for (bool ready = false; !ready;) {
          uint64_t before = constraint.worked();
          ready = constraint.prepare({});
          ASSERT_LE(constraint.worked() - before, most) << text.substr(0, 60);
        }
        std::vector<int32_t> allowed;
        const std::vector<uint32_t> &mask = constraint.mask({});
        for (size_t token = 0; token < trie->vocabulary(); ++token) {
          if (allows(mask, token)) {
            allowed.push_back(static_cast<int32_t>(token));
          }
        }
        constraint.accept(allowed[random() % allowed.size()]);
      }
    });
    EXPECT_TRUE(refused.empty() ||
                refused.find("too ambiguous") != refused.npos)
        << refused;
  }
}

TEST(Limits, PiecesGiveTheMaskThatOneGives) {
  auto trie = trieOf(lettersAndDigits());
  TokenConstraint::Limits limits;
  limits.piece = 1;
  GrammarPointer grammar = parseGbnf(hostileGrammars()[2]);
  TokenConstraint whole(grammar, trie), pieces(grammar, trie, limits);
  for (int32_t token : {int32_t{'a'}, int32_t{'b'}, int32_t{'7'}}) {
    int count = 1;
    while (!pieces.prepare({})) {
      ++count;
    }
    EXPECT_GT(count, 10);
    EXPECT_EQ(pieces.mask({}), whole.mask({}));
    pieces.accept(token);
    whole.accept(token);
  }
}

TEST(Limits, ATextHasABudgetOfWork) {
  TokenConstraint::Limits limits;
  limits.text = 100000;
  TokenConstraint constraint(jsonObjectGrammar(), trieOf(lettersAndDigits()),
                             limits);
  std::string refused = refusal([&] {
    for (int step = 0; step < 100000; ++step) {
      constraint.mask({});
      constraint.accept(step == 0 ? '{' : step == 1 ? '"' : 'a');
    }
  });
  EXPECT_THAT(refused, HasSubstr("more than 100000 steps of work"));
  EXPECT_LE(constraint.worked(),
            limits.text + limits.piece + grammar::maximumEdgeWork);
}

TEST(Limits, AnAutomatonKeepsNoMoreThanItsLimit) {
  GrammarPointer grammar =
      jsonSchemaGrammar(R"({"type": "string", "maxLength": 65536})");
  Automaton automaton(grammar);
  EXPECT_THAT(refusal([&] { after(automaton, "\"" + repeated("a", 65536)); }),
              HasSubstr("more than 2097152 places and edges"));
  EXPECT_TRUE(automaton.large());
}

TEST(Limits, AnAutomatonTellsAboutWhatItTakes) {
  auto allocated = [] {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  if (allocated() == 0) {
    GTEST_SKIP() << "a sanitizer's allocator, which mallinfo2 does not know";
  }
  struct Shape {
    std::string grammar, text;
  };
  for (const Shape &shape :
       {Shape{"root ::= \"a\"{0,20000}", repeated("a", 20000)},
        Shape{"root ::= nest*\nnest ::= \"(\" nest* \")\" | \"x\" | \"y\"",
              repeated("((xy)(y))", 30) + repeated("(", 400)},
        Shape{hostileGrammars()[2], "abc123"}}) {
    GrammarPointer grammar = parseGbnf(shape.grammar);
    size_t before = allocated();
    Automaton automaton(grammar);
    after(automaton, shape.text);
    size_t taken = allocated() - before;
    EXPECT_GT(3 * automaton.bytes(), 2 * taken) << shape.grammar.substr(0, 60);
    EXPECT_LT(automaton.bytes(), 3 * taken) << shape.grammar.substr(0, 60);
  }
}

TEST(Limits, NestingEndsWhereItsEndsAreDue) {
  // brackets that may only close: at each depth the text can still end
  GrammarPointer grammar = parseGbnf("root ::= \"(\" root? \")\" \"!\"?");
  Automaton automaton(grammar);
  Automaton::Position position = automaton.start();
  int depth = 0;
  while (true) {
    Automaton::Position next = automaton.step(position, '(');
    if (next.state == Automaton::dead) {
      break;
    }
    position = next;
    ASSERT_LT(++depth, 10000);
  }
  EXPECT_GE(depth, 400);
  for (int level = 0; level < depth; ++level) {
    position = automaton.step(position, ')');
    ASSERT_NE(position.state, Automaton::dead) << level << " of " << depth;
  }
  EXPECT_EQ(position.base, 0u);
  EXPECT_TRUE(automaton.returns(position.state));
}

TEST(Limits, TwoReadingsOfANestedTextStayWithinTheDepth) {
  GrammarPointer grammar =
      parseGbnf("root ::= nest | \"(\"+\nnest ::= \"(\" nest \")\" | \"()\"");
  Automaton automaton(grammar);
  Automaton::Position position = automaton.start();
  for (int index = 0; index < 3000; ++index) {
    automaton.beginStep();
    position = automaton.step(position, '(');
    ASSERT_NE(position.state, Automaton::dead) << index;
  }
}

TEST(Limits, LongConstrainedTextsForgetWhatTheyWere) {
  GrammarPointer grammar =
      jsonSchemaGrammar(R"({"type": "string", "maxLength": 65536})");
  std::vector<std::string> tokens = byteTokens();
  TokenConstraint constraint(grammar, trieOf(tokens));
  constraint.mask({});
  constraint.accept('"');
  for (int index = 0; index < 65536; ++index) {
    if (index % 16 == 0) {
      EXPECT_TRUE(allows(constraint.mask({}), 'a'));
    }
    constraint.accept('a');
  }
  EXPECT_FALSE(allows(constraint.mask({}), 'a'));
  EXPECT_TRUE(allows(constraint.mask({}), '"'));
}

} // namespace
} // namespace cheems
