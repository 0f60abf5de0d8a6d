// JSON schemas as grammars. Each text of the grammar is accepted by the schema;
// not every value that a schema accepts has a text: properties come in the
// schema's order, and an object whose properties are listed has no others but
// where additionalProperties says so.
//
// A rule is made for each set of schemas that all must accept a value. So
// schemas are never merged into new ones, and those that refer to themselves
// have a limited number of rules.
#include "runtime/Grammar/JsonSchema.h"

#include "runtime/Error.h"
#include "runtime/Grammar/SchemaDocument.h"

#include <algorithm>

namespace cheems::grammar {

JsonSchema::JsonSchema(GrammarBuilder &builder, const Json &document,
                       std::string name)
    : builder(builder), text(builder), document(document),
      reader(builder, document, std::move(name)), rules(reader),
      contents(builder, reader), unions(reader, rules) {}

NodeId JsonSchema::value(NodeId next) {
  NodeId all = value(Parts{{&document, "#"}}, next);
  while (!pending.empty()) {
    Pending next = std::move(pending.front());
    pending.pop_front();
    builder.define(next.rule, next.expanded ? alternative(next.parts)
                                            : alternatives(next.parts));
  }
  return all;
}

NodeId JsonSchema::value(const Parts &parts, NodeId next) {
  return parts.empty() ? text.value(next)
                       : builder.call(ruleOf(parts, false), next);
}

JsonSchema::RuleId JsonSchema::ruleOf(const Parts &parts, bool expanded) {
  Key key;
  for (const SchemaAt &part : parts) {
    builder.spend();
    key.emplace_back(contents.numberOf(*part.schema),
                     expanded && reader.branches(*part.schema), part.chosen);
  }
  std::sort(key.begin(), key.end());
  key.erase(std::unique(key.begin(), key.end()), key.end());
  auto found = made.find(key);
  if (found == made.end()) {
    RuleId rule = builder.declare("the schema at " + parts.front().where);
    found = made.emplace(std::move(key), rule).first;
    pending.push_back({rule, parts, expanded});
  }
  return found->second;
}

/// A text of any alternative, up to the end of a rule.
NodeId JsonSchema::alternatives(const Parts &parts) {
  std::vector<Alternative> ways = unions.written(parts);
  if (ways.empty()) {
    return nothing(parts, "the schema false accepts nothing");
  }
  if (ways.size() == 1) {
    return alternative(ways.front().parts);
  }
  std::vector<NodeId> nodes;
  nodes.reserve(ways.size());
  for (const Alternative &way : ways) {
    nodes.push_back(way.parts.empty()
                        ? text.value(endNode)
                        : builder.call(ruleOf(way.parts, true), endNode));
  }
  return builder.either(nodes);
}

std::string JsonSchema::placed(const Parts &parts,
                               const std::string &why) const {
  return reader.place(parts.empty() ? "#" : parts.front().where) + ": " + why;
}

NodeId JsonSchema::nothing(const Parts &parts, const std::string &why) {
  if (impossible.empty()) {
    impossible = placed(parts, why);
  }
  return text.nowhere();
}

NodeId JsonSchema::alternative(const Parts &parts) {
  Exclusions without = rules.exclusions(parts);
  if (without.all) {
    return nothing(parts, "not accepts everything, so this accepts nothing");
  }
  std::vector<std::string> types = rules.types(parts);
  if (types.empty()) {
    return nothing(parts, "no type fits all schemas that must hold");
  }
  if (auto values = rules.constants(parts)) {
    return values->empty()
               ? nothing(parts, "no value of enum or const is of the type, and "
                                "fits all else that the schema says")
               : text.constants(*values, endNode);
  }
  std::vector<NodeId> nodes;
  for (const std::string &type : types) {
    if (without.types.count(type) == 0 &&
        (type != "integer" || without.types.count("number") == 0)) {
      nodes.push_back(typed(parts, type, without));
    }
  }
  return nodes.empty() ? nothing(parts, "not takes away all types")
                       : builder.either(nodes);
}

NodeId JsonSchema::typed(const Parts &parts, const std::string &type,
                         const Exclusions &without) {
  auto excludes = [&](auto is) {
    return std::any_of(without.values.begin(), without.values.end(), is);
  };
  if ((type == "object" &&
       excludes([](const Json &value) { return value.is_object(); })) ||
      (type == "array" &&
       excludes([](const Json &value) { return value.is_array(); })) ||
      (type == "number" &&
       (without.types.count("integer") != 0 ||
        excludes([](const Json &value) { return value.is_number(); })))) {
    reader.fail(parts.front().where,
                "not is supported of strings and integers, but not of values "
                "of type " +
                    type);
  }
  if (type == "object") {
    return object(parts);
  }
  if (type == "array") {
    return array(parts);
  }
  if (type == "string") {
    return string(parts);
  }
  if (type == "integer" || type == "number") {
    return number(parts, type == "integer");
  }
  std::vector<Json> values = {nullptr};
  if (type == "boolean") {
    values = {true, false};
  }
  values.erase(std::remove_if(values.begin(), values.end(),
                              [&](const Json &value) {
                                return !rules.fits(parts, value);
                              }),
               values.end());
  return values.empty() ? nothing(parts, "not takes away all values")
                        : text.constants(values, endNode);
}

NodeId JsonSchema::string(const Parts &parts) {
  StringRule rule = rules.string(parts);
  if (rule.maximum && rule.minimum > *rule.maximum) {
    return nothing(parts, "minLength is larger than maxLength");
  }
  return text.string(rule, endNode);
}

NodeId JsonSchema::number(const Parts &parts, bool whole) {
  NumberRule rule = rules.number(parts, whole);
  constexpr int places = 0;
  constexpr Wide beyondFractions = 1'000'000'000'000'000;
  if (rule.lowAt(places).value_or(0) >= beyondFractions ||
      rule.highAt(places).value_or(0) <= -beyondFractions) {
    rule.whole = true; // there is no digit left for a fraction
  }
  if (auto problem = JsonText::problemOf(rule)) {
    reader.fail(parts.front().where, *problem);
  }
  // between the integers that `not` takes away
  std::vector<Decimal> except = rule.except;
  except.erase(std::remove_if(except.begin(), except.end(),
                              [](const Decimal &value) {
                                return value.infinite || !value.fits(0);
                              }),
               except.end());
  std::sort(except.begin(), except.end(),
            [](const Decimal &left, const Decimal &right) {
              return left.digits < right.digits;
            });
  rule.except.clear();
  std::vector<NodeId> nodes;
  for (size_t index = 0; index <= except.size(); ++index) {
    builder.spend(1 + rule.lows.size() + rule.highs.size());
    NumberRule piece = rule;
    if (index > 0) {
      piece.lows.push_back({except[index - 1], true});
    }
    if (index < except.size()) {
      piece.highs.push_back({except[index], true});
    }
    NodeId node = text.number(piece, endNode);
    if (node != text.nowhere()) {
      nodes.push_back(node);
    }
  }
  return nodes.empty()
             ? nothing(parts, whole ? "no integer is within the bounds"
                                    : "no number is within the "
                                      "bounds that can be written")
             : builder.either(nodes);
}

} // namespace cheems::grammar
