// A schema is written down with numbers in the places of the schemas in it. So
// each is written once, however deep it is.
#include "runtime/Grammar/SchemaContents.h"

#include <set>

namespace cheems::grammar {

namespace {

/// These are for people, or for references.
bool isRemark(const std::string &keyword) {
  static const std::set<std::string> names = {
      "title", "description", "default",    "examples", "example",  "$comment",
      "$defs", "definitions", "deprecated", "readOnly", "writeOnly"};
  return names.count(keyword) != 0;
}

} // namespace

SchemaContents::Role SchemaContents::roleOf(const std::string &keyword) {
  static const std::map<std::string, Role> roles = {
      {"properties", schemasByName},
      {"patternProperties", schemasByName},
      {"additionalProperties", schema},
      {"propertyNames", schema},
      {"items", schema},
      {"prefixItems", schema},
      {"additionalItems", schema},
      {"not", schema},
      {"allOf", schema},
      {"anyOf", schema},
      {"oneOf", schema}};
  auto found = roles.find(keyword);
  return found == roles.end() ? value : found->second;
}

uint32_t SchemaContents::numberOf(const Json &schema) {
  auto found = known.find(&schema);
  if (found == known.end()) {
    uint32_t number = numberOf(schema, Role::schema);
    found = known.emplace(&schema, number).first;
  }
  return found->second;
}

uint32_t SchemaContents::numberOf(const Json &json, Role role) {
  std::string text;
  if (role == value || !json.is_structured()) {
    text = json.dump();
  } else if (json.is_array()) { // a list of schemas
    text = "[";
    for (const Json &one : json) {
      text += std::to_string(numberOf(one)) + ",";
    }
  } else {
    text = role == schema ? "{" : "(";
    for (const auto &[name, inside] : json.items()) {
      if (role == schema && isRemark(name)) {
        continue;
      }
      uint32_t number = role == schemasByName ? numberOf(inside)
                                              : numberOf(inside, roleOf(name));
      text += Json(name).dump() + std::to_string(number) + ",";
      if (role == schema && name == "$ref") {
        auto place = reinterpret_cast<uintptr_t>(&reader.resourceOf(json));
        text += std::to_string(place) + ",";
      }
    }
  }
  constexpr size_t bytesAStep = 64;
  builder.spend(1 + text.size() / bytesAStep);
  return numbers
      .try_emplace(std::move(text), static_cast<uint32_t>(numbers.size()))
      .first->second;
}

} // namespace cheems::grammar
