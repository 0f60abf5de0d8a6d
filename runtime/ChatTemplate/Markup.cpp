// Escaping.
#include "runtime/ChatTemplate/Markup.h"

#include "runtime/ChatTemplate/Operators.h"

namespace cheems::jinja {

TrackedText escaped(Context &context, const TrackedText &text) {
  auto name = [](char c) -> std::string_view {
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '\'' ? "&#39;"
           : c == '"'  ? "&#34;"
                       : "";
  };
  context.walk(text.size());
  TrackedText out;
  text.visitRuns([&](std::string_view run, Origin origin) {
    for (size_t i = 0; i < run.size(); ++i) {
      std::string_view named = name(run[i]);
      out.append(named.empty() ? run.substr(i, 1) : named, origin);
    }
  });
  return out;
}

TrackedText escapedText(Context &context, const Value &value) {
  TrackedText text = toText(context, value);
  return value.isMarkup() ? text : escaped(context, text);
}

TrackedText textFor(Context &context, const Value &self, const Value &value) {
  return self.isMarkup() ? escapedText(context, value) : toText(context, value);
}

} // namespace cheems::jinja
