// JSON schemas as grammars. Each text of the grammar is accepted by the schema;
// not every value that a schema accepts has a text: properties come in the
// schema's order, and an object whose properties are listed has no others but
// where additionalProperties says so.
#include "runtime/Grammar/JsonSchema.h"

#include "runtime/Error.h"
#include "runtime/Grammar/SchemaDocument.h"
#include "runtime/Json/Json.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cheems::grammar {

namespace {

const std::set<std::string> &typeNames() {
  static const std::set<std::string> names = {
      "object", "array", "string", "number", "integer", "boolean", "null"};
  return names;
}

/// Which type a keyword is about; empty: any.
const std::map<std::string, std::string> &keywordTypes() {
  static const std::map<std::string, std::string> types = {
      {"properties", "object"},
      {"required", "object"},
      {"additionalProperties", "object"},
      {"items", "array"},
      {"minItems", "array"},
      {"maxItems", "array"},
      {"minLength", "string"},
      {"maxLength", "string"},
      {"pattern", "string"},
      {"minimum", "integer"},
      {"maximum", "integer"},
      {"exclusiveMinimum", "integer"},
      {"exclusiveMaximum", "integer"}};
  return types;
}

} // namespace

JsonSchema::JsonSchema(GrammarBuilder &builder, const Json &document,
                       std::string name)
    : builder(builder), text(builder), document(document),
      name(std::move(name)) {}

void JsonSchema::fail(const std::string &where,
                      const std::string &message) const {
  throw Error(Status::usage, name + ", at " + where + ": " + message);
}

NodeId JsonSchema::value(const Json &schema, const std::string &where,
                         NodeId next) {
  auto found = made.find(&schema);
  if (found == made.end()) {
    RuleId rule = builder.declare("the schema at " + where);
    found = made.emplace(&schema, rule).first; // before what it refers to
    if (++open > 2 * maximumNesting) {
      fail(where, "schemas are more than " +
                      std::to_string(2 * maximumNesting) +
                      " deep inside each other");
    }
    builder.define(rule, schemaNode(schema, where));
    --open;
  }
  return builder.call(found->second, next);
}

/// A text that the schema accepts, up to the end of a rule.
NodeId JsonSchema::schemaNode(const Json &schema, const std::string &where) {
  if (schema.is_boolean()) {
    if (!schema.get<bool>()) {
      fail(where, "the schema false accepts nothing");
    }
    return text.value(endNode);
  }
  if (!schema.is_object()) {
    fail(where, "a schema must be an object or a boolean");
  }
  checkKeywords(schema, where);
  for (const char *keyword : {"$ref", "anyOf"}) {
    if (schema.contains(keyword)) {
      return choices(schema, keyword, where);
    }
  }
  std::vector<std::string> types = typesOf(schema, where);
  if (schema.contains("enum") || schema.contains("const")) {
    return constants(schema, types, where);
  }
  std::vector<NodeId> alternatives;
  alternatives.reserve(types.size());
  for (const std::string &type : types) {
    alternatives.push_back(typed(schema, type, where));
  }
  return builder.either(alternatives);
}

void JsonSchema::checkKeywords(const Json &schema,
                               const std::string &where) const {
  // these say nothing about which values are accepted
  static const std::set<std::string> annotations = {
      "title",    "description", "default", "examples",    "$schema",
      "$id",      "$comment",    "$defs",   "definitions", "deprecated",
      "readOnly", "writeOnly",   "$anchor"};
  static const std::set<std::string> others = {"type", "enum", "const", "anyOf",
                                               "$ref"};
  for (const auto &[keyword, unused] : schema.items()) {
    if (annotations.count(keyword) == 0 && others.count(keyword) == 0 &&
        keywordTypes().count(keyword) == 0) {
      fail(where, "keyword '" + keyword.substr(0, 60) +
                      "' is not supported; supported are type, enum, const, "
                      "properties, required, additionalProperties, items, "
                      "minItems, maxItems, minLength, maxLength, pattern, "
                      "minimum, maximum, exclusiveMinimum, exclusiveMaximum, "
                      "anyOf, $ref and $defs");
    }
  }
}

std::vector<std::string> JsonSchema::typesOf(const Json &schema,
                                             const std::string &where) const {
  std::vector<std::string> types;
  auto add = [&](const Json &type) {
    if (!type.is_string() || typeNames().count(type.get<std::string>()) == 0) {
      fail(where + "/type", "a type must be one of object, array, string, "
                            "number, integer, boolean and null");
    }
    types.push_back(type.get<std::string>());
  };
  if (auto type = schema.find("type"); type != schema.end()) {
    if (type->is_array()) {
      for (const Json &one : *type) {
        add(one);
      }
      if (types.empty()) {
        fail(where + "/type", "a list of types must not be empty");
      }
    } else {
      add(*type);
    }
    return types;
  }
  // without a type, that of the keywords that are there
  std::string only;
  for (const auto &[keyword, unused] : schema.items()) {
    auto about = keywordTypes().find(keyword);
    if (about == keywordTypes().end()) {
      continue;
    }
    if (!only.empty() && only != about->second) {
      fail(where, "keyword '" + keyword +
                      "' is about another type than the "
                      "keywords before it; add a type");
    }
    only = about->second;
  }
  if (!only.empty()) {
    return {only};
  }
  return {"object", "array", "string", "number", "boolean", "null"};
}

/// $ref and anyOf: the other keywords of the schema hold for each alternative.
NodeId JsonSchema::choices(const Json &schema, const std::string &keyword,
                           const std::string &where) {
  const Json &given = schema[keyword];
  std::vector<std::pair<const Json *, std::string>> alternatives;
  if (keyword == "$ref") {
    if (!given.is_string()) {
      fail(where + "/$ref", "a reference must be a string");
    }
    auto target = given.get<std::string>();
    alternatives.emplace_back(
        &resolveReference(document, target,
                          [&](const std::string &message) {
                            fail(where + "/$ref", message);
                          }),
        target);
  } else {
    if (!given.is_array() || given.empty()) {
      fail(where + "/anyOf", "anyOf must be a list that is not empty");
    }
    for (size_t index = 0; index < given.size(); ++index) {
      alternatives.emplace_back(&given[index],
                                where + "/anyOf/" + std::to_string(index));
    }
  }
  Json siblings = Json::object();
  for (const auto &[name, value] : schema.items()) {
    bool constrains = name == "type" || name == "enum" || name == "const" ||
                      name == "$ref" || name == "anyOf" ||
                      keywordTypes().count(name) != 0;
    if (constrains && name != keyword) {
      siblings[name] = value;
    }
  }
  std::vector<NodeId> nodes;
  for (const auto &[alternative, place] : alternatives) {
    if (siblings.empty() || *alternative == Json(true)) {
      const Json &same = siblings.empty() ? *alternative : keep(siblings);
      nodes.push_back(value(same, place, endNode));
      continue;
    }
    if (!alternative->is_object()) {
      fail(place, "a schema must be an object or a boolean");
    }
    nodes.push_back(
        value(keep(joined(siblings, *alternative, where)), place, endNode));
  }
  return builder.either(nodes);
}

const Json &JsonSchema::keep(Json schema) {
  if (kept.size() == 4096) {
    throw Error(Status::usage, name + ": more than 4096 combinations of $ref "
                                      "or anyOf with other keywords");
  }
  return kept.emplace_back(std::move(schema));
}

/// A schema that accepts what both do.
Json JsonSchema::joined(const Json &siblings, const Json &alternative,
                        const std::string &where) const {
  Json all = alternative;
  bool listed = alternative.contains("properties") ||
                alternative.contains("additionalProperties");
  for (const auto &[keyword, value] : siblings.items()) {
    auto there = all.find(keyword);
    if (keyword == "required" && there != all.end() && there->is_array() &&
        value.is_array()) {
      for (const Json &one : value) {
        if (std::find(there->begin(), there->end(), one) == there->end()) {
          there->push_back(one);
        }
      }
      continue;
    }
    bool object = keyword == "properties" || keyword == "additionalProperties";
    if ((there != all.end() && *there != value) ||
        (object && listed && there == all.end())) {
      fail(where, "keyword '" + keyword +
                      "' beside $ref or anyOf also is in what they name; put "
                      "it into one place");
    }
    all[keyword] = value;
  }
  return all;
}

NodeId JsonSchema::constants(const Json &schema,
                             const std::vector<std::string> &types,
                             const std::string &where) {
  for (const auto &[keyword, unused] : schema.items()) {
    if (keywordTypes().count(keyword) != 0) {
      fail(where, "keyword '" + keyword +
                      "' beside enum or const is not supported; leave the "
                      "values out that it refuses");
    }
  }
  std::vector<Json> values;
  if (auto list = schema.find("enum"); list != schema.end()) {
    if (!list->is_array() || list->empty()) {
      fail(where + "/enum", "enum must be a list that is not empty");
    }
    values.assign(list->begin(), list->end());
  }
  if (auto one = schema.find("const"); one != schema.end()) {
    bool among = values.empty() ||
                 std::find(values.begin(), values.end(), *one) != values.end();
    values.clear();
    if (among) {
      values.push_back(*one);
    }
  }
  std::vector<NodeId> nodes;
  for (const Json &value : values) {
    bool fits =
        !schema.contains("type") ||
        std::any_of(types.begin(), types.end(), [&](const std::string &type) {
          return isOfType(value, type);
        });
    if (fits) {
      nodes.push_back(text.constant(value, endNode));
    }
  }
  if (nodes.empty()) {
    fail(where, "no value of enum or const is of the type");
  }
  return builder.either(nodes);
}

bool JsonSchema::isOfType(const Json &value, const std::string &type) {
  if (type == "integer") {
    return value.is_number_integer() ||
           (value.is_number_float() &&
            value.get<double>() == std::floor(value.get<double>()));
  }
  return (type == "object" && value.is_object()) ||
         (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) ||
         (type == "number" && value.is_number()) ||
         (type == "boolean" && value.is_boolean()) ||
         (type == "null" && value.is_null());
}

NodeId JsonSchema::typed(const Json &schema, const std::string &type,
                         const std::string &where) {
  if (type == "object") {
    return object(schema, where);
  }
  if (type == "array") {
    return array(schema, where);
  }
  if (type == "string") {
    return string(schema, where);
  }
  if (type == "integer") {
    return integer(schema, where);
  }
  if (type == "boolean") {
    return text.boolean(endNode);
  }
  if (type == "null") {
    return builder.literal("null", endNode);
  }
  for (const char *keyword :
       {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
    if (schema.contains(keyword)) {
      fail(where, "keyword '" + std::string(keyword) +
                      "' is not supported for type number, only for integer");
    }
  }
  return text.number(endNode);
}

NodeId JsonSchema::object(const Json &schema, const std::string &where) {
  static const Json anything = true;
  struct Property {
    std::string name;
    const Json *schema;
    std::string where;
    bool required;
  };
  std::vector<Property> properties;
  bool listed = schema.contains("properties");
  auto further = schema.find("additionalProperties");
  const Json *additional = further != schema.end() ? &*further
                           : listed                ? nullptr
                                                   : &anything;
  if (additional && *additional == Json(false)) {
    additional = nullptr;
  }
  if (listed) {
    const Json &list = schema["properties"];
    if (!list.is_object()) {
      fail(where + "/properties", "properties must be an object");
    }
    for (const auto &[name, value] : list.items()) {
      properties.push_back(
          {name, &value, where + "/properties/" + name.substr(0, 60), false});
    }
  }
  std::map<std::string, size_t> places;
  for (size_t index = 0; index < properties.size(); ++index) {
    places[properties[index].name] = index;
  }
  if (auto required = schema.find("required"); required != schema.end()) {
    if (!required->is_array()) {
      fail(where + "/required", "required must be a list of names");
    }
    for (const Json &name : *required) {
      if (!name.is_string()) {
        fail(where + "/required", "required must be a list of names");
      }
      auto key = name.get<std::string>();
      auto [place, isNew] = places.try_emplace(key, properties.size());
      if (isNew) {
        if (further != schema.end() && !additional) {
          fail(where + "/required", "'" + key.substr(0, 60) +
                                        "' is required, but neither in "
                                        "properties nor allowed otherwise");
        }
        properties.push_back({key, additional ? additional : &anything,
                              where + "/additionalProperties", true});
      }
      properties[place->second].required = true;
    }
  }

  // from the last property to the first: with members before, and without
  NodeId close = builder.literal("}", endNode);
  NodeId withMembers = close, without = close;
  if (additional) {
    std::vector<std::string> names;
    names.reserve(properties.size());
    for (const Property &property : properties) {
      names.push_back(property.name);
    }
    RuleId key = builder.declare("another name of a property");
    builder.define(key, text.stringExcept(names, endNode));
    auto member = [&](NodeId next) {
      return builder.call(
          key, text.colon(
                   value(*additional, where + "/additionalProperties", next)));
    };
    withMembers =
        builder.repeat([&](NodeId next) { return text.comma(member(next)); }, 0,
                       std::nullopt, close);
    without = builder.either({member(withMembers), close});
  }
  for (size_t index = properties.size(); index-- > 0;) {
    const Property &property = properties[index];
    NodeId member = builder.literal(
        printJson(Json(property.name)),
        text.colon(value(*property.schema, property.where, withMembers)));
    NodeId behind = text.comma(member);
    if (property.required) {
      without = member;
      withMembers = behind;
    } else {
      without = builder.either({member, without});
      withMembers = builder.either({behind, withMembers});
    }
  }
  return builder.literal("{", without);
}

NodeId JsonSchema::array(const Json &schema, const std::string &where) {
  static const Json anything = true;
  auto items = schema.find("items");
  const Json *item = items != schema.end() ? &*items : &anything;
  if (item->is_array()) {
    fail(where + "/items", "a list of schemas for items is not supported; give "
                           "one schema");
  }
  auto minimum = count(schema, "minItems", where);
  auto maximum = count(schema, "maxItems", where);
  if (*item == Json(false)) {
    maximum = 0;
  }
  requireOrder(minimum, maximum, "minItems", "maxItems", where);
  return builder.literal(
      "[",
      text.list(
          [&](NodeId next) { return value(*item, where + "/items", next); },
          minimum.value_or(0), maximum, builder.literal("]", endNode)));
}

NodeId JsonSchema::string(const Json &schema, const std::string &where) {
  auto minimum = count(schema, "minLength", where);
  auto maximum = count(schema, "maxLength", where);
  requireOrder(minimum, maximum, "minLength", "maxLength", where);
  auto pattern = schema.find("pattern");
  if (pattern == schema.end()) {
    return text.string(minimum.value_or(0), maximum, endNode);
  }
  if (!pattern->is_string()) {
    fail(where + "/pattern", "a pattern must be a string");
  }
  return text.string(parsePattern(pattern->get<std::string>(),
                                  name + ", at " + where + "/pattern"),
                     minimum.value_or(0), maximum, endNode);
}

NodeId JsonSchema::integer(const Json &schema, const std::string &where) {
  auto minimum = bound(schema, "minimum", +1, where);
  auto maximum = bound(schema, "maximum", -1, where);
  auto above = bound(schema, "exclusiveMinimum", +1, where);
  auto below = bound(schema, "exclusiveMaximum", -1, where);
  if (above) {
    minimum = std::max(minimum.value_or(*above), *above);
  }
  if (below) {
    maximum = std::min(maximum.value_or(*below), *below);
  }
  if (minimum && maximum && *minimum > *maximum) {
    fail(where, "no integer is within the bounds");
  }
  return text.integer(minimum, maximum, endNode);
}

/// The outermost integer that a bound leaves: `inward` is the way from it.
std::optional<int64_t> JsonSchema::bound(const Json &schema,
                                         const char *keyword, int inward,
                                         const std::string &where) const {
  auto found = schema.find(keyword);
  if (found == schema.end()) {
    return std::nullopt;
  }
  bool exclusive = std::string_view(keyword).substr(0, 9) == "exclusive";
  auto tooLarge = [&] {
    fail(where + "/" + keyword,
         "a bound must be a number between -2^62 and 2^62");
  };
  constexpr int64_t limit = int64_t(1) << 62;
  if (!found->is_number()) {
    tooLarge();
  }
  int64_t value = 0;
  bool whole = true;
  if (found->is_number_integer()) {
    if (found->is_number_unsigned() && found->get<uint64_t>() > limit) {
      tooLarge();
    }
    value = found->get<int64_t>();
  } else {
    auto number = found->get<double>();
    if (!(std::abs(number) < static_cast<double>(limit))) {
      tooLarge();
    }
    double rounded = inward > 0 ? std::ceil(number) : std::floor(number);
    whole = rounded == number;
    value = static_cast<int64_t>(rounded);
  }
  if (value > limit || value < -limit) {
    tooLarge();
  }
  return exclusive && whole ? value + inward : value;
}

std::optional<int64_t> JsonSchema::count(const Json &schema,
                                         const char *keyword,
                                         const std::string &where) const {
  auto found = schema.find(keyword);
  if (found == schema.end()) {
    return std::nullopt;
  }
  if (!found->is_number_integer() || found->get<double>() < 0) {
    fail(where + "/" + keyword, "it must be an integer that is not negative");
  }
  if (found->get<double>() > static_cast<double>(maximumRepetition)) {
    fail(where + "/" + keyword,
         "at most " + std::to_string(maximumRepetition) + " are possible");
  }
  return found->get<int64_t>();
}

void JsonSchema::requireOrder(std::optional<int64_t> minimum,
                              std::optional<int64_t> maximum, const char *low,
                              const char *high,
                              const std::string &where) const {
  if (minimum && maximum && *minimum > *maximum) {
    fail(where, std::string(low) + " is larger than " + high);
  }
}

} // namespace cheems::grammar
