// The parts of JSON as nodes of a grammar.
//
// White space: after a comma and after a colon may be one space, and nowhere
// else is any. Models know both forms well, and none can fill a text up with
// blanks. Numbers have a limited number of digits for the same reason.
#ifndef CHEEMS_RUNTIME_GRAMMAR_JSONTEXT_H
#define CHEEMS_RUNTIME_GRAMMAR_JSONTEXT_H

#include "runtime/Grammar/GrammarBuilder.h"
#include "runtime/Grammar/Pattern.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cheems::grammar {

using Json = nlohmann::ordered_json;

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
  /// One that a pattern matches, too. Characters are written in one way each.
  NodeId string(const Pattern &pattern, int64_t minimum,
                std::optional<int64_t> maximum, NodeId next);
  /// Any string but these.
  NodeId stringExcept(const std::vector<std::string> &texts, NodeId next);
  /// An integer within bounds, both included.
  NodeId integer(std::optional<int64_t> minimum, std::optional<int64_t> maximum,
                 NodeId next);
  /// Members of an object or items of an array: `item` [minimum, maximum]
  /// times, with commas between them.
  NodeId list(const std::function<NodeId(NodeId)> &item, int64_t minimum,
              std::optional<int64_t> maximum, NodeId next);
  /// This very value.
  NodeId constant(const Json &value, NodeId next);

private:
  NodeId character(NodeId next);
  NodeId escape(NodeId next);
  /// A character of the set as it is, or with the shortest escape.
  NodeId canonical(const CharacterSet &set, NodeId next);
  NodeId stringBody(NodeId next);
  NodeId digits(int64_t minimum, std::optional<int64_t> maximum, NodeId next);
  NodeId magnitude(uint64_t minimum, std::optional<uint64_t> maximum,
                   NodeId next);
  RuleId shared(std::optional<RuleId> &rule, const char *name,
                NodeId (JsonText::*make)());
  NodeId makeValue();
  NodeId makeObject();
  NodeId makeArray();
  NodeId makeString();
  NodeId makeNumber();
  NodeId makeCharacter();

  GrammarBuilder &builder;
  std::optional<RuleId> valueRule, objectRule, arrayRule, stringRule,
      numberRule, characterRule;
  std::map<CharacterSet, RuleId> canonicalRules;
};

} // namespace cheems::grammar

#endif
