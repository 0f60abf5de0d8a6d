// GBNF, as llama.cpp reads it. Parts of a rule become a tree first, as nodes
// are made from the end of a text.
#include "runtime/Error.h"
#include "runtime/Grammar/GrammarBuilder.h"
#include "runtime/Grammar/SourceText.h"
#include "runtime/Tokenizer/Utf8.h"

#include <map>

namespace cheems {

namespace grammar {

namespace {

struct Part {
  enum Kind { literal, characters, rule, sequence, choice, repetition } kind;
  std::string text = {};
  CharacterSet set = {};
  GrammarBuilder::RuleId callee = 0;
  std::vector<Part> parts = {}; ///< of a repetition one
  int64_t minimum = 0;
  std::optional<int64_t> maximum = {};
};

class GbnfParser {
public:
  explicit GbnfParser(const std::string &text) : source(text, "grammar") {}

  std::shared_ptr<const Grammar> parse() {
    space(true);
    while (!source.done()) {
      parseRule();
      space(true);
    }
    for (const auto &[name, rule] : rules) {
      if (!rule.defined) {
        source.back(rule.firstUse);
        source.fail("rule '" + name + "' is not defined");
      }
    }
    auto root = rules.find("root");
    if (root == rules.end()) {
      throw Error(Status::usage,
                  "grammar: no rule is called root; add one, as the text's");
    }
    return builder.finish(root->second.id);
  }

private:
  struct Rule {
    GrammarBuilder::RuleId id;
    size_t firstUse;
    bool defined = false;
  };

  /// Skips blanks and comments; with `lines` also line ends.
  void space(bool lines) {
    while (!source.done()) {
      char next = source.peek();
      if (next == '#') {
        while (!source.done() && source.peek() != '\n' &&
               source.peek() != '\r') {
          source.character();
        }
      } else if (next == ' ' || next == '\t' ||
                 (lines && (next == '\n' || next == '\r'))) {
        source.character();
      } else {
        return;
      }
    }
  }

  std::string name() {
    size_t begin = source.offset();
    auto isName = [](char next) {
      return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
             (next >= '0' && next <= '9') || next == '-' || next == '_';
    };
    while (isName(source.peek())) {
      source.character();
    }
    if (source.offset() == begin) {
      source.fail("expected the name of a rule, not " + source.shown());
    }
    return std::string(source.since(begin));
  }

  Rule &ruleOf(const std::string &name, size_t use) {
    auto found = rules.find(name);
    if (found == rules.end()) {
      found =
          rules.emplace(name, Rule{builder.declare("rule '" + name + "'"), use})
              .first;
    }
    return found->second;
  }

  void parseRule() {
    size_t begin = source.offset();
    std::string called = name();
    space(false);
    if (!source.accept("::=")) {
      source.fail("expected ::= after the name of a rule, not " +
                  source.shown());
    }
    space(true);
    Rule &rule = ruleOf(called, begin);
    if (rule.defined) {
      source.back(begin);
      source.fail("rule '" + called + "' is defined twice");
    }
    rule.defined = true;
    GrammarBuilder::RuleId id = rule.id;
    Part part = alternatives(false);
    if (!source.done() && source.peek() != '\n' && source.peek() != '\r') {
      source.fail("expected the end of the rule, not " + source.shown());
    }
    builder.define(id, build(part, endNode));
  }

  Part alternatives(bool nested) {
    Part choice{Part::choice};
    choice.parts.push_back(sequence(nested));
    while (true) {
      size_t end = source.offset();
      space(true); // the next line may begin with a bar
      if (!source.accept("|")) {
        source.back(end);
        return choice;
      }
      space(true);
      choice.parts.push_back(sequence(nested));
    }
  }

  Part sequence(bool nested) {
    Part all{Part::sequence};
    while (std::optional<Part> part = item()) {
      int repetitions = 0;
      space(nested);
      while (std::optional<std::pair<int64_t, std::optional<int64_t>>> times =
                 repetition()) {
        Part repeated{Part::repetition};
        if (++repetitions > 8) {
          source.fail("more than 8 repetitions of one part");
        }
        repeated.minimum = times->first;
        repeated.maximum = times->second;
        repeated.parts.push_back(std::move(*part));
        part = std::move(repeated);
        space(nested);
      }
      all.parts.push_back(std::move(*part));
    }
    return all;
  }

  /// Nothing where none begins.
  std::optional<Part> item() {
    char next = source.peek();
    if (next == '"') {
      return literal();
    }
    if (next == '[') {
      return characterClass();
    }
    if (source.accept(".")) {
      return Part{Part::characters, {}, CharacterSet::any()};
    }
    if (next == '(') {
      if (++groups > maximumNesting) {
        source.fail("groups are more than " + std::to_string(maximumNesting) +
                    " deep inside each other");
      }
      source.accept("(");
      space(true);
      Part inside = alternatives(true);
      space(true);
      if (!source.accept(")")) {
        source.fail("expected ), not " + source.shown());
      }
      --groups;
      return inside;
    }
    if (next == '<' || next == '!') {
      source.fail("tokens in grammars (<...>) are not supported; write their "
                  "text");
    }
    if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
        (next >= '0' && next <= '9') || next == '_' || next == '-') {
      size_t begin = source.offset();
      Part call{Part::rule};
      call.callee = ruleOf(name(), begin).id;
      return call;
    }
    return std::nullopt;
  }

  Part literal() {
    Part part{Part::literal};
    source.accept("\"");
    while (!source.accept("\"")) {
      if (source.done()) {
        source.fail("a text has no closing \"");
      }
      utf8::append(part.text, static_cast<char32_t>(escaped()));
    }
    return part;
  }

  Part characterClass() {
    Part part{Part::characters};
    size_t begin = source.offset();
    source.accept("[");
    bool negated = source.accept("^");
    for (int count = 0; !source.accept("]"); ++count) {
      if (source.done()) {
        source.fail("a character class has no closing ]");
      }
      uint32_t first = escaped(), final = first;
      size_t dash = source.offset();
      if (source.accept("-")) {
        if (source.peek() == ']') {
          source.back(dash); // the last of a class is itself
        } else if (source.done()) {
          source.fail("a character class has no closing ]");
        } else {
          final = escaped();
        }
      }
      if (final < first) {
        source.fail("a range of characters ends before it begins");
      }
      part.set.add(first, final);
      if (count == 4096) {
        source.fail("a character class has more than 4096 ranges");
      }
    }
    if (negated) {
      part.set = part.set.negated();
    }
    if (part.set.empty()) {
      source.back(begin);
      source.fail("a character class that no character is in");
    }
    return part;
  }

  uint32_t escaped() {
    size_t begin = source.offset();
    uint32_t value;
    if (!source.accept("\\")) {
      return source.character();
    }
    if (source.accept("x")) {
      value = source.hexadecimal(2);
    } else if (source.accept("u")) {
      value = source.hexadecimal(4);
    } else if (source.accept("U")) {
      value = source.hexadecimal(8);
    } else {
      constexpr std::pair<char, char> named[] = {
          {'t', '\t'}, {'r', '\r'}, {'n', '\n'}, {'\\', '\\'},
          {'"', '"'},  {'[', '['},  {']', ']'}};
      for (auto [letter, meant] : named) {
        if (!source.done() && source.peek() == letter) {
          source.character();
          return static_cast<uint8_t>(meant);
        }
      }
      source.fail("unknown escape \\ and " + source.shown());
    }
    if (value > CharacterSet::last || (value >= 0xD800 && value <= 0xDFFF)) {
      source.back(begin);
      source.fail("an escape that is no character");
    }
    return value;
  }

  std::optional<std::pair<int64_t, std::optional<int64_t>>> repetition() {
    if (source.accept("*")) {
      return {{0, std::nullopt}};
    }
    if (source.accept("+")) {
      return {{1, std::nullopt}};
    }
    if (source.accept("?")) {
      return {{0, 1}};
    }
    if (!source.accept("{")) {
      return std::nullopt;
    }
    space(true);
    int64_t minimum = source.peek() == ',' ? 0 : source.number();
    std::optional<int64_t> maximum = minimum;
    space(true);
    if (source.accept(",")) {
      space(true);
      maximum = std::nullopt;
      if (source.peek() != '}') {
        maximum = source.number();
        space(true);
      }
    }
    if (maximum && *maximum < minimum) {
      source.fail("a repetition ends before it begins");
    }
    if (!source.accept("}")) {
      source.fail("expected }, not " + source.shown());
    }
    if (std::max(minimum, maximum.value_or(0)) > maximumRepetition) {
      source.fail("a repetition of more than " +
                  std::to_string(maximumRepetition) + " times");
    }
    return {{minimum, maximum}};
  }

  NodeId build(const Part &part, NodeId next) {
    switch (part.kind) {
    case Part::literal:
      return builder.literal(part.text, next);
    case Part::characters:
      return builder.characters(part.set, next);
    case Part::rule:
      return builder.call(part.callee, next);
    case Part::sequence:
      for (size_t index = part.parts.size(); index-- > 0;) {
        next = build(part.parts[index], next);
      }
      return next;
    case Part::choice: {
      std::vector<NodeId> choices;
      choices.reserve(part.parts.size());
      for (const Part &choice : part.parts) {
        choices.push_back(build(choice, next));
      }
      return builder.either(choices);
    }
    case Part::repetition:
      return builder.repeat(
          [&](NodeId after) { return build(part.parts[0], after); },
          part.minimum, part.maximum, next);
    }
    return next;
  }

  SourceText source;
  GrammarBuilder builder;
  std::map<std::string, Rule> rules;
  int groups = 0; ///< that are open
};

} // namespace

} // namespace grammar

std::shared_ptr<const Grammar> parseGbnf(const std::string &text) {
  return grammar::GbnfParser(text).parse();
}

} // namespace cheems
