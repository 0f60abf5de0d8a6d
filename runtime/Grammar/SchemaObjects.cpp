// Objects of JSON schemas. A lane is what may follow after so many members.
#include "runtime/Grammar/JsonSchema.h"

#include "runtime/Json/Json.h"

#include <algorithm>

namespace cheems::grammar {

/// The name of a member that is not listed, then `next`.
NodeId JsonSchema::name(const ObjectRule &rule,
                        const ObjectRule::Family &family, NodeId next) {
  std::vector<NodeId> names;
  std::vector<Alternative> ways = reader.expand(rule.names);
  for (const Alternative &way : ways) {
    StringRule one = rules.string(way.parts);
    for (const ObjectRule::Property &property : rule.properties) {
      one.except.push_back(property.name);
    }
    if (family.pattern) {
      one.matching.push_back(family.pattern);
    }
    for (const auto &pattern : rule.patterns) {
      if (pattern != family.pattern) {
        one.refused.push_back(pattern);
      }
    }
    std::vector<std::string> types = rules.types(way.parts);
    if (std::find(types.begin(), types.end(), "string") == types.end() ||
        (one.maximum && one.minimum > *one.maximum)) {
      continue;
    }
    if (rules.constants(way.parts)) {
      reader.fail(way.parts.front().where,
                  "propertyNames with anyOf is supported only where all of its "
                  "schemas list the names, or none");
    }
    names.push_back(text.string(one, next));
  }
  return names.empty() ? text.nowhere() : builder.either(names);
}

/// Fills the lanes after all members that are listed.
void JsonSchema::objectEnd(const ObjectRule &rule, NodeId close,
                           std::vector<NodeId> &lanes) {
  auto isEnough = [&](size_t members) {
    return static_cast<int64_t>(members) >= rule.minimum;
  };
  std::vector<std::pair<RuleId, const Parts *>> families;
  for (const ObjectRule::Family &family : rule.families) {
    RuleId key = builder.declare("another name of a property");
    builder.define(key, name(rule, family, endNode));
    families.emplace_back(key, &family.value);
  }
  auto member = [&](NodeId next) {
    std::vector<NodeId> nodes;
    nodes.reserve(families.size());
    for (const auto &[key, parts] : families) {
      nodes.push_back(builder.call(key, text.colon(value(*parts, next))));
    }
    return builder.either(nodes);
  };
  size_t last = lanes.size() - 1;
  for (size_t lane = lanes.size(); lane-- > 0;) {
    std::vector<NodeId> nodes;
    if (isEnough(lane)) {
      nodes.push_back(close);
    }
    bool loops = lane == last && !rule.maximum;
    NodeId loop = loops ? builder.placeholder() : 0;
    if (!families.empty() && (loops || lane < last)) {
      NodeId more = member(loops ? loop : lanes[lane + 1]);
      nodes.push_back(lane > 0 ? text.comma(more) : more);
    }
    lanes[lane] = nodes.empty() ? text.nowhere() : builder.either(nodes);
    if (loops) {
      builder.become(loop, lanes[lane]);
    }
  }
}

NodeId JsonSchema::object(const Parts &parts) {
  ObjectRule rule = rules.object(parts);
  if (rule.maximum && rule.minimum > *rule.maximum) {
    return nothing(parts, "minProperties is larger than maxProperties");
  }
  // a name that is not listed may come twice, and counts once
  if (!rule.families.empty() && rule.minimum > rule.required + 1) {
    reader.fail(parts.front().where,
                "minProperties is supported up to one more than the number of "
                "required properties, where others than those that are listed "
                "may be there");
  }
  auto possible = static_cast<int64_t>(rule.properties.size());
  if (rule.maximum && rule.families.empty() && *rule.maximum >= possible) {
    rule.maximum = std::nullopt;
  }
  auto most = rule.maximum.value_or(std::max<int64_t>(rule.minimum, 1));
  builder.spend(static_cast<size_t>(most));
  std::vector<NodeId> lanes(static_cast<size_t>(most) + 1);
  objectEnd(rule, builder.literal("}", endNode), lanes);
  size_t last = lanes.size() - 1;
  for (size_t index = rule.properties.size(); index-- > 0;) {
    const ObjectRule::Property &property = rule.properties[index];
    if (!property.possible) {
      if (property.required) {
        return nothing(parts, "'" + SchemaReader::shortened(property.name) +
                                  "' is required, but neither in properties "
                                  "nor allowed otherwise");
      }
      continue;
    }
    std::string key = printJson(Json(property.name));
    auto member = [&](NodeId next) {
      return builder.literal(key, text.colon(value(property.value, next)));
    };
    // after this member in the last lane the text stays there, or has all
    NodeId stays = rule.maximum ? text.nowhere() : member(lanes[last]);
    for (size_t lane = 0; lane <= last; ++lane) {
      NodeId one = lane == last || (lane + 1 == last && !rule.maximum)
                       ? stays
                       : member(lanes[lane + 1]);
      if (one != text.nowhere() && lane > 0) {
        one = text.comma(one);
      }
      lanes[lane] =
          property.required ? one : builder.either({one, lanes[lane]});
    }
  }
  return builder.literal("{", lanes[0]);
}

} // namespace cheems::grammar
