// Attributes of `loop`.
#include "runtime/ChatTemplate/Loop.h"

#include "runtime/ChatTemplate/Operators.h"

#include <algorithm>

namespace cheems::jinja {

Loop::Loop(Values all) : items(std::move(all)) {
  for (const Value &each : items) {
    nesting = std::max(nesting, each.nesting() + 1);
  }
  if (nesting > maximumNesting) {
    fail("loops, lists and dicts nest more than " +
         std::to_string(maximumNesting) + " deep");
  }
}

std::optional<Value> Loop::attribute(std::string_view name) const {
  int64_t count = int64_t(items.size());
  int64_t place = int64_t(index);
  if (name == "index") {
    return Value(place + 1);
  }
  if (name == "index0") {
    return Value(place);
  }
  if (name == "revindex") {
    return Value(count - place);
  }
  if (name == "revindex0") {
    return Value(count - place - 1);
  }
  if (name == "first") {
    return Value(place == 0);
  }
  if (name == "last") {
    return Value(place + 1 == count);
  }
  if (name == "length") {
    return Value(count);
  }
  if (name == "depth" || name == "depth0") {
    return Value(int64_t(name == "depth")); // more only in recursive loops
  }
  if (name == "previtem") {
    return index > 0 ? items[index - 1]
                     : Value::undefined("there is no previous item");
  }
  if (name == "nextitem") {
    return index + 1 < items.size() ? items[index + 1]
                                    : Value::undefined("there is no next item");
  }
  if (name == "cycle") {
    return makeFunction("loop.cycle", [place](Context &,
                                              CallArguments &arguments) {
      arguments.expect(1, 1000);
      return arguments.positional[size_t(place) % arguments.positional.size()];
    });
  }
  if (name == "changed") {
    auto self = std::const_pointer_cast<Loop>(shared_from_this());
    return makeFunction(
        "loop.changed",
        [self](Context &context, CallArguments &arguments) {
          return self->callChanged(context, arguments);
        },
        nesting);
  }
  return std::nullopt;
}

// Whether these are other values than at the last call, or it is the first one.
Value Loop::callChanged(Context &context, CallArguments &arguments) {
  if (!arguments.keywords.empty()) {
    fail("loop.changed takes no argument '" +
         std::string(arguments.keywords.front().first.bytes()) + "'");
  }
  if (!memory) {
    memory = context.makeNamespace();
  }
  context.step(int64_t(arguments.positional.size()));
  Value values = Value::tuple(arguments.positional);
  auto [last, isFirst] =
      memory->members.emplace(MeteredString("values"), values);
  if (isFirst || !equals(context, last->second, values)) {
    last->second = std::move(values);
    return Value(true);
  }
  return Value(false);
}

} // namespace cheems::jinja
