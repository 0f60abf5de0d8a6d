#!/usr/bin/env python3
"""cheems-serve with templates of several families, asked by openai-python: calls of tools in each form, and what a model thinks.

    tool_forms.py BIN_DIR MODELS_DIR
"""
import json
import sys
import unittest

import openai

from serving import Demo

MESSAGES = [{"role": "user", "content": "Good night, good night!"}]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "enum": ["Verona", "[TOOL_CALLS]</tool_call>"]}}, "required": ["city"],
    "additionalProperties": False}}}]
BODY = """{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}{{ m.role }}:{{ m.content or '' }}
{%- if m.tool_calls %}BEGIN{% for c in m.tool_calls %}{% set f = c.function %}CALL{{ JOINT if not loop.last }}{% endfor %}END{% endif %}
{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"""
JSON = '{"name": "{{ f.name }}", "arguments": {{ f.arguments | tojson }}}'


def template(call=JSON, begin="", end="", joint="''"):
    return BODY.replace("CALL", call).replace("BEGIN", begin).replace("END", end).replace("JOINT", joint)


# a template, and what its model says of two calls; {} stands for the arguments
FORMS = {
    "hermes": (template(f"\n<tool_call>\n{JSON}\n</tool_call>"), '<tool_call>\n{"name": "weather", "arguments": {}}\n</tool_call>' * 2),
    "llama3": (template(JSON.replace("arguments\":", "parameters\":")),
               '{"name": "weather", "parameters": {}}; {"name": "weather", "parameters": {}}'),
    "mistral": (template(begin="[TOOL_CALLS][", end="]", joint="', '"),
                '[TOOL_CALLS][{"name": "weather", "arguments": {}}, {"name": "weather", "arguments": {}}]'),
    "mistral-named": (template("[TOOL_CALLS]{{ f.name }}[ARGS]{{ f.arguments | tojson }}"), "[TOOL_CALLS]weather[ARGS]{}" * 2),
    "granite": ("{% if tools %}respond only with <|tool_call|> followed by a JSON list of tools used{% endif %}" + template(""),
                '<|tool_call|>[{"name": "weather", "arguments": {}}, {"name": "weather", "arguments": {}}]'),
    "nemotron": (template(begin="<TOOLCALL>[", end="]</TOOLCALL>", joint="', '"),
                 '<TOOLCALL>[{"name": "weather", "arguments": {}}, {"name": "weather", "arguments": {}}]</TOOLCALL>'),
}
THINKING = ("{% for m in messages %}{{ m.content }}\n{% endfor %}{% if enable_thinking is defined and not enable_thinking %}<think></think>"
            "{% else %}<think>\n{% endif %}")


def quoted(text):
    """A literal of GBNF."""
    return json.dumps(text, ensure_ascii=False)


class Asking(unittest.TestCase):
    def asked(self, server, **options):
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0, timeout=60)
        return client.chat.completions.create(**{"model": "any", "messages": MESSAGES, "max_tokens": 400, "temperature": 1, "seed": 3, **options})

    def both(self, server, **options):
        """The content, the reasoning, the calls and how it ended, which a stream tells, too."""
        choice = self.asked(server, **options).choices[0]
        message = choice.message
        whole = (message.content or "", getattr(message, "reasoning_content", None) or "",
                 [(call.function.name, call.function.arguments) for call in message.tool_calls or []], choice.finish_reason)
        chunks = [chunk.choices[0] for chunk in self.asked(server, **options, stream=True)]
        calls = {}
        for part in (part for chunk in chunks for part in chunk.delta.tool_calls or []):
            name, arguments = calls.get(part.index, ("", ""))
            calls[part.index] = (name + (part.function.name or ""), arguments + (part.function.arguments or ""))
        streamed = ("".join(chunk.delta.content or "" for chunk in chunks),
                    "".join(getattr(chunk.delta, "reasoning_content", None) or "" for chunk in chunks), list(calls.values()), chunks[-1].finish_reason)
        self.assertEqual(streamed, whole)
        return whole


class Forms(Asking):
    def serve(self, form):
        path = DEMO.folder / f"{form}.jinja"
        path.write_text(FORMS[form][0])
        return DEMO.serve("--parallel", 2, "-c", 2048, "--chat-template-file", path)

    def test_each_form(self):
        arguments = '{"city": "]}{[TOOL_CALLS]"}'
        for form, (_, two) in FORMS.items():
            with self.subTest(form), self.serve(form) as server:
                self.assertEqual(json.loads(server.get("/props"))["tool_calls"], form)
                # what must come
                for choice in ("required", {"type": "function", "function": {"name": "weather"}}):
                    content, _, calls, reason = self.both(server, tools=TOOLS, tool_choice=choice)
                    self.assertEqual((content, len(calls), reason), ("", 1, "tool_calls"))
                    self.assertEqual(calls[0][0], "weather")
                    self.assertIn(json.loads(calls[0][1])["city"], ["Verona", "[TOOL_CALLS]</tool_call>"])
                # what a model with more practice would say of itself
                said = two.replace("{}", arguments)
                grammar = {"grammar": f"root ::= {quoted(said)}"}
                content, _, calls, reason = self.both(server, tools=TOOLS, extra_body=grammar)
                self.assertEqual((content, calls, reason), ("", [("weather", arguments)] * 2, "tool_calls"))
                calls = self.both(server, tools=TOOLS, extra_body=grammar, parallel_tool_calls=False)[2]
                self.assertEqual(calls, [("weather", arguments)])
                self.assertEqual(self.both(server, tools=TOOLS, tool_choice="none", extra_body=grammar)[0], said)
                # one that is cut
                for length in (1, 9, 21, 33):
                    content, _, calls, reason = self.both(server, tools=TOOLS, extra_body=grammar, max_tokens=length)
                    self.assertEqual(reason, "length")
                    self.assertTrue(said.startswith(content))
                    for name, part in calls:
                        self.assertTrue(name == "weather" and arguments.startswith(part))
                # and one that comes back
                message = self.asked(server, tools=TOOLS, tool_choice="required").choices[0].message
                again = [*MESSAGES, message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "rain"}]
                self.assertEqual(self.both(server, messages=again, tools=TOOLS, max_tokens=2)[3], "length")

    def test_another_form_is_refused(self):
        path = DEMO.folder / "other.jinja"
        path.write_text(template("<function={{ f.name }}>{{ f.arguments | tojson }}</function>"))
        with DEMO.serve("--chat-template-file", path) as server:
            self.assertIsNone(json.loads(server.get("/props"))["tool_calls"])
            with self.assertRaises(openai.BadRequestError) as caught:
                self.asked(server, tools=TOOLS)
            self.assertEqual(caught.exception.param, "tools")
            self.assertIn("<function=NAME", str(caught.exception))
            self.assertEqual(self.both(server, tools=TOOLS, tool_choice="none", max_tokens=4)[3], "length")


class Thinking(Asking):
    def test_thinking_is_told_apart(self):
        path = DEMO.folder / "thinking.jinja"
        path.write_text(THINKING)
        off = {"chat_template_kwargs": {"enable_thinking": False, "nobody_knows": [1]}}
        with DEMO.serve("--parallel", 2, "-c", 2048, "--chat-template-file", path) as server:
            # it is free, and what is said after it is not
            said = {"grammar": 'root ::= "Good night!"'}
            content, reasoning, _, reason = self.both(server, max_tokens=30, extra_body=said)
            self.assertEqual(content, "")
            self.assertTrue(reasoning)
            self.assertIn(reason, ("length", "stop"))  # this model's chats stop at an empty line, too
            content, reasoning, _, reason = self.both(server, extra_body={**said, **off})
            self.assertEqual((content, reasoning, reason), ("Good night!", "", "stop"))
            thought = {"grammar": 'root ::= "<think>\\nlet me see</think>\\nGood night!"', **off}
            self.assertEqual(self.both(server, extra_body=thought), ("Good night!", "let me see", [], "stop"))
            for length in (1, 8, 12):
                content, reasoning, _, reason = self.both(server, extra_body=thought, max_tokens=length)
                self.assertTrue("let me see".startswith(reasoning) or "let me see</think>".startswith(reasoning))
                self.assertEqual(reason, "length")
            for wrong in ("false", 0):
                with self.assertRaises(openai.BadRequestError) as caught:
                    self.asked(server, extra_body={"chat_template_kwargs": {"enable_thinking": wrong}})
                self.assertEqual(caught.exception.param, "chat_template_kwargs.enable_thinking")


if __name__ == "__main__":
    MODELS, BINS = sys.argv.pop(), sys.argv.pop()
    with Demo(BINS, MODELS, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
