#include "FormTemplates.h"

namespace cheems::test {

/// User messages, calls as `call` prints them, and what `head` says of tools.
static std::string templateOf(const std::string &head, const std::string &call,
                              const std::string &begin = "",
                              const std::string &end = "") {
  return "{% if tools %}" + head +
         "{% for t in tools %}{{ t | tojson }}{% endfor %}|{% endif %}"
         "{% for m in messages %}"
         "{% if m.role == 'assistant' %}A:{{ m.content or '' }}"
         "{% if m.tool_calls %}" +
         begin + "{% for c in m.tool_calls %}{% set f = c.function %}" + call +
         "{% endfor %}" + end +
         "{% endif %}|{% else %}{{ m.role }}:{{ m.content }}|{% endif %}"
         "{% endfor %}{% if add_generation_prompt %}A:{% endif %}";
}

/// A call as JSON, with what is between calls.
static std::string json(const std::string &arguments = "arguments",
                        const std::string &more = "") {
  return "{\"name\": \"{{ f.name }}\", \"" + arguments +
         "\": {{ f.arguments | tojson }}" + more + "}";
}

const std::vector<FormExample> &formExamples() {
  static const std::string comma = "{{ ', ' if not loop.last }}";
  static const std::string middle = "\", \"arguments\": ";
  // as Mistral's: ids of another length are refused
  static const std::string id =
      "{% if c.id | length != 9 %}{{ raise_exception('an id has 9 letters') }}"
      "{% endif %}";
  static const std::vector<FormExample> all = {
      {"hermes", templateOf("", "\n<tool_call>\n" + json() + "\n</tool_call>"),
       "<tool_call>\n{\"name\": \"", middle, "}\n</tool_call>", ""},
      // as SmolLM3's, which tells of calls and prints none
      {"hermes",
       templateOf("write <tool_call>\n{\"name\": <name>, \"arguments\": "
                  "<object>}\n</tool_call>",
                  ""),
       "<tool_call>{\"name\": \"", middle, "}</tool_call>",
       "}\n</tool_call>\n<tool_call>\n{\"name\": \""},
      {"nemotron",
       templateOf("write <TOOLCALL>[{{ '{{' }}\"name\": \"tool\"]</TOOLCALL>",
                  json() + comma, "\n<TOOLCALL>[", "]</TOOLCALL>"),
       "<TOOLCALL>[{\"name\": \"", middle, "}]</TOOLCALL>", "}, {\"name\": \""},
      {"granite",
       templateOf("respond only with <|tool_call|> followed by a JSON list of "
                  "tools used.",
                  ""),
       "<|tool_call|>[{\"name\": \"", middle, "}]", "}, {\"name\": \""},
      // as that of Granite 3.0, which has the tag for a role of its own
      {"granite", templateOf("", "") + "{% if false %}<|tool_call|>{% endif %}",
       "<tool_call>[{\"name\": \"", middle, "}]", "},\n{\"name\": \""},
      {"mistral",
       templateOf("",
                  id + json("arguments", ", \"id\": \"{{ c.id }}\"") + comma,
                  "[TOOL_CALLS] [", "]"),
       "[TOOL_CALLS][{\"name\": \"", middle, "}]", "}, {\"name\": \""},
      {"mistral-named",
       templateOf("", id + "[TOOL_CALLS]{{ f.name }}[ARGS]"
                           "{{ f.arguments | tojson }}"),
       "[TOOL_CALLS]", "[ARGS]", "", ""},
      {"mistral-named",
       templateOf("", id + "[TOOL_CALLS]{{ f.name }}[CALL_ID]{{ c.id }}[ARGS]"
                           "{{ f.arguments | tojson }}"),
       "[TOOL_CALLS]", "[CALL_ID]abc123xyz[ARGS]", "", ""},
      {"llama3", templateOf("", json("parameters")), "{\"name\": \"",
       "\", \"parameters\": ", "}", "}; {\"name\": \""},
      {"llama3", templateOf("", json("parameters")),
       "<|python_tag|>{\"name\": \"", "\", \"parameters\": ", "}",
       "}; {\"name\": \""},
  };
  return all;
}

const char *const thinkingTemplate =
    "{% for t in tools or [] %}{{ t | tojson }}{% endfor %}"
    "{% for m in messages %}"
    "{{ m.role }}:{% if m.reasoning_content %}<think>{{ m.reasoning_content }}"
    "</think>{% endif %}{{ m.content or '' }}"
    "{% for c in m.tool_calls or [] %}<tool_call>\n{\"name\": "
    "\"{{ c.function.name }}\", \"arguments\": "
    "{{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}|"
    "{% endfor %}{% if add_generation_prompt %}assistant:"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n"
    "</think>\n\n{% else %}<think>\n{% endif %}{% endif %}{{ other }}";

} // namespace cheems::test
