#include "runtime/Grammar/SchemaOverlap.h"

#include <algorithm>

namespace cheems::grammar {

namespace {

using Bounds = std::vector<NumberRule::Bound>;

/// Whether a bound from below surely is above one from above.
bool boundsApart(const Bounds &lows, const Bounds &highs) {
  constexpr int places = 17; // more than numbers are written with
  return std::any_of(lows.begin(), lows.end(), [&](const auto &low) {
    return std::any_of(highs.begin(), highs.end(), [&](const auto &high) {
      if (low.at.infinite || high.at.infinite) {
        return false;
      }
      Wide from = low.at.floorAt(places), to = high.at.floorAt(places);
      return from > to ||
             (from == to && low.at.fits(places) && high.at.fits(places) &&
              (low.exclusive || high.exclusive));
    });
  });
}

} // namespace

bool SchemaOverlap::apart(const Parts &written, const SchemaAt &other,
                          int depth) {
  std::vector<Alternative> ways = reader.expand({other});
  return std::all_of(ways.begin(), ways.end(), [&](const Alternative &way) {
    return partsApart(written, way.parts, depth);
  });
}

bool SchemaOverlap::partsApart(const Parts &written, const Parts &other,
                               int depth) {
  reader.spend();
  for (bool turned : {false, true}) {
    if (auto values = rules.constants(turned ? other : written)) {
      return std::none_of(values->begin(), values->end(),
                          [&](const Json &value) {
                            return rules.fits(turned ? written : other, value);
                          });
    }
  }
  bool typed =
      std::any_of(other.begin(), other.end(), [&](const SchemaAt &part) {
        return reader.keyword(part, "type");
      });
  std::vector<std::string> types = rules.types(written);
  std::vector<std::string> others =
      typed ? rules.types(other) : std::vector<std::string>();
  auto isNumber = [](const std::string &type) {
    return type == "number" || type == "integer";
  };
  return std::all_of(types.begin(), types.end(), [&](const std::string &type) {
    // without a type, all types are accepted
    bool shared =
        !typed ||
        std::any_of(others.begin(), others.end(), [&](const std::string &one) {
          return one == type || (isNumber(one) && isNumber(type));
        });
    return !shared || typeApart(type, written, other, depth);
  });
}

bool SchemaOverlap::typeApart(const std::string &type, const Parts &written,
                              const Parts &other, int depth) {
  if (type == "object") {
    return objectsApart(written, other, depth);
  }
  if (type == "array") {
    return arraysApart(written, other, depth);
  }
  if (type == "string") {
    StringRule mine = rules.string(written), more = rules.string(other),
               both = mine;
    both.minimum = std::max(mine.minimum, more.minimum);
    if (more.maximum) {
      both.maximum =
          std::min(mine.maximum.value_or(*more.maximum), *more.maximum);
    }
    if (both.maximum && both.minimum > *both.maximum) {
      return true;
    }
    for (const auto &pattern : more.matching) {
      if (std::find(mine.matching.begin(), mine.matching.end(), pattern) ==
          mine.matching.end()) {
        both.matching.push_back(pattern);
      }
    }
    if (both.matching.size() == mine.matching.size() &&
        both.minimum == mine.minimum && both.maximum == mine.maximum) {
      return false; // all that is written fits the other
    }
    // a string of both, on its own: it may have no text
    GrammarBuilder builder;
    JsonText text(builder);
    bool has = builder.hasText(text.string(both, endNode));
    reader.spend(builder.worked() / 4); // steps of a table are short
    return !has;
  }
  if (type == "number" || type == "integer") {
    bool whole = type == "integer";
    NumberRule mine = rules.number(written, whole),
               theirs = rules.number(other, whole);
    return boundsApart(mine.lows, theirs.highs) ||
           boundsApart(theirs.lows, mine.highs);
  }
  return false;
}

bool SchemaOverlap::objectsApart(const Parts &written, const Parts &other,
                                 int depth) {
  ObjectRule mine = rules.object(written), theirs = rules.object(other);
  for (const ObjectRule::Property &property : mine.properties) {
    if (!property.required) {
      continue;
    }
    std::optional<Parts> value = rules.valueOf(other, property.name);
    if (!property.possible || !value ||
        (depth > 0 && valuesApart(property.value, *value, depth - 1))) {
      return true;
    }
  }
  // what they require, this one never writes
  std::unordered_set<std::string> names;
  for (const ObjectRule::Property &property : mine.properties) {
    if (property.possible) {
      names.insert(property.name);
    }
  }
  return std::any_of(theirs.properties.begin(), theirs.properties.end(),
                     [&](const ObjectRule::Property &property) {
                       return property.required &&
                              names.count(property.name) == 0 &&
                              (mine.families.empty() ||
                               !rules.valueOf(written, property.name));
                     });
}

bool SchemaOverlap::arraysApart(const Parts &written, const Parts &other,
                                int depth) {
  ArrayRule mine = rules.array(written), theirs = rules.array(other);
  // of theirs, only what their keywords say: others are accepted, too
  int64_t theirMinimum = 0;
  std::optional<int64_t> theirMaximum;
  for (const SchemaAt &part : other) {
    if (reader.keyword(part, "minItems")) {
      theirMinimum = theirs.minimum;
    }
    if (reader.keyword(part, "maxItems")) {
      theirMaximum = theirs.maximum;
    }
  }
  if ((mine.maximum && *mine.maximum < theirMinimum) ||
      (theirMaximum && mine.minimum > *theirMaximum)) {
    return true;
  }
  auto at = [](const ArrayRule &rule, size_t index) {
    return index < rule.first.size() ? rule.first[index] : rule.rest;
  };
  for (size_t index = 0;
       depth > 0 &&
       index < static_cast<size_t>(std::min<int64_t>(mine.minimum, 16));
       ++index) {
    if (valuesApart(at(mine, index), at(theirs, index), depth - 1)) {
      return true;
    }
  }
  return false;
}

bool SchemaOverlap::valuesApart(const Parts &written, const Parts &others,
                                int depth) {
  std::vector<Alternative> ways = tags.expand(written);
  return std::all_of(ways.begin(), ways.end(), [&](const Alternative &way) {
    return std::any_of(
        others.begin(), others.end(),
        [&](const SchemaAt &other) { return apart(way.parts, other, depth); });
  });
}

} // namespace cheems::grammar
