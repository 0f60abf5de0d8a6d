// Filters on lists, dicts and whatever can be walked.
#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/ChatTemplate/Sorting.h"

#include <algorithm>

namespace cheems::jinja {

namespace {

Value filterLength(Context &context, const Value &value,
                   CallArguments &arguments) {
  arguments.expect(0, 0);
  if (value.isUndefined()) {
    return Value(int64_t(0));
  }
  if (value.isString()) {
    context.scan(value.string().size());
    return Value(int64_t(lengthOf(value.string())));
  }
  if (value.isMapping()) {
    return Value(int64_t(value.dict().items.size()));
  }
  if (value.sequence() && value.sequence()->kind != Sequence::generator) {
    return Value(int64_t(value.sequence()->items.size()));
  }
  fail("object of type '" + value.typeName() + "' has no length");
}

Value filterItems(Context &context, const Value &value,
                  CallArguments &arguments) {
  arguments.expect(0, 0);
  Values pairs;
  if (!value.isUndefined()) {
    if (!value.isMapping()) {
      fail(arguments.callee + " needs a mapping, not " + value.typeName());
    }
    for (const auto &[key, item] : value.dict().items) {
      context.step(3);
      pairs.push_back(Value::tuple({key, item}));
    }
  }
  return Value::generator(std::move(pairs));
}

Value filterFirst(Context &context, const Value &value,
                  CallArguments &arguments) {
  arguments.expect(0, 0);
  Values items = iterate(context, value);
  return items.empty()
             ? Value::undefined("there is no first item, the sequence is empty")
             : items.front();
}

Value filterLast(Context &context, const Value &value,
                 CallArguments &arguments) {
  arguments.expect(0, 0);
  if (value.sequence() && value.sequence()->kind == Sequence::generator) {
    fail(arguments.callee + " cannot take a generator; put '|list' before it");
  }
  Values items = iterate(context, value);
  return items.empty()
             ? Value::undefined("there is no last item, the sequence is empty")
         : value.isMarkup() ? Value::text(items.back().text(), true)
                            : items.back();
}

Value filterList(Context &context, const Value &value,
                 CallArguments &arguments) {
  arguments.expect(0, 0);
  return Value::list(iterate(context, value));
}

Value filterReverse(Context &context, const Value &value,
                    CallArguments &arguments) {
  arguments.expect(0, 0);
  Values items = iterate(context, value);
  std::reverse(items.begin(), items.end());
  if (!value.isString()) {
    return Value::generator(std::move(items));
  }
  TrackedText text;
  for (const Value &each : items) {
    text.append(each.text());
  }
  return context.text(std::move(text), value.isMarkup());
}

/// "a.b.0" as `map(attribute=…)` and its kin follow it; an integer is an item,
/// none the value itself. `fallback`, unless it is none, stands for what is
/// undefined on the way.
Value followPath(Context &context, Value value, const Value &path,
                 const Value &fallback = Value()) {
  auto orFallback = [&](const Value &found) {
    return found.isUndefined() && !fallback.isNone() ? fallback : found;
  };
  if (path.isNone()) {
    return value;
  }
  if (path.isIntegral()) {
    return orFallback(getItem(context, value, path));
  }
  const TrackedText &whole = requireText(path, "an attribute's name");
  std::string_view text = whole.bytes();
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find('.', start), text.size());
    std::string_view part = text.substr(start, end - start);
    bool isIndex = !part.empty() &&
                   std::all_of(part.begin(), part.end(),
                               [](char c) { return c >= '0' && c <= '9'; });
    auto index = isIndex ? parseInteger(part, 10) : std::nullopt;
    context.step();
    value = orFallback(
        getItem(context, value,
                index ? Value::integer(*index) : Value(whole.part(part))));
    start = end + 1;
  }
  return value;
}

Value filterJoin(Context &context, const Value &value,
                 CallArguments &arguments) {
  auto bound = arguments.bind({"d", "attribute"});
  TrackedText separator = bound[0] ? toText(context, *bound[0]) : TrackedText();
  TrackedText text;
  bool isFirst = true;
  for (const Value &each : iterate(context, value)) {
    if (!isFirst) {
      context.scan(separator.size());
      text.append(separator);
    }
    isFirst = false;
    bool byAttribute = bound[1] && !bound[1]->isNone();
    text.append(toText(
        context, byAttribute ? followPath(context, each, *bound[1]) : each));
  }
  return Value(std::move(text));
}

/// map, select and their kin take anything false for nothing.
Values itemsOrNone(Context &context, const Value &value) {
  return value.truthy() ? iterate(context, value) : Values();
}

Value filterMap(Context &context, const Value &value,
                CallArguments &arguments) {
  Values mapped;
  if (arguments.positional.empty()) {
    auto bound = arguments.bind({"attribute", "default"}, 1);
    for (const Value &each : itemsOrNone(context, value)) {
      mapped.push_back(
          followPath(context, each, *bound[0], bound[1] ? *bound[1] : Value()));
    }
    return Value::generator(std::move(mapped));
  }
  std::string name(requireString(arguments.positional[0], arguments.callee));
  Filter filter = findFilter(name);
  Context::Level level(context); // map may name map
  CallArguments rest = arguments;
  rest.callee = "filter '" + name + "'";
  rest.positional.erase(rest.positional.begin());
  for (const Value &each : itemsOrNone(context, value)) {
    context.step();
    if (!filter) {
      refuseFilter(name);
    }
    mapped.push_back(filter(context, each, rest));
  }
  return Value::generator(std::move(mapped));
}

/// select, reject and their -attr forms: keeps items for which the test's
/// answer is `keep`.
Value filterByTest(Context &context, const Value &value,
                   CallArguments &arguments, bool byAttribute, bool keep) {
  CallArguments rest = arguments;
  std::optional<Value> path;
  if (byAttribute) {
    if (rest.positional.empty()) {
      fail(arguments.callee + " needs an attribute's name");
    }
    path = rest.positional[0];
    rest.positional.erase(rest.positional.begin());
  }
  Test test = nullptr;
  std::string unknownTest;
  if (!rest.positional.empty()) {
    std::string name(requireString(rest.positional[0], arguments.callee));
    static const std::unordered_map<std::string_view, const char *> aliases = {
        {"==", "eq"}, {"!=", "ne"}, {"<", "lt"},
        {"<=", "le"}, {">", "gt"},  {">=", "ge"}};
    auto alias = aliases.find(name);
    test = findTest(alias == aliases.end() ? name : alias->second);
    unknownTest = test ? "" : name;
    rest.positional.erase(rest.positional.begin());
    rest.callee = "test '" + name + "'";
  }
  Values kept;
  for (Value &each : itemsOrNone(context, value)) {
    context.step();
    if (!unknownTest.empty()) {
      refuseTest(unknownTest);
    }
    Value subject = path ? followPath(context, each, *path) : each;
    if ((test ? test(context, subject, rest) : subject.truthy()) == keep) {
      kept.push_back(std::move(each));
    }
  }
  return Value::generator(std::move(kept));
}

template <bool byAttribute, bool keep>
Value filterSelection(Context &context, const Value &value,
                      CallArguments &arguments) {
  return filterByTest(context, value, arguments, byAttribute, keep);
}

/// What sort, unique, min and max compare: strings without their case unless
/// told otherwise.
Value sortKey(Context &context, const Value &value, const Value *path,
              bool caseSensitive, const Value &fallback = Value()) {
  Value key = path ? followPath(context, value, *path, fallback) : value;
  if (!key.isString() || caseSensitive) {
    return key;
  }
  context.walk(key.string().size());
  return context.text(lower(key.text()));
}

Value filterSort(Context &context, const Value &value,
                 CallArguments &arguments) {
  auto bound = arguments.bind({"reverse", "case_sensitive", "attribute"});
  bool caseSensitive = bound[1] && bound[1]->truthy();
  if (bound[2] && bound[2]->isString() &&
      bound[2]->string().find(',') != std::string::npos) {
    unsupported("sorting by several attributes");
  }
  MeteredVector<std::pair<Value, Value>> keyed;
  for (const Value &each : iterate(context, value)) {
    keyed.emplace_back(sortKey(context, each, bound[2], caseSensitive), each);
  }
  bool reverse = bound[0] && bound[0]->truthy();
  sortStably(keyed, [&](const auto &a, const auto &b) {
    int result = order(context, a.first, b.first, "<");
    return reverse ? result > 0 : result < 0;
  });
  Values sorted;
  sorted.reserve(keyed.size());
  for (auto &each : keyed) {
    sorted.push_back(std::move(each.second));
  }
  return Value::list(std::move(sorted));
}

// Sorted by the key, equal keys together.
Value filterGroupBy(Context &context, const Value &value,
                    CallArguments &arguments) {
  auto bound = arguments.bind({"attribute", "default", "case_sensitive"}, 1);
  bool caseSensitive = bound[2] && bound[2]->truthy();
  auto keyOf = [&](const Value &item, bool isAsItIs) {
    return sortKey(context, item, bound[0], isAsItIs,
                   bound[1] ? *bound[1] : Value());
  };
  MeteredVector<std::pair<Value, Value>> keyed;
  for (const Value &each : iterate(context, value)) {
    keyed.emplace_back(keyOf(each, caseSensitive), each);
  }
  sortStably(keyed, [&](const auto &a, const auto &b) {
    return order(context, a.first, b.first, "<") < 0;
  });
  Values groups;
  for (size_t i = 0; i < keyed.size();) {
    Values members;
    size_t first = i;
    for (; i < keyed.size() &&
           (i == first || equals(context, keyed[first].first, keyed[i].first));
         ++i) {
      members.push_back(keyed[i].second);
    }
    context.step(int64_t(members.size() + 2));
    // the first member's key, in its own case
    Value key = keyOf(members.front(), true);
    groups.push_back(Value::group(key, Value::list(std::move(members))));
  }
  return Value::list(std::move(groups));
}

Value filterUnique(Context &context, const Value &value,
                   CallArguments &arguments) {
  auto bound = arguments.bind({"case_sensitive", "attribute"});
  Dict seen;
  Values kept;
  for (Value &each : iterate(context, value)) {
    Value key =
        sortKey(context, each, bound[1], bound[0] && bound[0]->truthy());
    context.step(8);
    context.scan(key.isString() ? key.string().size() : 0);
    if (!seen.find(key)) {
      seen.set(key, Value(true));
      kept.push_back(std::move(each));
    }
  }
  return Value::generator(std::move(kept));
}

template <int sign>
Value filterExtreme(Context &context, const Value &value,
                    CallArguments &arguments) {
  auto bound = arguments.bind({"case_sensitive", "attribute"});
  std::optional<Value> best;
  Value bestKey;
  for (Value &each : iterate(context, value)) {
    Value key =
        sortKey(context, each, bound[1], bound[0] && bound[0]->truthy());
    if (!best ||
        order(context, key, bestKey, sign < 0 ? "<" : ">") * sign > 0) {
      best = std::move(each);
      bestKey = key;
    }
  }
  return best ? *best
              : Value::undefined("no extreme item, the sequence is empty");
}

Value filterSum(Context &context, const Value &value,
                CallArguments &arguments) {
  auto bound = arguments.bind({"attribute", "start"});
  Value sum = bound[1] ? *bound[1] : Value(int64_t(0));
  if (sum.isString()) {
    fail("sum() cannot add strings; use '|join'");
  }
  for (const Value &each : iterate(context, value)) {
    bool byAttribute = bound[0] && !bound[0]->isNone();
    sum =
        applyBinary(context, BinaryOperator::add, sum,
                    byAttribute ? followPath(context, each, *bound[0]) : each);
  }
  return sum;
}

Value filterDictSort(Context &context, const Value &value,
                     CallArguments &arguments) {
  auto bound = arguments.bind({"case_sensitive", "by", "reverse"});
  requireDefined(value);
  if (!value.isMapping()) {
    fail(arguments.callee + " needs a mapping, not " + value.typeName());
  }
  std::string by(bound[1] ? requireString(*bound[1], arguments.callee) : "key");
  if (by != "key" && by != "value") {
    fail(arguments.callee + " sorts by 'key' or 'value', not '" + by + "'");
  }
  CallArguments none;
  CallArguments sorting;
  sorting.callee = arguments.callee;
  sorting.keywords.emplace_back(TrackedText("attribute"),
                                Value(int64_t(by == "value")));
  sorting.keywords.emplace_back(TrackedText("case_sensitive"),
                                bound[0] ? *bound[0] : Value(false));
  sorting.keywords.emplace_back(TrackedText("reverse"),
                                bound[2] ? *bound[2] : Value(false));
  return filterSort(context, filterItems(context, value, none), sorting);
}

} // namespace

void addSequenceFilters(FilterTable &table) {
  table["length"] = table["count"] = filterLength;
  table["items"] = filterItems;
  table["first"] = filterFirst;
  table["last"] = filterLast;
  table["list"] = filterList;
  table["reverse"] = filterReverse;
  table["join"] = filterJoin;
  table["map"] = filterMap;
  table["select"] = filterSelection<false, true>;
  table["reject"] = filterSelection<false, false>;
  table["selectattr"] = filterSelection<true, true>;
  table["rejectattr"] = filterSelection<true, false>;
  table["sort"] = filterSort;
  table["groupby"] = filterGroupBy;
  table["unique"] = filterUnique;
  table["min"] = filterExtreme<-1>;
  table["max"] = filterExtreme<1>;
  table["sum"] = filterSum;
  table["dictsort"] = filterDictSort;
}

} // namespace cheems::jinja
