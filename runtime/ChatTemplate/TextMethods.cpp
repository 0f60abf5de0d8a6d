// Python's str methods.
#include "runtime/ChatTemplate/TextMethods.h"

#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Markup.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>

namespace cheems::jinja {

std::string replaced(Context &context, std::string_view text,
                     std::string_view from, std::string_view to,
                     int64_t count) {
  context.scan(text.size() + from.size());
  std::string out;
  size_t position = 0;
  auto append = [&](std::string_view piece) {
    context.charge(piece.size());
    out += piece;
  };
  for (; count != 0; --count) {
    context.step();
    if (from.empty()) { // before each character and at the end
      append(to);
      if (position == text.size()) {
        return out;
      }
      size_t next = position;
      nextCharacter(text, next);
      append(text.substr(position, next - position));
      position = next;
      continue;
    }
    size_t found = find(text, from, position);
    if (found == std::string_view::npos) {
      break;
    }
    append(text.substr(position, found - position));
    append(to);
    position = found + from.size();
  }
  append(text.substr(position));
  return out;
}

namespace {

template <Side side>
Value textStrip(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(0, 1);
  const std::string &text = self.string();
  if (arguments.positional.empty() || arguments.positional[0].isNone()) {
    return context.text(std::string(strip(text, side)), self.isMarkup());
  }
  const std::string &set =
      requireString(arguments.positional[0], arguments.callee);
  context.search(text.size(), set.size());
  return context.text(std::string(strip(text, side, set)), self.isMarkup());
}

template <std::string (*convert)(std::string_view)>
Value textCase(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(0, 0);
  return context.text(convert(self.string()), self.isMarkup());
}

/// A cursor over what is left to split, from the left or from the right.
class Splitter {
public:
  Splitter(Context &context, const Value &text, bool fromRight)
      : context(context), rest(text.string()), isMarkup(text.isMarkup()),
        right(fromRight) {}

  std::vector<Value> bySpace(int64_t limit) {
    Side near = right ? Side::right : Side::left;
    rest = strip(rest, near);
    for (; !rest.empty() && limit != 0; --limit) {
      cut(right ? lastSpace() : firstSpace());
      rest = strip(rest, near);
    }
    if (!rest.empty()) {
      add(rest);
    }
    return finished();
  }

  std::vector<Value> bySeparator(std::string_view separator, int64_t limit) {
    for (; limit != 0; --limit) {
      size_t found = right ? rest.rfind(separator) : find(rest, separator);
      if (found == std::string_view::npos) {
        break;
      }
      cut({found, found + separator.size()});
    }
    add(rest);
    return finished();
  }

private:
  using Gap = std::pair<size_t, size_t>;

  Gap firstSpace() const {
    for (size_t offset = 0; offset < rest.size();) {
      size_t start = offset;
      if (isSpace(nextCharacter(rest, offset))) {
        return {start, offset};
      }
    }
    return {rest.size(), rest.size()};
  }

  Gap lastSpace() const {
    for (size_t end = rest.size(); end > 0;) {
      size_t start = end - 1;
      while (start > 0 &&
             (static_cast<unsigned char>(rest[start]) & 0xC0) == 0x80) {
        --start;
      }
      size_t offset = start;
      if (isSpace(nextCharacter(rest, offset))) {
        return {start, end};
      }
      end = start;
    }
    return {0, 0};
  }

  /// Takes the piece on the near side of the gap, and the gap.
  void cut(Gap gap) {
    add(right ? rest.substr(gap.second) : rest.substr(0, gap.first));
    rest = right ? rest.substr(0, gap.first) : rest.substr(gap.second);
  }

  void add(std::string_view piece) {
    context.chargeItems(1);
    pieces.push_back(context.text(std::string(piece), isMarkup));
  }

  std::vector<Value> finished() {
    if (right) {
      std::reverse(pieces.begin(), pieces.end());
    }
    return std::move(pieces);
  }

  Context &context;
  std::string_view rest;
  bool isMarkup;
  bool right;
  std::vector<Value> pieces;
};

template <bool fromRight>
Value textSplit(Context &context, const Value &self, CallArguments &arguments) {
  auto bound = arguments.bind({"sep", "maxsplit"});
  int64_t limit = bound[1] ? requireInteger(*bound[1], arguments.callee) : -1;
  Splitter splitter(context, self, fromRight);
  if (!bound[0] || bound[0]->isNone()) {
    return Value::list(splitter.bySpace(limit));
  }
  const std::string &separator = requireString(*bound[0], arguments.callee);
  if (separator.empty()) {
    fail(arguments.callee + " needs a separator that is not empty");
  }
  if (fromRight) {
    context.search(self.string().size(), separator.size());
  }
  context.scan(self.string().size());
  return Value::list(splitter.bySeparator(separator, limit));
}

Value textSplitLines(Context &context, const Value &self,
                     CallArguments &arguments) {
  auto bound = arguments.bind({"keepends"});
  if (bound[0] && bound[0]->truthy()) {
    unsupported("'str.splitlines' that keeps the line ends");
  }
  context.charge(self.string().size());
  std::vector<Value> lines;
  for (std::string_view each : splitLines(self.string())) {
    context.chargeItems(1);
    lines.push_back(Value::text(std::string(each), self.isMarkup()));
  }
  return Value::list(std::move(lines));
}

bool hasAffix(std::string_view text, std::string_view affix, bool atEnd) {
  return affix.size() <= text.size() &&
         text.substr(atEnd ? text.size() - affix.size() : 0, affix.size()) ==
             affix;
}

template <bool atEnd>
Value textHasAffix(Context &context, const Value &self,
                   CallArguments &arguments) {
  arguments.expect(1, 1);
  const Value &wanted = arguments.positional[0];
  bool isTuple =
      wanted.sequence() && wanted.sequence()->kind == Sequence::tuple;
  for (const Value &each :
       isTuple ? wanted.sequence()->items : std::vector<Value>{wanted}) {
    const std::string &affix = requireString(each, arguments.callee);
    context.scan(affix.size());
    if (hasAffix(self.string(), affix, atEnd)) {
      return Value(true);
    }
  }
  return Value(false);
}

template <bool atEnd>
Value textRemoveAffix(Context &context, const Value &self,
                      CallArguments &arguments) {
  arguments.expect(1, 1);
  std::string_view text = self.string();
  const std::string &affix =
      requireString(arguments.positional[0], arguments.callee);
  if (hasAffix(text, affix, atEnd)) {
    text = text.substr(atEnd ? 0 : affix.size(), text.size() - affix.size());
  }
  return context.text(std::string(text), self.isMarkup());
}

Value textReplace(Context &context, const Value &self,
                  CallArguments &arguments) {
  auto bound = arguments.bind({"old", "new", "count"}, 2);
  int64_t count = bound[2] ? requireInteger(*bound[2], arguments.callee) : -1;
  requireString(*bound[1], arguments.callee);
  std::string made = replaced(context, self.string(),
                              requireString(*bound[0], arguments.callee),
                              textFor(context, self, *bound[1]), count);
  return Value::text(std::move(made), self.isMarkup());
}

template <bool fromRight, bool mustExist>
Value textFind(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 1);
  const std::string &wanted =
      requireString(arguments.positional[0], arguments.callee);
  std::string_view text = self.string();
  if (fromRight) {
    context.search(text.size(), wanted.size());
  }
  context.scan(text.size() + wanted.size());
  size_t found = fromRight ? text.rfind(wanted) : find(text, wanted);
  if (found != std::string_view::npos) {
    return Value(int64_t(lengthOf(text.substr(0, found))));
  }
  if (mustExist) {
    fail(arguments.callee + " found no such text");
  }
  return Value(int64_t(-1));
}

Value textCount(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 1);
  const std::string &wanted =
      requireString(arguments.positional[0], arguments.callee);
  std::string_view text = self.string();
  context.scan(text.size() + wanted.size());
  if (wanted.empty()) {
    return Value(int64_t(lengthOf(text)) + 1);
  }
  int64_t count = 0;
  for (size_t at = find(text, wanted); at != std::string_view::npos;
       at = find(text, wanted, at + wanted.size())) {
    ++count;
  }
  return Value(count);
}

Value textJoin(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 1);
  std::string out;
  bool isFirst = true;
  requireDefined(arguments.positional[0]);
  for (const Value &each : iterate(context, arguments.positional[0])) {
    if (!self.isMarkup()) {
      requireString(each, arguments.callee + "'s item");
    }
    std::string piece = textFor(context, self, each);
    context.charge(piece.size() + self.string().size());
    out += isFirst ? "" : self.string();
    out += piece;
    isFirst = false;
  }
  return Value::text(std::move(out), self.isMarkup());
}

Value textIsSpace(Context &context, const Value &self,
                  CallArguments &arguments) {
  arguments.expect(0, 0);
  context.scan(self.string().size());
  return Value(!self.string().empty() &&
               strip(self.string(), Side::left).empty());
}

} // namespace

std::unordered_map<std::string,
                   Value (*)(Context &, const Value &, CallArguments &)>
textMethods() {
  return {{"strip", textStrip<Side::both>},
          {"lstrip", textStrip<Side::left>},
          {"rstrip", textStrip<Side::right>},
          {"upper", textCase<upper>},
          {"lower", textCase<lower>},
          {"title", textCase<title>},
          {"capitalize", textCase<capitalize>},
          {"split", textSplit<false>},
          {"rsplit", textSplit<true>},
          {"splitlines", textSplitLines},
          {"startswith", textHasAffix<false>},
          {"endswith", textHasAffix<true>},
          {"removeprefix", textRemoveAffix<false>},
          {"removesuffix", textRemoveAffix<true>},
          {"replace", textReplace},
          {"find", textFind<false, false>},
          {"rfind", textFind<true, false>},
          {"index", textFind<false, true>},
          {"count", textCount},
          {"join", textJoin},
          {"isspace", textIsSpace},
          {"format", formatMethod},
          {"format_map", formatMapMethod}};
}

} // namespace cheems::jinja
