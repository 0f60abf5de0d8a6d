#include "runtime/Grammar/SchemaUnions.h"

#include <algorithm>

namespace cheems::grammar {

std::vector<Alternative> SchemaUnions::written(const Parts &parts) {
  std::vector<Alternative> ways = tags.expand(parts);
  for (Alternative &way : ways) {
    keepToOne(way);
  }
  return ways;
}

void SchemaUnions::keepToOne(Alternative &way) {
  for (const Alternative::Choice &choice : way.choices) {
    const Json &list = choice.list();
    for (size_t index = 0; choice.isOneOf() && index < list.size(); ++index) {
      if (index == choice.chosen) {
        continue;
      }
      SchemaAt other = SchemaReader::step(choice.from, list[index], "oneOf",
                                          std::to_string(index));
      if (!overlap.apart(way.parts, other) && !tellApart(way, other)) {
        reader.fail(choice.from.where + "/oneOf",
                    "a value might fit both its schemas " +
                        std::to_string(choice.chosen) + " and " +
                        std::to_string(index) +
                        "; let a property of both have different constants, "
                        "or use anyOf");
      }
    }
  }
}

/// Narrows an alternative so that the other schema accepts none of its texts.
bool SchemaUnions::tellApart(Alternative &way, const SchemaAt &other) {
  if (!rules.mayBe(way.parts, "object")) {
    return false;
  }
  auto holds = [&](const SchemaAt &added) {
    Parts parts = way.parts;
    parts.push_back(added);
    reader.spend(parts.size());
    if (!overlap.apart(parts, other)) {
      return false;
    }
    way.parts = std::move(parts);
    return true;
  };
  // a tag that may be left out, as it has a default
  ObjectRule mine = rules.object(way.parts);
  for (const ObjectRule::Property &property : mine.properties) {
    if (!property.required && property.possible && !property.value.empty() &&
        rules.values(property.value) &&
        holds(tags.with(property.name, other.where))) {
      return true;
    }
  }
  // what the other requires may be left out
  auto needs = [](const ObjectRule &rule, const std::string &name) {
    return std::any_of(rule.properties.begin(), rule.properties.end(),
                       [&](const ObjectRule::Property &property) {
                         return property.required && property.name == name;
                       });
  };
  for (const Alternative &theirs : reader.expand({other})) {
    for (const ObjectRule::Property &property :
         rules.object(theirs.parts).properties) {
      if (property.required && !needs(mine, property.name) &&
          holds(tags.without(property.name, other.where))) {
        return true;
      }
    }
  }
  return false;
}

} // namespace cheems::grammar
