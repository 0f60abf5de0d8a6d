// Escaping.
#include "runtime/ChatTemplate/Markup.h"

#include "runtime/ChatTemplate/Operators.h"

namespace cheems::jinja {

std::string escaped(Context &context, std::string_view text) {
  auto name = [](char c) -> std::string_view {
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '\'' ? "&#39;"
           : c == '"'  ? "&#34;"
                       : "";
  };
  size_t size = text.size();
  for (char c : text) {
    size += name(c).empty() ? 0 : name(c).size() - 1;
  }
  context.charge(size);
  std::string out;
  for (char c : text) {
    out += name(c).empty() ? std::string_view(&c, 1) : name(c);
  }
  return out;
}

std::string escapedText(Context &context, const Value &value) {
  std::string text = toText(context, value);
  return value.isMarkup() ? text : escaped(context, text);
}

std::string textFor(Context &context, const Value &self, const Value &value) {
  return self.isMarkup() ? escapedText(context, value) : toText(context, value);
}

} // namespace cheems::jinja
