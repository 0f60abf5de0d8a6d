// Arrays of JSON schemas.
#include "runtime/Grammar/JsonSchema.h"

#include <algorithm>

namespace cheems::grammar {

/// Of a list without repeats: what its items may be. Each value is there once.
struct JsonSchema::Values {
  std::vector<RuleId> rules; ///< one a value
  std::map<std::string, size_t> places;
  /// Of the first items, one each; then of all further ones.
  std::vector<std::vector<size_t>> first;
  std::vector<size_t> rest;

  const std::vector<size_t> &at(size_t index) const {
    return index < first.size() ? first[index] : rest;
  }
};

JsonSchema::Values JsonSchema::valuesOf(const ArrayRule &rule) {
  Values all;
  auto places = [&](const Parts &item) {
    std::optional<std::vector<Json>> values = rules.values(item);
    if (!values) {
      reader.fail(rule.unique->where,
                  "keyword 'uniqueItems' is supported only of items whose "
                  "values are listed (enum, const, boolean, null), and where "
                  "maxItems is 1; leave it out, and check the answer for it");
    }
    std::vector<size_t> found;
    for (const Json &value : *values) {
      auto [place, isNew] =
          all.places.try_emplace(SchemaJudge::keyOf(value), all.rules.size());
      if (isNew) {
        all.rules.push_back(builder.declare("an item that comes once"));
        builder.define(all.rules.back(), text.constants({value}, endNode));
      }
      found.push_back(place->second);
    }
    return found;
  };
  auto length = static_cast<int64_t>(rule.first.size());
  for (int64_t index = 0; index < rule.maximum.value_or(length); ++index) {
    if (index == length) {
      break;
    }
    all.first.push_back(places(rule.first[static_cast<size_t>(index)]));
  }
  if (rule.maximum.value_or(length + 1) > length) {
    all.rest = places(rule.rest);
  }
  return all;
}

/// What may follow depends on which values were there: few.
NodeId JsonSchema::inAnyOrder(const ArrayRule &rule, const Values &values) {
  NodeId close = builder.literal("]", endNode);
  size_t sets = size_t(1) << values.rules.size();
  std::vector<NodeId> behind(sets);
  for (size_t used = sets; used-- > 0;) {
    int64_t count = 0;
    for (size_t place = 0; place < values.rules.size(); ++place) {
      count += used >> place & 1;
    }
    std::vector<NodeId> nodes, items;
    bool mayEnd =
        count >= rule.minimum && count <= rule.maximum.value_or(count);
    if (mayEnd) {
      nodes.push_back(close);
    }
    for (size_t place : values.at(static_cast<size_t>(count))) {
      if ((used >> place & 1) == 0 &&
          count < rule.maximum.value_or(count + 1)) {
        items.push_back(builder.call(values.rules[place],
                                     behind[used | size_t(1) << place]));
      }
    }
    if (!items.empty()) {
      NodeId more = builder.either(items);
      nodes.push_back(count > 0 ? text.comma(more) : more);
    }
    behind[used] = nodes.empty() ? text.nowhere() : builder.either(nodes);
  }
  return behind[0];
}

/// Each value is there or not. A lane is what may follow behind so many items.
NodeId JsonSchema::inOrder(const ArrayRule &rule, const Values &values) {
  auto size = static_cast<int64_t>(values.rules.size());
  bool bounded = rule.maximum.value_or(size) < size;
  auto most = static_cast<size_t>(bounded ? rule.maximum.value_or(0)
                                          : std::max<int64_t>(rule.minimum, 1));
  NodeId close = builder.literal("]", endNode);
  std::vector<NodeId> lanes(most + 1);
  for (size_t lane = 0; lane <= most; ++lane) {
    lanes[lane] =
        static_cast<int64_t>(lane) >= rule.minimum ? close : text.nowhere();
  }
  for (size_t place = values.rules.size(); place-- > 0;) {
    std::vector<NodeId> before = lanes;
    for (size_t lane = 0; lane <= most; ++lane) {
      if (lane == most && bounded) {
        continue;
      }
      NodeId one =
          builder.call(values.rules[place], lanes[std::min(lane + 1, most)]);
      before[lane] =
          builder.either({lane > 0 ? text.comma(one) : one, lanes[lane]});
    }
    lanes = std::move(before);
  }
  return lanes[0];
}

NodeId JsonSchema::withoutRepeats(const Parts &parts, const ArrayRule &rule) {
  constexpr size_t few = 8; // their subsets are not many
  Values values = valuesOf(rule);
  if (rule.minimum > static_cast<int64_t>(values.rules.size())) {
    return nothing(parts, "minItems is larger than the number of values that "
                          "the items may have, as uniqueItems wants each once");
  }
  bool any = values.rules.size() <= few;
  if (!any && !values.first.empty()) {
    reader.fail(rule.unique->where,
                "keyword 'uniqueItems' is supported of first items that are "
                "listed only where all have at most " +
                    std::to_string(few) +
                    " values; leave it out, and check the answer for it");
  }
  return builder.literal("[", any ? inAnyOrder(rule, values)
                                  : inOrder(rule, values));
}

NodeId JsonSchema::array(const Parts &parts) {
  ArrayRule rule = rules.array(parts);
  if (rule.maximum && rule.minimum > *rule.maximum) {
    return nothing(parts, "minItems is larger than maxItems, or than the "
                          "number of items that are listed");
  }
  if (rule.unique && rule.maximum.value_or(2) > 1) {
    return withoutRepeats(parts, rule);
  }
  NodeId close = builder.literal("]", endNode);
  auto length = static_cast<int64_t>(rule.first.size());
  auto item = [&](NodeId next) { return value(rule.rest, next); };
  if (length == 0) {
    return builder.literal("[",
                           text.list(item, rule.minimum, rule.maximum, close));
  }
  NodeId behind = close;
  if (!rule.maximum || *rule.maximum > length) {
    behind = builder.repeat([&](NodeId next) { return text.comma(item(next)); },
                            std::max<int64_t>(rule.minimum - length, 0),
                            rule.maximum
                                ? std::optional<int64_t>(*rule.maximum - length)
                                : std::nullopt,
                            close);
  }
  for (int64_t index = length; index-- > 0;) {
    if (rule.maximum && index >= *rule.maximum) {
      continue;
    }
    NodeId one = value(rule.first[static_cast<size_t>(index)], behind);
    one = index > 0 ? text.comma(one) : one;
    behind = index >= rule.minimum ? builder.either({one, close}) : one;
  }
  return builder.literal("[", behind);
}

} // namespace cheems::grammar
