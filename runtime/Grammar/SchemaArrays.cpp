// Arrays of JSON schemas.
#include "runtime/Grammar/JsonSchema.h"

#include <algorithm>

namespace cheems::grammar {

static constexpr const char *tooFewValues =
    "minItems is larger than the number of values that the items may have, as "
    "uniqueItems wants each once";

NodeId JsonSchema::array(const Parts &parts) {
  ArrayRule rule = rules.array(parts);
  if (rule.maximum && rule.minimum > *rule.maximum) {
    return nothing(parts, "minItems is larger than maxItems, or than the "
                          "number of items that are listed");
  }
  auto length = static_cast<int64_t>(rule.first.size());
  if (rule.unique && length == 0) {
    auto values = rules.values(rule.rest);
    if (values && rule.minimum > static_cast<int64_t>(values->size())) {
      return nothing(parts, tooFewValues);
    }
  }
  bool distinct = rule.unique && rule.maximum.value_or(2) > 1;
  auto open = [&](NodeId next) {
    return distinct ? builder.distinctList(length > 0, next)
                    : builder.literal("[", next);
  };
  NodeId close = builder.literal("]", endNode);
  auto itemOf = [&](const Parts &parts, NodeId next) {
    return value(parts, distinct ? builder.endOfItem(next) : next);
  };
  auto item = [&](NodeId next) { return itemOf(rule.rest, next); };
  if (distinct && length == 0 && rule.minimum > 0) {
    builder.requireTexts(item(endNode), rule.minimum,
                         placed(parts, tooFewValues));
  }
  if (length == 0) {
    return open(text.list(item, rule.minimum, rule.maximum, close));
  }
  NodeId after = close;
  if (!rule.maximum || *rule.maximum > length) {
    after = builder.repeat([&](NodeId next) { return text.comma(item(next)); },
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
    NodeId one = itemOf(rule.first[static_cast<size_t>(index)], after);
    one = index > 0 ? text.comma(one) : one;
    after = index >= rule.minimum ? builder.either({one, close}) : one;
  }
  return open(after);
}

} // namespace cheems::grammar
