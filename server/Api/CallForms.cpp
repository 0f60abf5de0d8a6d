#include "server/Api/CallForms.h"

namespace cheems::serve {

const std::vector<CallForm> &callForms() {
  using Layout = CallLayout;
  static const std::vector<CallForm> all = {
      // name, layout, openers, closer, bare, separator, arguments,
      // descriptions, short ids
      {"hermes", // also of Qwen2.5, Qwen3, SmolLM3 and Granite 4
       Layout::objects,
       {"<tool_call>"},
       "</tool_call>",
       false,
       '\0',
       "arguments",
       {{"<tool_call>", "{"}},
       false},
      {"nemotron",
       Layout::list,
       {"<TOOLCALL>"},
       "</TOOLCALL>",
       false,
       ',',
       "arguments",
       {{"<TOOLCALL>", "["}},
       false},
      {"granite", // of Granite 3, whose models know both tags
       Layout::list,
       {"<|tool_call|>", "<tool_call>"},
       "",
       false,
       ',',
       "arguments",
       {{"<|tool_call|>"}, {"<tool_call>", "followed by a JSON list"}},
       false},
      {"mistral",
       Layout::list,
       {"[TOOL_CALLS]"},
       "",
       false,
       ',',
       "arguments",
       {{"[TOOL_CALLS]", "["}},
       true},
      {"mistral-named",
       Layout::named,
       {"[TOOL_CALLS]"},
       "",
       false,
       '\0',
       "arguments",
       {},
       true},
      {"llama3", // several calls at once are none of its templates
       Layout::objects,
       {"<|python_tag|>"},
       "",
       true,
       ';',
       "parameters",
       {{"{\"name\": function name, \"parameters\":"}},
       false},
  };
  return all;
}

std::string namesOfCallForms() {
  std::string names;
  for (const CallForm &form : callForms()) {
    names += (names.empty() ? "" : ", ") + std::string(form.name);
  }
  return names;
}

static bool isSpecialToken(const std::string &text,
                           const Tokenizer &tokenizer) {
  auto token = tokenizer.tokenToId(text);
  return token && tokenizer.isSpecial(*token);
}

CallSyntax syntaxOf(const CallForm &form, const Tokenizer &tokenizer) {
  auto mark = [&](const std::string &text) {
    return isSpecialToken(text, tokenizer) ? controlToken(text) : text;
  };
  std::string opener = form.bare ? "" : mark(form.openers[0]);
  std::string closer = form.closer.empty() ? "" : mark(form.closer);
  CallSyntax syntax;
  syntax.between = ", \"" + std::string(form.argumentsName) + "\": ";
  switch (form.layout) {
  case CallLayout::objects:
    if (form.bare) {
      syntax.begin = "{\"name\": ";
      syntax.end = "}";
      break;
    }
    syntax.begin = opener + "\n{\"name\": ";
    syntax.end = "}\n" + closer;
    break;
  case CallLayout::list:
    syntax.begin = opener + "[{\"name\": ";
    syntax.end = "}]" + closer;
    break;
  case CallLayout::named:
    syntax.begin = opener;
    syntax.between = mark(argumentsMark);
    syntax.end = closer;
    syntax.quotesName = false;
    break;
  }
  return syntax;
}

std::vector<int32_t> specialMarks(const CallForm &form,
                                  const Tokenizer &tokenizer) {
  std::vector<std::string> marks = form.openers;
  marks.push_back(form.closer);
  if (form.layout == CallLayout::named) {
    marks.insert(marks.end(), {argumentsMark, callIdMark});
  }
  std::vector<int32_t> tokens;
  for (const std::string &mark : marks) {
    if (isSpecialToken(mark, tokenizer)) {
      tokens.push_back(*tokenizer.tokenToId(mark));
    }
  }
  return tokens;
}

} // namespace cheems::serve
