// What an alternative of a schema says about objects.
#include "runtime/Grammar/SchemaRules.h"

#include <algorithm>

namespace cheems::grammar {

namespace {

bool isFalse(const SchemaAt &part) { return *part.schema == Json(false); }

} // namespace

/// An object of schemas that a keyword gives.
const Json *SchemaRules::objectAt(const SchemaAt &part, const char *keyword) {
  const Json *found = reader.keyword(part, keyword);
  if (found && !found->is_object()) {
    reader.fail(part.where + "/" + keyword,
                std::string(keyword) + " must be an object");
  }
  return found;
}

SchemaRules::Patterns SchemaRules::patternsOf(const SchemaAt &part) {
  Patterns patterns;
  if (const Json *list = objectAt(part, "patternProperties")) {
    for (const auto &[text, schema] : list->items()) {
      patterns.emplace_back(
          judge.pattern(part, Json(text), "patternProperties"), &schema);
    }
  }
  return patterns;
}

std::optional<Parts> SchemaRules::valueOf(const Parts &parts,
                                          const std::string &name) {
  auto isClosed = [&](const SchemaAt &part) {
    const Json *others = reader.keyword(part, "additionalProperties");
    return !part.chosen && others && *others == Json(false);
  };
  bool listedByClosed =
      std::any_of(parts.begin(), parts.end(), [&](const SchemaAt &part) {
        const Json *listed = objectAt(part, "properties");
        return listed && isClosed(part) && reader.find(*listed, name);
      });
  Parts value;
  for (const SchemaAt &part : parts) {
    reader.spend();
    size_t before = value.size();
    if (const Json *listed = objectAt(part, "properties")) {
      if (const Json *own = reader.find(*listed, name)) {
        value.push_back(SchemaReader::step(part, *own, "properties", name));
      }
    }
    for (const auto &[pattern, schema] : patternsOf(part)) {
      if (judge.matches(*pattern, name)) {
        value.push_back(
            SchemaReader::step(part, *schema, "patternProperties", name));
      }
    }
    const Json *others = reader.keyword(part, "additionalProperties");
    if (value.size() == before && others &&
        !(listedByClosed && isClosed(part))) {
      value.push_back(
          SchemaReader::step(part, *others, "additionalProperties"));
    }
    for (size_t more = before + 1; more < value.size(); ++more) {
      value[more].chosen = true;
    }
    const Json *names = reader.keyword(part, "propertyNames");
    if (names &&
        !judge.accepts(SchemaReader::step(part, *names, "propertyNames"),
                       Json(name))) {
      return std::nullopt;
    }
  }
  if (std::any_of(value.begin(), value.end(), isFalse)) {
    return std::nullopt;
  }
  return value;
}

/// All names that the schemas of names allow, where those list them.
std::optional<std::vector<std::string>>
SchemaRules::listedNames(const Parts &names) {
  if (names.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> all;
  for (const Alternative &way : reader.expand(names)) {
    auto values = constants(way.parts);
    if (!values) {
      return std::nullopt;
    }
    for (const Json &value : *values) {
      if (value.is_string()) {
        all.push_back(value.get<std::string>());
      }
    }
  }
  return all;
}

ObjectRule SchemaRules::object(const Parts &parts) {
  ObjectRule rule;
  std::unordered_map<std::string, size_t> places;
  auto list = [&](const std::string &name) {
    auto [place, isNew] = places.try_emplace(name, rule.properties.size());
    if (isNew) {
      std::optional<Parts> value = valueOf(parts, name);
      rule.properties.push_back(
          {name, value.value_or(Parts()), false, value.has_value()});
    }
    return place->second;
  };
  for (const SchemaAt &part : parts) {
    if (const Json *listed = objectAt(part, "properties")) {
      for (const auto &[name, schema] : listed->items()) {
        list(name);
      }
    }
    if (const Json *names = reader.keyword(part, "propertyNames")) {
      rule.names.push_back(SchemaReader::step(part, *names, "propertyNames"));
    }
    rule.minimum =
        std::max(rule.minimum, judge.count(part, "minProperties").value_or(0));
    if (auto maximum = judge.count(part, "maxProperties")) {
      rule.maximum = std::min(rule.maximum.value_or(*maximum), *maximum);
    }
  }
  for (const SchemaAt &part : parts) {
    const Json *required = reader.keyword(part, "required");
    if (required && required->is_boolean()) {
      continue; // draft 3 has it in the property
    }
    bool names =
        !required ||
        (required->is_array() &&
         std::all_of(required->begin(), required->end(),
                     [](const Json &name) { return name.is_string(); }));
    if (!names) {
      reader.fail(part.where + "/required", "required must be a list of names");
    }
    for (const Json &name : required ? *required : Json::array()) {
      reader.spend();
      size_t place = list(name.get<std::string>());
      rule.required += !rule.properties[place].required;
      rule.properties[place].required = true;
    }
  }
  addFamilies(rule, parts);
  if (auto names = listedNames(rule.names); names && !rule.families.empty()) {
    for (const std::string &name : *names) {
      list(name);
    }
    rule.families.clear();
  }
  return rule;
}

void SchemaRules::addFamilies(ObjectRule &rule, const Parts &parts) {
  bool listed = false, open = false;
  Parts others;
  std::vector<std::string> texts;
  for (const SchemaAt &part : parts) {
    listed = listed || reader.keyword(part, "properties") ||
             reader.keyword(part, "patternProperties");
    if (const Json *further = reader.keyword(part, "additionalProperties")) {
      open = true;
      others.push_back(
          SchemaReader::step(part, *further, "additionalProperties"));
    }
    if (const Json *list = objectAt(part, "patternProperties")) {
      for (const auto &[text, schema] : list->items()) {
        reader.spend(texts.size() + 1);
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
          texts.push_back(text);
          rule.patterns.push_back(
              judge.pattern(part, Json(text), "patternProperties"));
        }
      }
    }
  }
  auto add = [&](std::shared_ptr<const Pattern> pattern, Parts value) {
    if (std::none_of(value.begin(), value.end(), isFalse)) {
      rule.families.push_back({std::move(pattern), std::move(value)});
    }
  };
  for (size_t index = 0; index < texts.size(); ++index) {
    Parts value;
    for (const SchemaAt &part : parts) {
      const Json *list = objectAt(part, "patternProperties");
      const Json *own = list ? reader.find(*list, texts[index]) : nullptr;
      const Json *further = reader.keyword(part, "additionalProperties");
      if (own) {
        value.push_back(
            SchemaReader::step(part, *own, "patternProperties", texts[index]));
      } else if (further) { // no other pattern of this part matches
        value.push_back(
            SchemaReader::step(part, *further, "additionalProperties"));
      }
    }
    add(rule.patterns[index], std::move(value));
  }
  if (open || !listed) {
    add(nullptr, std::move(others));
  }
}

} // namespace cheems::grammar
