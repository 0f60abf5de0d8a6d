#include "runtime/Grammar/SchemaTags.h"

#include <algorithm>

namespace cheems::grammar {

SchemaAt SchemaTags::with(const std::string &name, const std::string &where) {
  auto [found, isNew] = present.try_emplace(name);
  if (isNew) {
    found->second["required"] = Json::array({name});
  }
  return {&found->second, where};
}

SchemaAt SchemaTags::without(const std::string &name,
                             const std::string &where) {
  auto [found, isNew] = absent.try_emplace(name);
  if (isNew) { // properties would close an object that lists none
    found->second["propertyNames"]["not"]["const"] = name;
  }
  return {&found->second, where};
}

/// Whether each object that the schema accepts has one of some constants there,
/// if it has the property.
bool SchemaTags::hasConstants(const SchemaAt &schema, const std::string &name) {
  std::vector<Alternative> ways = reader.expand({schema});
  return std::all_of(ways.begin(), ways.end(), [&](const Alternative &way) {
    if (!rules.mayBe(way.parts, "object")) {
      return true;
    }
    std::optional<Parts> value = rules.valueOf(way.parts, name);
    return value && !value->empty() && rules.values(*value);
  });
}

const std::string &SchemaTags::tagOf(const Alternative::Choice &choice) {
  const Json &list = choice.list();
  auto [found, isNew] = tags.try_emplace(&list);
  const Json *named = reader.keyword(choice.from, "discriminator");
  if (!isNew || !named || !named->is_object() ||
      !named->contains("propertyName") ||
      !(*named)["propertyName"].is_string()) {
    return found->second;
  }
  auto name = (*named)["propertyName"].get<std::string>();
  bool all = true;
  for (size_t index = 0; all && index < list.size(); ++index) {
    all =
        hasConstants(SchemaReader::step(choice.from, list[index],
                                        choice.keyword, std::to_string(index)),
                     name);
  }
  found->second = all ? name : "";
  return found->second;
}

std::vector<Alternative> SchemaTags::expand(const Parts &parts) {
  std::vector<Alternative> ways = reader.expand(parts);
  for (Alternative &way : ways) {
    for (const Alternative::Choice &choice : way.choices) {
      const std::string &tag = tagOf(choice);
      if (!tag.empty() && rules.mayBe(way.parts, "object")) {
        way.parts.push_back(with(tag, choice.from.where));
      }
    }
  }
  return ways;
}

} // namespace cheems::grammar
