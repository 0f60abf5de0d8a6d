// Whatever a client sends ends soon: what is too large is refused by name, and
// what is deep stays within its depth.
#include "TestSupport.h"

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
  EXPECT_THAT(refused("{\"maxLength\": 65537}"), HasSubstr("at most 65536"));
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
              HasSubstr("deep inside each other"));
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
