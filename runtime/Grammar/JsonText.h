// The parts of JSON as nodes of a grammar.
//
// White space: after a comma and after a colon may be one space, and nowhere
// else is any. Models know both forms well, and none can fill a text up with
// blanks. Numbers have a limited number of digits for the same reason.
#ifndef CHEEMS_RUNTIME_GRAMMAR_JSONTEXT_H
#define CHEEMS_RUNTIME_GRAMMAR_JSONTEXT_H

#include "runtime/Grammar/GrammarBuilder.h"
#include "runtime/Grammar/NumberRule.h"
#include "runtime/Grammar/Pattern.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cheems::grammar {

using Json = nlohmann::ordered_json;

/// What a string may be: all of this holds.
struct StringRule {
  int64_t minimum = 0; ///< characters
  std::optional<int64_t> maximum;
  std::vector<std::shared_ptr<const Pattern>> matching, refused;
  std::vector<std::string> except;
};

class StringTable;

class JsonText {
public:
  using RuleId = GrammarBuilder::RuleId;

  /// Digits of a number before and after its point, and of its exponent.
  static constexpr int wholeDigits = 16, fractionDigits = 16,
                       exponentDigits = 2;

  explicit JsonText(GrammarBuilder &builder) : builder(builder) {}

  NodeId comma(NodeId next);
  NodeId colon(NodeId next);
  /// Any string, number, …
  NodeId string(NodeId next);
  NodeId number(NodeId next);
  NodeId boolean(NodeId next);
  NodeId value(NodeId next);
  NodeId object(NodeId next);
  NodeId array(NodeId next);

  /// A string with so many characters.
  NodeId string(int64_t minimum, std::optional<int64_t> maximum, NodeId next);
  /// Where there are patterns, characters are written in one way each.
  NodeId string(const StringRule &rule, NodeId next);
  /// Any string but these.
  NodeId stringExcept(const std::vector<std::string> &texts, NodeId next);
  /// Why numbers of the rule cannot be written, if they cannot.
  static std::optional<std::string> problemOf(const NumberRule &rule);
  /// `nowhere` where no number fits.
  NodeId number(const NumberRule &rule, NodeId next);
  /// Members of an object or items of an array: `item` [minimum, maximum]
  /// times, with commas between them.
  NodeId list(const std::function<NodeId(NodeId)> &item, int64_t minimum,
              std::optional<int64_t> maximum, NodeId next);
  /// One of these very values; at least one.
  NodeId constants(const std::vector<Json> &values, NodeId next);
  /// A node that no text ends from.
  NodeId nowhere();

private:
  NodeId character(NodeId next);
  NodeId escape(NodeId next);
  /// The end of a string, after at most so many characters more. Strings of
  /// all lengths have their ends in common.
  NodeId upTo(int64_t count);
  /// A character of the set as it is, or with the shortest escape.
  NodeId canonical(const CharacterSet &set, NodeId next);
  NodeId stringBody(NodeId next);
  NodeId ofTable(const StringTable &table, int64_t minimum,
                 std::optional<int64_t> maximum, NodeId next);
  NodeId digits(int64_t minimum, std::optional<int64_t> maximum, NodeId next);
  NodeId between(const NumberRule &rule, NodeId next);
  NodeId magnitudes(const NumberRule &rule, bool negative,
                    const NumberRule::Step &step, NodeId next);
  NodeId listed(const NumberRule &rule, const NumberRule::Step &step,
                NodeId next);
  NodeId constant(const Json &value, NodeId next);
  RuleId shared(std::optional<RuleId> &rule, const char *name,
                NodeId (JsonText::*make)());
  NodeId makeValue();
  NodeId makeObject();
  NodeId makeArray();
  NodeId makeString();
  NodeId makeNumber();
  NodeId makeInteger();
  NodeId makeCharacter();

  GrammarBuilder &builder;
  std::optional<RuleId> valueRule, objectRule, arrayRule, stringRule,
      numberRule, integerRule, characterRule;
  std::optional<NodeId> nowhereNode;
  std::map<CharacterSet, RuleId> canonicalRules;
  std::map<std::pair<int64_t, int64_t>, RuleId> lengthRules;
  std::vector<NodeId> ends; ///< by the characters that may come before
};

} // namespace cheems::grammar

#endif
