#include "runtime/Grammar/SchemaJudge.h"

#include "runtime/Grammar/PatternRun.h"
#include "runtime/Json/Json.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <cmath>

namespace cheems::grammar {

std::string SchemaJudge::keyOf(const Json &value) {
  if (value.is_number_float()) {
    auto number = value.get<double>();
    if (number == std::floor(number) && std::abs(number) < 0x1p53) {
      return std::to_string(static_cast<int64_t>(number));
    }
  }
  if (!value.is_structured()) {
    return printJson(value);
  }
  std::vector<std::string> parts;
  for (const auto &[name, inside] : value.items()) {
    parts.push_back(value.is_object()
                        ? printJson(Json(name)) + ":" + keyOf(inside)
                        : keyOf(inside));
  }
  if (value.is_object()) {
    std::sort(parts.begin(), parts.end());
  }
  std::string all(1, value.is_object() ? '{' : '[');
  for (const std::string &part : parts) {
    all += part + ",";
  }
  return all;
}

bool SchemaJudge::isAmong(const Json &list, const std::string &key) {
  auto [found, isNew] = lists.try_emplace(&list);
  if (isNew) {
    reader.spend(list.size());
    for (const Json &value : list) {
      found->second.insert(keyOf(value));
    }
  }
  return found->second.count(key) != 0;
}

bool SchemaJudge::accepts(const Parts &parts, const Json &value) {
  for (const Alternative &way : reader.expand(parts)) {
    bool all =
        std::all_of(way.parts.begin(), way.parts.end(),
                    [&](const SchemaAt &part) { return fits(part, value); });
    for (const Alternative::Choice &choice : way.choices) {
      const Json &list = choice.list();
      for (size_t index = 0; all && choice.isOneOf() && index < list.size();
           ++index) {
        reader.spend();
        all = index == choice.chosen ||
              !accepts(SchemaReader::step(choice.from, list[index], "oneOf",
                                          std::to_string(index)),
                       value);
      }
    }
    if (all) {
      return true;
    }
  }
  return false;
}

bool SchemaJudge::isOfType(const Json &value, const std::string &type) {
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

bool SchemaJudge::fits(const SchemaAt &part, const Json &value) {
  reader.spend();
  if (const Json *type = reader.keyword(part, "type")) {
    auto isOne = [&](const Json &name) {
      return name.is_string() && isOfType(value, name.get<std::string>());
    };
    if (!(type->is_array() ? std::any_of(type->begin(), type->end(), isOne)
                           : isOne(*type))) {
      return false;
    }
  }
  const Json *one = reader.keyword(part, "const"),
             *list = reader.keyword(part, "enum");
  if (one || list) {
    std::string key = keyOf(value);
    if ((one && keyOf(*one) != key) ||
        (list && !(list->is_array() && isAmong(*list, key)))) {
      return false;
    }
  }
  if (const Json *other = reader.keyword(part, "not");
      other && accepts(SchemaReader::step(part, *other, "not"), value)) {
    return false;
  }
  return value.is_object()   ? fitsObject(part, value)
         : value.is_array()  ? fitsArray(part, value)
         : value.is_string() ? fitsString(part, value.get<std::string>())
         : value.is_number() ? fitsNumber(part, value)
                             : true;
}

bool SchemaJudge::fitsObject(const SchemaAt &part, const Json &value) {
  auto size = static_cast<int64_t>(value.size());
  if (size < count(part, "minProperties").value_or(0) ||
      size > count(part, "maxProperties").value_or(size)) {
    return false;
  }
  if (const Json *required = reader.keyword(part, "required")) {
    for (const Json &name : *required) {
      reader.spend(1 + value.size());
      if (name.is_string() && !value.contains(name.get<std::string>())) {
        return false;
      }
    }
  }
  const Json *listed = reader.keyword(part, "properties"),
             *byPattern = reader.keyword(part, "patternProperties"),
             *others = reader.keyword(part, "additionalProperties"),
             *names = reader.keyword(part, "propertyNames");
  for (const auto &member : value.items()) {
    const std::string &name = member.key();
    const Json &inside = member.value();
    bool known = false;
    auto fitsInside = [&](const Json &schema, const char *keyword) {
      known = true;
      return accepts(SchemaReader::step(part, schema, keyword, name), inside);
    };
    const Json *own =
        listed && listed->is_object() ? reader.find(*listed, name) : nullptr;
    if (own && !fitsInside(*own, "properties")) {
      return false;
    }
    if (byPattern && byPattern->is_object()) {
      for (const auto &[text, schema] : byPattern->items()) {
        if (matches(*pattern(part, Json(text), "patternProperties"), name) &&
            !fitsInside(schema, "patternProperties")) {
          return false;
        }
      }
    }
    if ((!known && others && !fitsInside(*others, "additionalProperties")) ||
        (names && !accepts(SchemaReader::step(part, *names, "propertyNames"),
                           Json(name)))) {
      return false;
    }
  }
  return true;
}

bool SchemaJudge::fitsArray(const SchemaAt &part, const Json &value) {
  auto size = static_cast<int64_t>(value.size());
  if (size < count(part, "minItems").value_or(0) ||
      size > count(part, "maxItems").value_or(size)) {
    return false;
  }
  const Json *unique = reader.keyword(part, "uniqueItems");
  if (unique && *unique == Json(true)) {
    reader.spend(value.size());
    std::unordered_set<std::string> keys;
    for (const Json &item : value) {
      if (!keys.insert(keyOf(item)).second) {
        return false;
      }
    }
  }
  const Json *first = reader.keyword(part, "prefixItems"),
             *rest = reader.keyword(part, "items");
  const char *keyword = "items";
  if (rest && rest->is_array()) { // as it was before 2020
    first = rest;
    rest = reader.keyword(part, keyword = "additionalItems");
  }
  for (size_t index = 0; index < value.size(); ++index) {
    bool within = first && first->is_array() && index < first->size();
    const Json *schema = within ? &(*first)[index] : rest;
    if (schema && !accepts(SchemaReader::step(part, *schema,
                                              within ? "prefixItems" : keyword),
                           value[index])) {
      return false;
    }
  }
  return true;
}

bool SchemaJudge::fitsString(const SchemaAt &part, const std::string &value) {
  auto minimum = count(part, "minLength"), maximum = count(part, "maxLength");
  if (minimum || maximum) {
    int64_t characters =
        std::count_if(value.begin(), value.end(),
                      [](char byte) { return (byte & 0xC0) != 0x80; });
    if (characters < minimum.value_or(0) ||
        characters > maximum.value_or(characters)) {
      return false;
    }
  }
  if (const Json *text = reader.keyword(part, "pattern");
      text && !matches(*pattern(part, *text, "pattern"), value)) {
    return false;
  }
  std::string known = format(part);
  return known.empty() || matches(*patternOfFormat(known), value);
}

bool SchemaJudge::fitsNumber(const SchemaAt &part, const Json &value) {
  NumberRule rule;
  addTo(rule, part);
  Decimal number(value);
  constexpr int places = 17;
  if (number.infinite || number.scale > places) {
    return rule.any(); // never written where there are bounds
  }
  Wide digits = number.floorAt(places);
  auto low = rule.lowAt(places), high = rule.highAt(places);
  if ((low && digits < *low) || (high && digits > *high)) {
    return false;
  }
  return std::all_of(rule.multiples.begin(), rule.multiples.end(),
                     [&](const Decimal &multiple) {
                       Wide step =
                           multiple.infinite ? 0 : multiple.floorAt(places);
                       return step == 0 ? digits == 0 : digits % step == 0;
                     });
}

std::optional<int64_t> SchemaJudge::count(const SchemaAt &part,
                                          const char *keyword) const {
  const Json *found = reader.keyword(part, keyword);
  if (!found) {
    return std::nullopt;
  }
  if (!found->is_number() || found->get<double>() < 0 ||
      found->get<double>() != std::floor(found->get<double>())) {
    reader.fail(part.where + "/" + keyword,
                "it must be an integer that is not negative");
  }
  constexpr double most = 0x1p53;
  double value = std::min(found->get<double>(), most);
  bool mustBeKept = std::string_view(keyword) != "maxLength";
  if (mustBeKept && value > static_cast<double>(maximumRepetition)) {
    reader.fail(part.where + "/" + keyword,
                "at most " + std::to_string(maximumRepetition) +
                    " are possible");
  }
  return static_cast<int64_t>(value);
}

Decimal SchemaJudge::number(const SchemaAt &part, const char *keyword) const {
  const Json *found = reader.keyword(part, keyword);
  if (!found->is_number()) {
    reader.fail(part.where + "/" + keyword, "it must be a number");
  }
  return Decimal(*found);
}

void SchemaJudge::addTo(NumberRule &rule, const SchemaAt &part) const {
  auto isTrue = [&](const char *keyword) {
    const Json *found = reader.keyword(part, keyword);
    return found && *found == Json(true);
  };
  auto isBound = [&](const char *keyword) {
    const Json *found = reader.keyword(part, keyword);
    return found && !found->is_boolean();
  };
  // before draft 6 a bound was exclusive where a flag beside it said so
  if (isBound("minimum")) {
    rule.lows.push_back({number(part, "minimum"), isTrue("exclusiveMinimum")});
  }
  if (isBound("maximum")) {
    rule.highs.push_back({number(part, "maximum"), isTrue("exclusiveMaximum")});
  }
  if (isBound("exclusiveMinimum")) {
    rule.lows.push_back({number(part, "exclusiveMinimum"), true});
  }
  if (isBound("exclusiveMaximum")) {
    rule.highs.push_back({number(part, "exclusiveMaximum"), true});
  }
  if (reader.keyword(part, "multipleOf")) {
    rule.multiples.push_back(number(part, "multipleOf"));
    if (rule.multiples.back().digits <= 0) {
      reader.fail(part.where + "/multipleOf", "it must be above 0");
    }
  }
}

std::shared_ptr<const Pattern>
SchemaJudge::pattern(const SchemaAt &part, const Json &text,
                     const std::string &keyword) {
  if (!text.is_string()) {
    reader.fail(part.where + "/" + keyword, "a pattern must be a string");
  }
  auto source = text.get<std::string>();
  auto found = patterns.find(source);
  if (found != patterns.end()) {
    return found->second;
  }
  reader.spend(source.size());
  auto made = std::make_shared<const Pattern>(
      parsePattern(source, reader.place(part.where + "/" + keyword)));
  // they are many times as large as their texts
  constexpr size_t maximumKept = 1 << 16;
  patternText += source.size();
  if (patternText > maximumKept) {
    patterns.clear();
    patternText = source.size();
  }
  patterns.emplace(source, made);
  return made;
}

std::string SchemaJudge::format(const SchemaAt &part) const {
  const Json *name = reader.keyword(part, "format");
  if (!name) {
    return "";
  }
  if (!name->is_string()) {
    reader.fail(part.where + "/format", "a format must be a string");
  }
  bool known = patternOfFormat(name->get<std::string>()) != nullptr;
  return known && !reader.keyword(part, "pattern") ? name->get<std::string>()
                                                   : "";
}

bool SchemaJudge::matches(const Pattern &pattern, const std::string &text) {
  std::function<void()> spend = [&] { reader.spend(); };
  PatternStates states(pattern, pattern.start, spend);
  PatternStates::StateId state = states.start(/*begins=*/true);
  for (std::string_view rest = text; !rest.empty();) {
    utf8::Scan one = utf8::scan(rest);
    rest.remove_prefix(one.length);
    if (state == PatternStates::matched || state == PatternStates::impossible) {
      break;
    }
    PatternStates::StateId next = PatternStates::impossible;
    for (const auto &[set, then] : states.steps(state)) {
      reader.spend();
      if (set.contains(one.codepoint)) {
        next = then;
      }
    }
    state = next;
  }
  return state == PatternStates::matched ||
         (state != PatternStates::impossible && states.matchedAtEnd(state));
}

} // namespace cheems::grammar
