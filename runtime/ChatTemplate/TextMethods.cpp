// Python's str methods.
#include "runtime/ChatTemplate/TextMethods.h"

#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Markup.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>

namespace cheems::jinja {

TrackedText replaced(Context &context, const TrackedText &whole,
                     std::string_view from, const TrackedText &to,
                     int64_t count) {
  std::string_view text = whole.bytes();
  context.scan(text.size() + from.size());
  TrackedText out;
  size_t position = 0;
  auto append = [&](std::string_view piece) { out.append(whole, piece); };
  auto appendNew = [&] {
    context.scan(to.size());
    out.append(to);
  };
  for (; count != 0; --count) {
    context.step();
    if (from.empty()) { // before each character and at the end
      appendNew();
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
    appendNew();
    position = found + from.size();
  }
  append(text.substr(position));
  return out;
}

TrackedText stripped(Context &context, const TrackedText &text, Side side,
                     std::optional<std::string_view> set) {
  std::string_view left = strip(text.bytes(), side, set);
  context.walk(text.size() - left.size());
  context.scan(left.size());
  return text.part(left);
}

namespace {

template <Side side>
Value textStrip(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(0, 1);
  const TrackedText &text = self.text();
  std::optional<std::string_view> set;
  if (!arguments.positional.empty() && !arguments.positional[0].isNone()) {
    set = requireString(arguments.positional[0], arguments.callee);
    context.search(text.size(), set->size());
  }
  return Value::text(stripped(context, text, side, set), self.isMarkup());
}

template <TrackedText (*convert)(const TrackedText &)>
Value textCase(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(0, 0);
  context.walk(self.string().size());
  return context.text(convert(self.text()), self.isMarkup());
}

/// A cursor over what is left to split, from the left or from the right.
class Splitter {
public:
  Splitter(Context &context, const Value &text, bool fromRight)
      : context(context), whole(text.text()), rest(whole.bytes()),
        isMarkup(text.isMarkup()), right(fromRight) {}

  Values bySpace(int64_t limit) {
    Side near = right ? Side::right : Side::left;
    context.walk(rest.size());
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

  Values bySeparator(std::string_view separator, int64_t limit) {
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
    context.step(1);
    pieces.push_back(context.text(whole.part(piece), isMarkup));
  }

  Values finished() {
    if (right) {
      std::reverse(pieces.begin(), pieces.end());
    }
    return std::move(pieces);
  }

  Context &context;
  const TrackedText &whole;
  std::string_view rest;
  bool isMarkup;
  bool right;
  Values pieces;
};

template <bool fromRight>
Value textSplit(Context &context, const Value &self, CallArguments &arguments) {
  auto bound = arguments.bind({"sep", "maxsplit"});
  int64_t limit = bound[1] ? requireInteger(*bound[1], arguments.callee) : -1;
  Splitter splitter(context, self, fromRight);
  if (!bound[0] || bound[0]->isNone()) {
    return Value::list(splitter.bySpace(limit));
  }
  std::string_view separator = requireString(*bound[0], arguments.callee);
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
  context.walk(self.string().size());
  Values lines;
  for (std::string_view each : splitLines(self.string())) {
    context.step(1);
    lines.push_back(Value::text(self.text().part(each), self.isMarkup()));
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
       isTuple ? wanted.sequence()->items : Values{wanted}) {
    std::string_view affix = requireString(each, arguments.callee);
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
  std::string_view affix =
      requireString(arguments.positional[0], arguments.callee);
  if (hasAffix(text, affix, atEnd)) {
    text = text.substr(atEnd ? 0 : affix.size(), text.size() - affix.size());
  }
  return context.text(self.text().part(text), self.isMarkup());
}

Value textReplace(Context &context, const Value &self,
                  CallArguments &arguments) {
  auto bound = arguments.bind({"old", "new", "count"}, 2);
  int64_t count = bound[2] ? requireInteger(*bound[2], arguments.callee) : -1;
  requireString(*bound[1], arguments.callee);
  TrackedText made =
      replaced(context, self.text(), requireString(*bound[0], arguments.callee),
               textFor(context, self, *bound[1]), count);
  return Value::text(std::move(made), self.isMarkup());
}

template <bool fromRight, bool mustExist>
Value textFind(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 1);
  std::string_view wanted =
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
  std::string_view wanted =
      requireString(arguments.positional[0], arguments.callee);
  std::string_view text = self.string();
  context.scan(text.size() + wanted.size());
  if (wanted.empty()) {
    return Value(int64_t(lengthOf(text)) + 1);
  }
  int64_t count = 0;
  for (size_t at = find(text, wanted); at != std::string_view::npos;
       at = find(text, wanted, at + wanted.size())) {
    context.step();
    ++count;
  }
  return Value(count);
}

Value textJoin(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 1);
  TrackedText out;
  bool isFirst = true;
  requireDefined(arguments.positional[0]);
  for (const Value &each : iterate(context, arguments.positional[0])) {
    if (!self.isMarkup()) {
      requireString(each, arguments.callee + "'s item");
    }
    if (!isFirst) {
      context.scan(self.string().size());
      out.append(self.text());
    }
    out.append(textFor(context, self, each));
    isFirst = false;
  }
  return Value::text(std::move(out), self.isMarkup());
}

Value textIsSpace(Context &context, const Value &self,
                  CallArguments &arguments) {
  arguments.expect(0, 0);
  context.walk(self.string().size());
  return Value(!self.string().empty() &&
               strip(self.string(), Side::left).empty());
}

} // namespace

std::unordered_map<std::string_view,
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
