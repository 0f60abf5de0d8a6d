#include "runtime/Grammar/Pattern.h"

#include "runtime/Error.h"
#include "runtime/Grammar/CharacterClass.h"
#include "runtime/Grammar/GrammarBuilder.h"
#include "runtime/Grammar/SourceText.h"
#include "runtime/Tokenizer/Utf8.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace cheems::grammar {

namespace {

constexpr size_t maximumPatternNodes = 1 << 14;
constexpr size_t maximumPatternText = 1 << 14;
constexpr int64_t maximumPatternRepetition = 4096;

/// Each takes the tables of Unicode once.
constexpr int maximumCategories = 256;

/// Whole expressions are read twice where they repeat, so the tree is kept.
struct Tree {
  enum Kind {
    characters,
    sequence,
    choice,
    repetition,
    begin,
    end,
    ahead,
    notAhead
  } kind;
  CharacterSet set = {};
  std::vector<Tree> parts = {};
  int64_t minimum = 0;
  std::optional<int64_t> maximum = {};
};

class PatternParser {
public:
  PatternParser(const std::string &text, const std::string &what)
      : source(text, what) {
    if (text.size() > maximumPatternText) {
      throw Error(Status::usage, what + " has " + std::to_string(text.size()) +
                                     " bytes; at most " +
                                     std::to_string(maximumPatternText) +
                                     " are possible");
    }
  }

  Pattern parse() {
    anyCase = source.accept("(?i)");
    Tree tree = alternatives();
    if (!source.done()) {
      source.fail("a ) without its (");
    }
    uint32_t accept = add({Pattern::Node::accept});
    uint32_t after = around(accept);
    pattern.start = around(build(tree, after));
    return std::move(pattern);
  }

private:
  uint32_t add(Pattern::Node node) {
    if (pattern.nodes.size() == maximumPatternNodes) {
      source.fail("the expression is too large: more than " +
                  std::to_string(maximumPatternNodes) + " states");
    }
    pattern.nodes.push_back(node);
    return static_cast<uint32_t>(pattern.nodes.size() - 1);
  }

  uint32_t setOf(const CharacterSet &set) {
    auto [found, isNew] =
        sets.try_emplace(set, static_cast<uint32_t>(pattern.sets.size()));
    if (isNew) {
      pattern.sets.push_back(set);
    }
    return found->second;
  }

  /// Any text, then `next`.
  uint32_t around(uint32_t next) {
    uint32_t loop = add({Pattern::Node::split, next, next});
    pattern.nodes[loop].other =
        add({Pattern::Node::characters, loop, 0, setOf(CharacterSet::any())});
    return loop;
  }

  Tree alternatives() {
    Tree choice{Tree::choice};
    do {
      choice.parts.push_back(sequence());
    } while (source.accept("|"));
    return choice;
  }

  Tree sequence() {
    Tree all{Tree::sequence};
    while (!source.done() && source.peek() != '|' && source.peek() != ')') {
      Tree part = atom();
      all.parts.push_back(quantified(std::move(part)));
    }
    return all;
  }

  /// Says whether a repetition like {2,3} follows. Any other { stands for
  /// itself.
  bool isCountAhead() {
    size_t begin = source.offset();
    auto digits = [&] {
      size_t before = source.offset();
      while (source.peek() >= '0' && source.peek() <= '9') {
        source.character();
      }
      return source.offset() > before;
    };
    if (!source.accept("{")) {
      return false;
    }
    bool least = digits(), open = source.accept(","), most = open && digits();
    bool closed = source.accept("}");
    source.back(begin);
    if (closed && open && !least) {
      source.fail(most ? "{,n} is a repetition in Python alone; write {0,n}"
                       : "{,} is a repetition in Python alone; write *");
    }
    return closed && least;
  }

  Tree quantified(Tree part) {
    int64_t minimum = 0;
    std::optional<int64_t> maximum;
    size_t begin = source.offset();
    if (source.accept("+")) {
      minimum = 1;
    } else if (source.accept("?")) {
      maximum = 1;
    } else if (isCountAhead()) {
      source.accept("{");
      minimum = source.number();
      maximum = minimum;
      if (source.accept(",")) {
        maximum = std::nullopt;
        if (source.peek() != '}') {
          maximum = source.number();
        }
      }
      source.accept("}");
      if (maximum && *maximum < minimum) {
        source.fail("a repetition ends before it begins");
      }
      if (std::max(minimum, maximum.value_or(0)) > maximumPatternRepetition) {
        source.fail("a repetition of more than " +
                    std::to_string(maximumPatternRepetition) + " times");
      }
    } else if (!source.accept("*")) {
      return part;
    }
    if (part.kind == Tree::begin || part.kind == Tree::end ||
        part.kind == Tree::ahead || part.kind == Tree::notAhead) {
      source.back(begin);
      source.fail("a repetition of an anchor or of a look-ahead");
    }
    source.accept("?"); // lazy: the same texts
    if (source.peek() == '*' || source.peek() == '+' || source.peek() == '?' ||
        isCountAhead()) {
      source.fail("nothing to repeat before " + source.shown());
    }
    Tree repeated{Tree::repetition};
    repeated.minimum = minimum;
    repeated.maximum = maximum;
    repeated.parts.push_back(std::move(part));
    return repeated;
  }

  Tree group() {
    if (++groups > maximumNesting) {
      source.fail("groups are more than " + std::to_string(maximumNesting) +
                  " deep inside each other");
    }
    bool looks = false, negated = false;
    if (source.accept("?=") || source.ahead("?!")) {
      looks = true;
      negated = source.accept("?!");
    }
    if (source.ahead("?<=") || source.ahead("?<!")) {
      source.fail("look-behind ((?<=...) or (?<!...)) is not supported");
    }
    bool outside = anyCase;
    if (looks) {
      // nothing before it
    } else if (source.accept("?i:")) {
      anyCase = true;
    } else if (source.accept("?<") || source.accept("?P<")) {
      while (!source.accept(">")) {
        if (source.done() || source.peek() == ')') {
          source.fail("a group's name has no closing >");
        }
        source.character();
      }
    } else if (source.accept("?") && !source.accept(":")) {
      source.fail("a group that begins with ? and " + source.shown() +
                  " is not supported");
    }
    Tree inside = alternatives();
    if (!source.accept(")")) {
      source.fail("a ( without its )");
    }
    --groups;
    anyCase = outside;
    if (looks) {
      Tree look{negated ? Tree::notAhead : Tree::ahead};
      look.parts.push_back(std::move(inside));
      return look;
    }
    return inside;
  }

  CharacterClass cased(const CharacterClass &one) const {
    return anyCase && one.isExact() ? one.inAnyCase() : one;
  }

  Tree characters(const CharacterClass &of, size_t begin) {
    if (of.sure.empty()) {
      source.back(begin);
      source.fail("a class that no character is in");
    }
    return {Tree::characters, of.sure};
  }

  Tree atom() {
    size_t begin = source.offset();
    if (source.accept("^") || source.accept("\\A")) {
      return {Tree::begin};
    }
    if (source.accept("$") || source.accept("\\z") || source.accept("\\Z")) {
      return {Tree::end};
    }
    if (source.accept("(")) {
      return group();
    }
    if (source.accept("[")) {
      return characters(bracket(), begin);
    }
    if (source.accept(".")) {
      CharacterSet lineEnds('\n', '\n');
      lineEnds.add('\r', '\r');
      lineEnds.add(0x2028, 0x2029);
      return {Tree::characters, lineEnds.negated()};
    }
    if (source.ahead("*") || source.ahead("+") || source.ahead("?") ||
        isCountAhead()) {
      source.fail("nothing to repeat before " + source.shown());
    }
    if (source.accept("\\")) {
      return characters(cased(escape(false)), begin);
    }
    uint32_t character = source.character();
    return characters(cased(CharacterClass::exactly(character, character)),
                      begin);
  }

  CharacterClass bracket() {
    bool negated = source.accept("^");
    CharacterClass all;
    for (int count = 0; !source.accept("]"); ++count) {
      if (source.done()) {
        source.fail("a class has no closing ]");
      }
      if (count == 1024) {
        source.fail("a class has more than 1024 parts");
      }
      std::optional<uint32_t> first = classAtom(all);
      size_t dash = source.offset();
      if (!source.accept("-")) {
        continue;
      }
      if (source.peek() == ']' || !first) {
        if (!first && source.peek() != ']') {
          source.fail("a range that begins with a class");
        }
        source.back(dash); // stands for itself
        continue;
      }
      if (source.done()) {
        source.fail("a class has no closing ]");
      }
      std::optional<uint32_t> final = classAtom(all);
      if (!final || *final < *first) {
        source.fail("a range of characters that does not end after its "
                    "beginning");
      }
      all.add(cased(CharacterClass::exactly(*first, *final)));
    }
    return negated ? all.negated() : all;
  }

  /// Adds it to the class; nothing where it is more than one character.
  std::optional<uint32_t> classAtom(CharacterClass &all) {
    CharacterClass one;
    if (source.accept("\\")) {
      one = escape(true);
    } else {
      uint32_t character = source.character();
      one = CharacterClass::exactly(character, character);
    }
    all.add(cased(one));
    const auto &ranges = one.sure.all();
    bool single = ranges.size() == 1 && ranges[0].first == ranges[0].second &&
                  !one.possible.empty();
    return single ? std::optional<uint32_t>(ranges[0].first) : std::nullopt;
  }

  /// After a backslash.
  CharacterClass escape(bool inClass) {
    if (source.done()) {
      source.fail("a \\ at the end");
    }
    for (char letter : {'d', 's', 'w'}) {
      if (source.accept(std::string(1, letter))) {
        return CharacterClass::named(letter);
      }
      if (source.accept(std::string(1, static_cast<char>(letter - 32)))) {
        return CharacterClass::named(letter).negated();
      }
    }
    constexpr std::pair<char, char> controls[] = {
        {'t', '\t'}, {'n', '\n'}, {'v', '\v'}, {'f', '\f'}, {'r', '\r'}};
    for (auto [letter, meant] : controls) {
      if (source.accept(std::string(1, letter))) {
        return CharacterClass::exactly(static_cast<uint8_t>(meant),
                                       static_cast<uint8_t>(meant));
      }
    }
    char next = source.peek();
    if (next == 'b' && inClass) {
      source.accept("b");
      return CharacterClass::exactly('\b', '\b');
    }
    if (next == 'b' || next == 'B') {
      source.fail("word boundaries (\\b and \\B) are not supported");
    }
    if (next == 'p' || next == 'P') {
      CharacterClass found = category();
      return next == 'p' ? found : found.negated();
    }
    if (next == 'k' || (next >= '1' && next <= '9')) {
      source.fail("back-references (\\1 and \\k<...>) are not supported");
    }
    if (source.accept("0")) {
      if (source.peek() >= '0' && source.peek() <= '9') {
        source.fail(
            "octal escapes are not supported; write \\x and two digits");
      }
      return CharacterClass::exactly(0, 0);
    }
    size_t begin = source.offset();
    uint32_t value = 0;
    if (source.accept("x")) {
      value = source.hexadecimal(2);
    } else if (source.accept("u{")) {
      do {
        value = value * 16 + source.hexadecimal(1);
      } while (value <= CharacterSet::last && !source.accept("}"));
    } else if (source.accept("u")) {
      value = source.hexadecimal(4);
      if (value >= 0xD800 && value <= 0xDBFF && source.accept("\\u")) {
        value = 0x10000 + ((value - 0xD800) << 10) +
                ((source.hexadecimal(4) - 0xDC00) & 0x3FF);
      }
    } else if (source.accept("c")) {
      uint32_t letter = source.done() ? 0 : source.character();
      if ((letter | 32) < 'a' || (letter | 32) > 'z') {
        source.fail("\\c needs a letter");
      }
      value = letter & 31;
    } else if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z')) {
      source.fail("the escape \\" + std::string(1, next) + " is not supported");
    } else {
      value = source.character();
    }
    if (value > CharacterSet::last || (value >= 0xD800 && value <= 0xDFFF)) {
      source.back(begin);
      source.fail("an escape that is no character");
    }
    return CharacterClass::exactly(value, value);
  }

  /// After the backslash of \p{Lu} or \pL.
  CharacterClass category() {
    source.character();
    size_t begin = source.offset();
    bool braces = source.accept("{");
    std::string name;
    while (!source.done() && source.peek() != '}' && (braces || name.empty())) {
      name.push_back(source.peek());
      source.character();
    }
    std::optional<CharacterClass> found =
        CharacterClass::category(name, anyCase);
    if (!found || (braces && !source.accept("}"))) {
      source.back(begin);
      source.fail("a property of Unicode that is no general category, such as "
                  "\\p{L} or \\p{Nd}, is not supported");
    }
    if (++categories > maximumCategories) {
      source.fail("more than " + std::to_string(maximumCategories) +
                  " categories of Unicode");
    }
    return *found;
  }

  uint32_t build(const Tree &tree, uint32_t next) {
    // what is empty takes no state, however often it is repeated
    if (++built > maximumPatternNodes * 16) {
      source.fail("the expression is too large");
    }
    switch (tree.kind) {
    case Tree::characters:
      return add({Pattern::Node::characters, next, 0, setOf(tree.set)});
    case Tree::begin:
      return add({Pattern::Node::begin, next});
    case Tree::end:
      return add({Pattern::Node::end, next});
    case Tree::ahead:
    case Tree::notAhead: {
      // what it has looked at itself may be decided after its own end
      uint32_t accept = add({Pattern::Node::accept}),
               inside = build(tree.parts[0], around(accept));
      return add({tree.kind == Tree::ahead ? Pattern::Node::ahead
                                           : Pattern::Node::notAhead,
                  next, inside});
    }
    case Tree::sequence:
      for (size_t index = tree.parts.size(); index-- > 0;) {
        next = build(tree.parts[index], next);
      }
      return next;
    case Tree::choice: {
      uint32_t all = build(tree.parts.back(), next);
      for (size_t index = tree.parts.size() - 1; index-- > 0;) {
        uint32_t choice = build(tree.parts[index], next);
        all = add({Pattern::Node::split, choice, all});
      }
      return all;
    }
    case Tree::repetition:
      return buildRepetition(tree, next);
    }
    return next;
  }

  uint32_t buildRepetition(const Tree &tree, uint32_t next) {
    const Tree &part = tree.parts[0];
    int64_t minimum = tree.minimum;
    if (!tree.maximum) {
      uint32_t loop = add({Pattern::Node::split, next, next});
      uint32_t entry = build(part, loop);
      pattern.nodes[loop].other = entry;
      next = minimum == 0 ? loop : entry;
      minimum = std::max<int64_t>(minimum - 1, 0);
    } else {
      uint32_t after = next;
      for (int64_t index = minimum; index < *tree.maximum; ++index) {
        uint32_t entry = build(part, next);
        next = add({Pattern::Node::split, entry, after});
      }
    }
    for (int64_t index = 0; index < minimum; ++index) {
      next = build(part, next);
    }
    return next;
  }

  SourceText source;
  Pattern pattern;
  std::map<CharacterSet, uint32_t> sets;
  int groups = 0, categories = 0;
  bool anyCase = false; ///< as after (?i)
  size_t built = 0;
};

} // namespace

Pattern parsePattern(const std::string &text, const std::string &what) {
  return PatternParser(text, what).parse();
}

Pattern patternOfTexts(const std::vector<std::string> &texts) {
  Pattern pattern;
  std::map<CharacterSet, uint32_t> sets;
  auto add = [&](Pattern::Node node) {
    pattern.nodes.push_back(node);
    return static_cast<uint32_t>(pattern.nodes.size() - 1);
  };
  uint32_t end = add({Pattern::Node::end, add({Pattern::Node::accept})});
  std::optional<uint32_t> all;
  for (const std::string &text : texts) {
    std::vector<uint32_t> characters;
    for (std::string_view rest = text; !rest.empty();) {
      utf8::Scan one = utf8::scan(rest);
      rest.remove_prefix(one.length);
      characters.push_back(one.codepoint);
    }
    uint32_t next = end;
    for (size_t at = characters.size(); at-- > 0;) {
      auto [found, isNew] =
          sets.try_emplace(CharacterSet(characters[at], characters[at]),
                           static_cast<uint32_t>(pattern.sets.size()));
      if (isNew) {
        pattern.sets.push_back(found->first);
      }
      next = add({Pattern::Node::characters, next, 0, found->second});
    }
    all = all ? add({Pattern::Node::split, next, *all}) : next;
  }
  pattern.start = add({Pattern::Node::begin, all.value_or(end)});
  return pattern;
}

} // namespace cheems::grammar
