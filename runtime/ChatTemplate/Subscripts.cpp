// Attributes, items, slices and walking.
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>

namespace cheems::jinja {

namespace {

std::string described(const Value &value) {
  return value.isNone()        ? "None"
         : value.isUndefined() ? "Undefined"
                               : "'" + value.typeName() + " object'";
}

Value missingAttribute(const Value &value, std::string_view name) {
  return Value::undefined(described(value) + " has no attribute " +
                          inQuotes(name.substr(0, offsetOf(name, 200))));
}

std::optional<Value> memberOf(const Value &value, std::string_view name) {
  if (const Object *object = value.object()) {
    return object->attribute(name);
  }
  return findMethod(value, name);
}

void refuseInternals(std::string_view name) {
  if (name.compare(0, 2, "__") == 0) {
    unsupported("attribute '" + std::string(name) + "'");
  }
}

/// Returns the index in a sequence of `size`, which is counted from the end if
/// negative; nothing if outside.
std::optional<size_t> place(int64_t index, size_t size) {
  if (index < 0) {
    index += int64_t(size);
  }
  return index < 0 || index >= int64_t(size)
             ? std::nullopt
             : std::optional<size_t>(size_t(index));
}

Value noElement(const Value &value, int64_t index) {
  return Value::undefined(value.typeName() + " object has no element " +
                          std::to_string(index));
}

/// start, start + stride, … before `end` (beyond it if the stride is negative),
/// as Python clips a slice.
struct Range {
  int64_t start;
  int64_t end;
  int64_t stride;

  size_t count() const {
    int64_t distance = stride > 0 ? end - start : start - end;
    int64_t pace = stride > 0 ? stride : -stride;
    return distance <= 0 ? 0 : size_t((distance + pace - 1) / pace);
  }
  size_t operator[](size_t i) const {
    return size_t(start + int64_t(i) * stride);
  }
};

Range clippedRange(const Value &from, const Value &to, const Value &step,
                   size_t size) {
  auto bound = [](const Value &value) {
    return requireInteger(value, "a slice's bound");
  };
  auto beyond = [](const Value &big) { // any text or list
    return big.bigInteger() < 0 ? INT64_MIN / 2 : INT64_MAX / 2;
  };
  int64_t stride = step.isNone()  ? 1
                   : step.isBig() ? beyond(step)
                                  : bound(step);
  int64_t count = int64_t(size);
  if (stride == 0) {
    fail("a slice's step cannot be zero");
  }
  int64_t lowest = stride > 0 ? 0 : -1;
  int64_t highest = stride > 0 ? count : count - 1;
  auto clipped = [&](const Value &value, int64_t fallback) {
    if (value.isNone()) {
      return fallback;
    }
    int64_t index = value.isBig() ? beyond(value) : bound(value);
    return std::clamp(index < 0 ? index + count : index, lowest, highest);
  };
  // a longer stride takes the same positions, and this one cannot overflow
  return {clipped(from, lowest == 0 ? 0 : count - 1),
          clipped(to, lowest == 0 ? count : -1),
          std::clamp(stride, -count - 1, count + 1)};
}

TrackedText slicedText(const TrackedText &whole, const Range &range) {
  std::string_view text = whole.bytes();
  if (range.stride == 1) {
    size_t start = offsetOf(text, size_t(range.start));
    size_t length = offsetOf(text.substr(start), range.count());
    return whole.part(text.substr(start, length));
  }
  auto all = characters(text);
  TrackedText out;
  for (size_t i = 0; i < range.count(); ++i) {
    out.append(whole, all[range[i]]);
  }
  return out;
}

} // namespace

Value getAttribute(Context &context, const Value &value,
                   std::string_view name) {
  requireDefined(value);
  if (value.isMapping()) {
    if (auto method = findMethod(value, name)) {
      return *method;
    }
    if (const Value *found = value.dict().findText(name)) {
      return *found;
    }
    refuseInternals(name);
    return missingAttribute(value, name);
  }
  refuseInternals(name);
  auto member = memberOf(value, name);
  return member ? *member : missingAttribute(value, name);
}

Value getItem(Context &context, const Value &value, const Value &key) {
  requireDefined(value);
  context.scan(key.isString() ? key.string().size() : 0);
  if (value.isMapping()) {
    // Jinja takes a key that cannot be one for one that is missing
    bool isHashable =
        !key.isMapping() &&
        !(key.sequence() && key.sequence()->kind == Sequence::list);
    if (const Value *found = isHashable ? value.dict().find(key) : nullptr) {
      return *found;
    }
  } else if (key.isIntegral() && value.isIndexable()) {
    auto index = place(key.integer(), value.sequence()->items.size());
    return index ? value.sequence()->items[*index]
                 : noElement(value, key.integer());
  } else if (key.isIntegral() && value.isString()) {
    std::string_view text = value.string();
    context.walk(text.size());
    auto index = place(key.integer(), lengthOf(text));
    if (!index) {
      return noElement(value, key.integer());
    }
    size_t start = offsetOf(text, *index);
    size_t end = start;
    nextCharacter(text, end);
    return Value::text(value.text().part(text.substr(start, end - start)),
                       value.isMarkup());
  }
  if (!key.isString()) {
    return Value::undefined(described(value) + " has no such element");
  }
  refuseInternals(key.string());
  auto member = memberOf(value, key.string());
  return member ? *member : missingAttribute(value, key.string());
}

Value getSlice(Context &context, const Value &value, const Value &from,
               const Value &to, const Value &step) {
  requireDefined(value);
  if (value.isString()) {
    context.walk(value.string().size());
    Range range = clippedRange(from, to, step, lengthOf(value.string()));
    return context.text(slicedText(value.text(), range), value.isMarkup());
  }
  if (!value.isIndexable()) {
    fail(described(value) + " cannot be sliced");
  }
  const Sequence &sequence = *value.sequence();
  Range range = clippedRange(from, to, step, sequence.items.size());
  context.step(int64_t(range.count()));
  Values items;
  items.reserve(range.count());
  for (size_t i = 0; i < range.count(); ++i) {
    items.push_back(sequence.items[range[i]]);
  }
  return sequence.kind == Sequence::list    ? Value::list(std::move(items))
         : sequence.kind == Sequence::tuple ? Value::tuple(std::move(items))
                                            : Value::range(std::move(items));
}

Values iterate(Context &context, const Value &value) {
  Values items;
  if (value.isUndefined()) {
    return items;
  }
  if (Sequence *sequence = value.sequence()) {
    context.step(int64_t(sequence->items.size()));
    return sequence->kind == Sequence::generator
               ? std::exchange(sequence->items, {})
               : sequence->items;
  }
  if (value.isMapping()) {
    context.step(int64_t(value.dict().items.size()));
    for (const auto &each : value.dict().items) {
      items.push_back(each.first);
    }
    return items;
  }
  if (value.isString()) {
    context.step(int64_t(lengthOf(value.string())));
    value.text().visitRuns([&](std::string_view run, Origin origin) {
      for (size_t offset = 0; offset < run.size();) {
        size_t start = offset;
        nextCharacter(run, offset);
        items.push_back(
            context.character(run.substr(start, offset - start), origin));
      }
    });
    return items;
  }
  fail("'" + value.typeName() + "' object is not iterable");
}

} // namespace cheems::jinja
