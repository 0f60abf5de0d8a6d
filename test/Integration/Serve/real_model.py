#!/usr/bin/env python3
"""cheems-serve with SmolLM2-135M-Instruct and its own chat template, beside cheems-run on the same rendered prompt.

    real_model.py BIN_DIR FOLDER    FOLDER is what scripts/real-model.sh --folder prints; without FOLDER that is run
"""
import json
import pathlib
import subprocess
import sys
import unittest
import urllib.error

from serving import Demo, started

ROOT = pathlib.Path(__file__).resolve().parents[3]
QUESTION = [{"role": "user", "content": "Name three colours."}]
TURNS = QUESTION + [{"role": "assistant", "content": "Red, green and blue."}, {"role": "user", "content": "Which of them is the sky's?"}]
OWN = [{"role": "system", "content": "Answer in French."}, {"role": "user", "content": "Good morning!"}]
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]


def rendered(messages):
    """What the template of the model makes of messages. Without a system prompt it has one of its own."""
    if messages[0]["role"] != "system":
        messages = [{"role": "system", "content": "You are a helpful AI assistant named SmolLM, trained by Hugging Face"}] + messages
    return "".join(f"<|im_start|>{each['role']}\n{each['content']}<|im_end|>\n" for each in messages) + "<|im_start|>assistant\n"


class Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = started(cls, DEMO.serve("-c", 1024, "--parallel", 2))

    def ask(self, messages, **more):
        return self.server.post("/v1/chat/completions", {"messages": messages, "temperature": 0, "max_tokens": 48, **more})

    def streamed(self, messages, **more):
        """The text, the end and the counts of tokens that a stream tells."""
        body = {"messages": messages, "temperature": 0, "max_tokens": 48, "stream": True, "stream_options": {"include_usage": True}, **more}
        lines = [line for line in self.server.stream("/v1/chat/completions", body) if line]
        self.assertTrue(all(line.startswith("data: ") for line in lines))
        self.assertEqual(lines[-1], "data: [DONE]")
        events = [json.loads(line[len("data: "):]) for line in lines[:-1]]
        choices = [choice for event in events for choice in event["choices"]]
        ends = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
        self.assertEqual(len(ends), 1)
        self.assertGreater(sum(bool(choice["delta"].get("content")) for choice in choices), 3)
        return "".join(choice["delta"].get("content") or "" for choice in choices), ends[0], self.counts(events[-1])

    def counts(self, reply):
        return tuple(reply["usage"][name] for name in ("prompt_tokens", "completion_tokens"))

    def test_a_chat_answers_as_cheems_run_does(self):
        for messages in (QUESTION, TURNS, OWN):
            alone = DEMO.alone("-p", rendered(messages), "-n", 48)
            reply = self.ask(messages)
            choice = reply["choices"][0]
            self.assertEqual(choice["message"]["content"], alone["text"])
            self.assertTrue(alone["text"].strip())
            self.assertEqual(choice["finish_reason"], {"end_of_text": "stop", "length": "length"}[alone["stop"]])
            self.assertEqual(self.counts(reply), (alone["prompt_tokens"], alone["generated_tokens"]))
            self.assertEqual(self.streamed(messages), (choice["message"]["content"], choice["finish_reason"], self.counts(reply)))

    def test_it_names_colours(self):
        text = self.ask(QUESTION, max_tokens=200)["choices"][0]["message"]["content"].lower()
        self.assertGreaterEqual(sum(colour in text for colour in ("red", "blue", "green", "yellow", "orange", "purple")), 3, text)

    def test_an_answer_ends_where_the_model_ends_it(self):
        reply = self.ask([{"role": "user", "content": "What is the capital of France? Answer with one word."}], max_tokens=200)
        choice = reply["choices"][0]
        self.assertEqual(choice["finish_reason"], "stop")
        self.assertLess(reply["usage"]["completion_tokens"], 200)
        self.assertIn("Paris", choice["message"]["content"])
        self.assertNotIn("<|im_end|>", choice["message"]["content"])

    def test_the_template_is_the_models(self):
        reply = self.server.post("/apply-template", {"messages": TURNS})
        self.assertEqual(reply["prompt"], rendered(TURNS))
        self.assertIn("<|im_start|>", json.loads(self.server.get("/props"))["chat_template"])

    def test_what_a_message_spells_is_no_end_of_a_turn(self):
        plain, spelt = (self.ask([{"role": "user", "content": f"Say hello.{more}"}], max_tokens=1)["usage"]["prompt_tokens"] for more in ("", "<|im_end|>"))
        self.assertGreater(spelt, plain + 2)

    def test_tools_are_refused_because_the_template_does_not_know_them(self):
        for more in ({}, {"tool_choice": "required"}, {"stream": True}):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                self.ask(QUESTION, tools=TOOLS, **more)
            with caught.exception as error:
                self.assertEqual(error.code, 400)
                told = json.load(error)["error"]
            self.assertEqual(told["param"], "tools")
            self.assertIn("chat template", told["message"])
            self.assertNotIn("\n", told["message"])
        self.assertIsNone(json.loads(self.server.get("/props")).get("tool_calls"))


def main():
    bins, folder = sys.argv[1], sys.argv[2:3]
    if not folder:
        made = subprocess.run([ROOT / "scripts/real-model.sh", "--folder"], stdout=subprocess.PIPE, text=True, check=True)
        folder = [ROOT / made.stdout.split()[-1]]
    path = pathlib.Path(folder[0]).resolve()
    return Demo(bins, path.parent, path.name)


if __name__ == "__main__":
    with main() as DEMO:
        unittest.main(argv=sys.argv[:1])
