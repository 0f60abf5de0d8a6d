#include "runtime/Grammar/DistinctItems.h"

#include "runtime/Grammar/SchemaJudge.h"
#include "runtime/Json/Json.h"

#include <cstdlib>

namespace cheems::grammar {

/// Lists are long: one after the other, not each within the next.
DistinctItems::Item::~Item() {
  while (before && before.use_count() == 1) {
    std::shared_ptr<Item> next = std::move(before->before);
    before = std::move(next);
  }
}

/// Numbers are compared as doubles, as most readers of JSON do: so two that
/// differ further after count as equal.
static std::string keyOf(std::string_view text) {
  char first = text.front();
  if (first == '-' || (first >= '0' && first <= '9')) {
    double number = std::strtod(std::string(text).c_str(), nullptr);
    number = number == 0 ? 0 : number; // -0 is equal
    return "#" +
           std::string(reinterpret_cast<const char *>(&number), sizeof number);
  }
  bool plain = first == '"' && text.find('\\') == std::string_view::npos;
  if (plain || first == 't' || first == 'f' || first == 'n') {
    return std::string(text);
  }
  Json value = parseJson<Json>(text);
  return value.is_discarded() ? std::string(text) : SchemaJudge::keyOf(value);
}

size_t DistinctItems::remembered() const {
  size_t all = 0;
  for (const List *at = inside ? &list : nullptr; at; at = at->outer.get()) {
    all += at->last ? at->last->count : 0;
  }
  return all;
}

std::optional<std::string_view>
DistinctItems::plainString(std::string_view text) const {
  if (!inside || list.outer || list.tuple || list.part != string ||
      list.nesting > 0) {
    return std::nullopt;
  }
  std::string_view item = text.substr(list.begin);
  return item.find('\\') == std::string_view::npos ? std::optional(item)
                                                   : std::nullopt;
}

void DistinctItems::addKeys(const DistinctItems &before,
                            std::set<std::string, std::less<>> &keys) const {
  auto outermost = [](const DistinctItems &of) -> const Item * {
    const List *at = &of.list;
    while (at->outer) {
      at = at->outer.get();
    }
    return of.inside ? at->last.get() : nullptr;
  };
  const Item *known = outermost(before), *at = outermost(*this);
  while (at && at != known) {
    keys.insert(at->key);
    at = at->before.get();
  }
  if (at != known) { // another list, all of whose items were seen
    keys.clear();
    for (at = outermost(*this); at; at = at->before.get()) {
      keys.insert(at->key);
    }
  }
}

bool DistinctItems::ignores(char byte) const {
  if (!inside) {
    return true;
  }
  switch (list.part) {
  case before:
  case escape:
    return false;
  case scalar:
    return byte != ',' && byte != ']' && byte != ' ';
  case string:
    return byte != '"' && byte != '\\';
  case structure:
    return byte != '"' && byte != '[' && byte != ']' && byte != '{' &&
           byte != '}';
  case after:
    return byte == ' ';
  }
  return false;
}

bool DistinctItems::step(std::string_view text, Node::Mark opened) {
  char byte = text.back();
  bool opens = opened != Node::none, tuple = opened == Node::opensTuple;
  if (!inside) {
    if (opens) {
      inside = true;
      list = {};
      list.tuple = tuple;
    }
    return true;
  }
  switch (list.part) {
  case before:
    if (byte == ' ') {
      return true;
    }
    if (byte == ']') {
      return leave(text);
    }
    list.begin = text.size() - 1;
    list.nesting = byte == '[' || byte == '{' ? 1 : 0;
    list.part = byte == '"' ? string : list.nesting > 0 ? structure : scalar;
    if (opens) {
      open(tuple);
    }
    return true;
  case scalar:
    if (byte != ',' && byte != ']' && byte != ' ') {
      return true;
    }
    if (!complete(text, text.size() - 1)) {
      return false;
    }
    [[fallthrough]];
  case after:
    if (byte == ',') {
      list.part = before;
    } else if (byte == ']') {
      return leave(text);
    }
    return true;
  case escape:
    list.part = string;
    return true;
  case string:
    if (byte == '\\') {
      list.part = escape;
    } else if (byte == '"' && list.nesting > 0) {
      list.part = structure;
    } else if (byte == '"') {
      return complete(text, text.size());
    }
    return true;
  case structure:
    if (byte == '"') {
      list.part = string;
    } else if (byte == '[' || byte == '{') {
      ++list.nesting;
      if (opens) {
        open(tuple);
      }
    } else if (byte == ']' || byte == '}') {
      return close(text);
    }
    return true;
  }
  return true;
}

/// A list within an item of this one.
void DistinctItems::open(bool tuple) {
  auto outer = std::make_shared<const List>(std::move(list));
  list = {};
  list.outer = std::move(outer);
  list.tuple = tuple;
}

bool DistinctItems::isTuple() const {
  const List *at = &list;
  while (at->outer) {
    at = at->outer.get();
  }
  return at->tuple;
}

/// What is within the item.
bool DistinctItems::close(std::string_view text) {
  return --list.nesting > 0 || complete(text, text.size());
}

bool DistinctItems::complete(std::string_view text, size_t end) {
  list.part = after;
  outermost += list.outer ? 0 : 1;
  std::string key = keyOf(text.substr(list.begin, end - list.begin));
  for (const Item *at = list.last.get(); at; at = at->before.get()) {
    if (at->key == key) {
      return false;
    }
  }
  list.last = std::make_shared<Item>(std::move(key), std::move(list.last));
  return true;
}

/// The list itself, which may be within an item of another.
bool DistinctItems::leave(std::string_view text) {
  if (!list.outer) {
    inside = false;
    list = {};
    return true;
  }
  List outer = *list.outer;
  list = std::move(outer);
  return close(text);
}

} // namespace cheems::grammar
