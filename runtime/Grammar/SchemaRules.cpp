// Scalars and arrays; ObjectRules.cpp has objects.
#include "runtime/Grammar/SchemaRules.h"

#include <algorithm>

namespace cheems::grammar {

std::vector<std::string> SchemaRules::types(const Parts &parts) {
  static const std::vector<std::string> all = {"object", "array",   "string",
                                               "number", "boolean", "null"};
  std::set<std::string> left(all.begin(), all.end()), about;
  bool typed = false;
  for (const SchemaAt &part : parts) {
    for (const auto &[keyword, value] : part.schema->items()) {
      const std::string *narrowed = narrowedType(keyword, value);
      if (narrowed && !narrowed->empty()) {
        about.insert(*narrowed);
      }
    }
    const Json *type = reader.keyword(part, "type");
    if (!type) {
      continue;
    }
    typed = true;
    std::set<std::string> given;
    for (const Json &one : type->is_array() ? *type : Json::array({*type})) {
      bool known = one.is_string() &&
                   (one == Json("integer") ||
                    std::find(all.begin(), all.end(), one.get<std::string>()) !=
                        all.end());
      if (!known) {
        reader.fail(part.where + "/type",
                    "a type must be one of object, array, string, number, "
                    "integer, boolean and null");
      }
      given.insert(one.get<std::string>());
    }
    if (given.empty()) {
      reader.fail(part.where + "/type", "a list of types must not be empty");
    }
    bool integers = left.count("integer") != 0 || given.count("integer") != 0;
    bool numbers = left.count("number") != 0 && given.count("number") != 0;
    bool some = (left.count("number") != 0 || left.count("integer") != 0) &&
                (given.count("number") != 0 || given.count("integer") != 0);
    std::set<std::string> both;
    std::set_intersection(left.begin(), left.end(), given.begin(), given.end(),
                          std::inserter(both, both.begin()));
    both.erase("number");
    both.erase("integer");
    if (some) {
      both.insert(integers && !numbers ? "integer" : "number");
    }
    left = both;
  }
  std::vector<std::string> found;
  for (const std::string &type : all) {
    bool named = left.count(type) != 0 ||
                 (type == "number" && left.count("integer") != 0);
    if (named && (typed || about.empty() || about.count(type) != 0)) {
      found.push_back(left.count(type) != 0 ? type : "integer");
    }
  }
  return found;
}

bool SchemaRules::mayBe(const Parts &parts, const std::string &type) {
  std::vector<std::string> all = types(parts);
  return std::find(all.begin(), all.end(), type) != all.end();
}

bool SchemaRules::fits(const Parts &parts, const Json &value) {
  return std::all_of(parts.begin(), parts.end(), [&](const SchemaAt &part) {
    return judge.fits(part, value);
  });
}

std::optional<std::vector<Json>> SchemaRules::constants(const Parts &parts) {
  std::optional<std::vector<Json>> values;
  for (const SchemaAt &part : parts) {
    const Json *list = reader.keyword(part, "enum"),
               *one = reader.keyword(part, "const");
    if (list && (!list->is_array() || list->empty())) {
      reader.fail(part.where + "/enum",
                  "enum must be a list that is not empty");
    }
    if (one || (list && !values)) {
      values.emplace();
      if (one) {
        values->push_back(*one);
      } else {
        values->assign(list->begin(), list->end());
      }
    }
  }
  if (values) {
    values->erase(
        std::remove_if(values->begin(), values->end(),
                       [&](const Json &value) { return !fits(parts, value); }),
        values->end());
  }
  return values;
}

std::optional<std::vector<Json>> SchemaRules::values(const Parts &parts) {
  std::vector<Json> all;
  std::unordered_set<std::string> keys;
  for (const Alternative &way : reader.expand(parts)) {
    auto found = constants(way.parts);
    if (!found) {
      found.emplace();
      for (const std::string &type : types(way.parts)) {
        if (type == "null") {
          found->emplace_back(nullptr);
        } else if (type == "boolean") {
          found->insert(found->end(), {true, false});
        } else {
          return std::nullopt;
        }
      }
    }
    for (Json &value : *found) {
      reader.spend();
      std::string key = SchemaJudge::keyOf(value);
      if (keys.count(key) == 0 && fits(way.parts, value) &&
          (way.choices.empty() || judge.accepts(parts, value))) {
        keys.insert(std::move(key));
        all.push_back(std::move(value));
      }
    }
  }
  return all;
}

StringRule SchemaRules::string(const Parts &parts) {
  StringRule rule;
  std::set<std::string> formats;
  for (const SchemaAt &part : parts) {
    rule.minimum =
        std::max(rule.minimum, judge.count(part, "minLength").value_or(0));
    if (auto maximum = judge.count(part, "maxLength")) {
      // no text needs to be longer than what can be counted
      rule.maximum = std::min(rule.maximum.value_or(maximumRepetition),
                              std::min(*maximum, maximumRepetition));
    }
    if (const Json *text = reader.keyword(part, "pattern")) {
      rule.matching.push_back(judge.pattern(part, *text, "pattern"));
    }
    if (std::string known = judge.format(part); !known.empty()) {
      formats.insert(known);
    }
  }
  bool patterns = !rule.matching.empty();
  for (const std::string &format : formats) {
    if (patterns || !rule.maximum) {
      rule.matching.push_back(patternOfFormat(format));
      continue;
    }
    auto known = shortFormats.find({format, *rule.maximum});
    if (known == shortFormats.end()) {
      known = shortFormats
                  .emplace(std::make_pair(format, *rule.maximum),
                           shortFormat(format, *rule.maximum))
                  .first;
    }
    const ShortFormat &one = known->second;
    bool longEnough = one.maximum >= rule.minimum;
    rule.matching.push_back(longEnough ? one.pattern : patternOfFormat(format));
    rule.maximum = longEnough ? one.maximum : *rule.maximum;
  }
  for (const Json &value : exclusions(parts).values) {
    if (value.is_string()) {
      rule.except.push_back(value.get<std::string>());
    }
  }
  return rule;
}

NumberRule SchemaRules::number(const Parts &parts, bool whole) {
  NumberRule rule;
  rule.whole = whole;
  for (const SchemaAt &part : parts) {
    judge.addTo(rule, part);
  }
  for (const Json &value : exclusions(parts).values) {
    if (value.is_number()) {
      rule.except.emplace_back(value);
    }
  }
  return rule;
}

ArrayRule SchemaRules::array(const Parts &parts) {
  ArrayRule rule;
  bool counted = false, open = false;
  std::vector<std::pair<const Json *, std::optional<SchemaAt>>> lists;
  for (const SchemaAt &part : parts) {
    const Json *first = reader.keyword(part, "prefixItems"),
               *items = reader.keyword(part, "items");
    const char *keyword = "items";
    if (items && items->is_array()) { // as it was before 2020
      first = items;
      items = reader.keyword(part, keyword = "additionalItems");
    }
    if (first && !first->is_array()) {
      reader.fail(part.where + "/prefixItems", "it must be a list of schemas");
    }
    std::optional<SchemaAt> rest;
    if (items) {
      rest = SchemaReader::step(part, *items, keyword);
      rule.rest.push_back(*rest);
      open = true;
    }
    lists.emplace_back(first, rest);
    if (first && first->size() > rule.first.size()) {
      reader.spend(first->size());
      rule.first.resize(first->size());
    }
    const Json *unique = reader.keyword(part, "uniqueItems");
    if (unique && *unique == Json(true)) {
      rule.unique = true;
    }
    if (auto minimum = judge.count(part, "minItems")) {
      rule.minimum = std::max(rule.minimum, *minimum);
      counted = true;
    }
    if (auto maximum = judge.count(part, "maxItems")) {
      rule.maximum = std::min(rule.maximum.value_or(*maximum), *maximum);
    }
  }
  auto length = static_cast<int64_t>(rule.first.size());
  auto limit = [&](int64_t maximum) {
    rule.maximum = std::min(rule.maximum.value_or(maximum), maximum);
  };
  for (size_t index = 0; index < rule.first.size(); ++index) {
    for (size_t at = 0; at < parts.size(); ++at) {
      reader.spend();
      const auto &[first, rest] = lists[at];
      if (first && index < first->size()) {
        rule.first[index].push_back(SchemaReader::step(
            parts[at], (*first)[index], "prefixItems", std::to_string(index)));
      } else if (rest) {
        rule.first[index].push_back(*rest);
      }
    }
    for (const SchemaAt &part : rule.first[index]) {
      if (*part.schema == Json(false)) {
        limit(static_cast<int64_t>(index));
      }
    }
  }
  for (const SchemaAt &part : rule.rest) {
    if (*part.schema == Json(false)) {
      limit(length);
    }
  }
  if (length > 0 && !open) {
    limit(length); // like an object whose properties are listed
  }
  if (length > 0 && !counted) {
    rule.minimum = std::min(length, rule.maximum.value_or(length));
  }
  return rule;
}

Exclusions SchemaRules::exclusions(const Parts &parts) {
  Exclusions found;
  for (const SchemaAt &part : parts) {
    const Json *other = reader.keyword(part, "not");
    if (!other) {
      continue;
    }
    for (const Alternative &way :
         reader.expand({SchemaReader::step(part, *other, "not")})) {
      bool simple = way.choices.empty(), values = false;
      for (const SchemaAt &one : way.parts) {
        for (const auto &[keyword, value] : one.schema->items()) {
          simple =
              simple && (!narrowedType(keyword, value) || keyword == "type" ||
                         keyword == "enum" || keyword == "const");
        }
        values = values || reader.keyword(one, "enum") ||
                 reader.keyword(one, "const");
      }
      if (!simple) {
        reader.fail(part.where + "/not",
                    "not is supported only of const, enum and type");
      }
      if (way.parts.empty()) {
        found.all = true;
      } else if (values) {
        std::vector<Json> all = *constants(way.parts);
        found.values.insert(found.values.end(), all.begin(), all.end());
      } else {
        for (const std::string &type : types(way.parts)) {
          found.types.insert(type);
        }
      }
    }
  }
  return found;
}

} // namespace cheems::grammar
