#!/usr/bin/env python3
"""What cheems-run writes under grammars and schemas, on a demo model: it is one of the grammar, and validates as jsonschema of PyPI says,
unless it was cut off.

    run_grammar.py CHEEMS_COMPILE CHEEMS_RUN MODEL_FOLDER
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "unit" / "Grammar"))
import random_schemas  # noqa: E402


class Grammars(unittest.TestCase):
    def run_tool(self, *arguments, code=0, stdin=""):
        words = [RUNNER, FOLDER / "model.cheems", *arguments]
        result = subprocess.run([str(word) for word in words], input=stdin, capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout if code == 0 else result.stderr

    def generate(self, *arguments):
        return json.loads(self.run_tool("-p", "ROMEO:", "--json", "--temp", 1, *arguments))

    def test_texts_of_random_schemas_validate(self):
        ended = 0
        schemas = random_schemas.documents(40 if "CHEEMS_TEST_LONG" in os.environ else 15)
        for seed, schema in enumerate(schemas):
            answer = self.generate("-j", json.dumps(schema), "-n", 300, "-s", seed)
            if answer["stop"] == "length":
                continue
            self.assertEqual(answer["stop"], "end_of_text")
            ended += 1
            try:
                jsonschema.Draft202012Validator(schema).validate(json.loads(answer["text"]))
            except (ValueError, jsonschema.ValidationError) as error:
                self.fail(f"{json.dumps(schema)}\ngave {answer['text']}\n{error}")
        print(f"{ended} of {len(schemas)} texts ended, and validate")
        self.assertGreater(ended, len(schemas) // 3)

    def test_greedy_texts_and_texts_of_several_threads_keep_to_the_grammar(self):
        grammar = 'root ::= " " [A-Z] [a-z]{2,8} (", " [a-z]+)* "."'
        for options in (["--temp", 0], ["--temp", 0, "-t", 2], ["--temp", 2, "-s", 3], ["--top-k", 5, "-s", 1], ["--ignore-eos", "--temp", 0]):
            text = self.run_tool("-p", "ROMEO:", "--grammar", grammar, "-n", 200, *options)
            self.assertRegex(text, r"^ [A-Z][a-z]{2,8}(, [a-z]+)*\.?$")

    def test_the_text_ends_where_nothing_can_follow(self):
        answer = self.generate("--grammar", 'root ::= "Juliet"', "-n", 100, "-s", 1)
        self.assertEqual((answer["text"], answer["stop"]), ("Juliet", "end_of_text"))
        # also where that was the last token to be generated
        count = answer["generated_tokens"]
        self.assertEqual(self.generate("--grammar", 'root ::= "Juliet"', "-n", count, "-s", 1)["stop"], "end_of_text")
        self.assertEqual(self.generate("--grammar", 'root ::= "Juliet"', "-n", count - 1, "-s", 1)["stop"], "length")
        self.assertEqual(self.generate("--grammar", 'root ::= ""', "-n", 9)["text"], "")

    def test_files_are_taken_as_texts_are(self):
        (FOLDER / "g.gbnf").write_text('root ::= "yes" | "no"\n')
        (FOLDER / "s.json").write_text('{"enum": ["yes", "no"]}')
        self.assertIn(self.generate("--grammar-file", FOLDER / "g.gbnf")["text"], ("yes", "no"))
        self.assertIn(self.generate("--json-schema-file", FOLDER / "s.json")["text"], ('"yes"', '"no"'))
        self.assertIn(self.generate("-jf", FOLDER / "s.json")["text"], ('"yes"', '"no"'))

    def test_each_answer_of_a_chat_is_one_of_the_grammar(self):
        template = FOLDER / "chat.jinja"
        template.write_text("{% for m in messages %}{{ m.content }}\n{% endfor %}")
        out = self.run_tool("--chat", "--chat-template-file", template, "--grammar", 'root ::= "yes" | "no"', "-s", 1, "--temp", 1, stdin="Is it?\nAnd now?\n")
        self.assertRegex(out, r"^(yes|no)\n(yes|no)\n$")

    def test_a_text_that_was_saved_goes_on_in_its_grammar(self):
        state, grammar = FOLDER / "state", ["--grammar", 'root ::= "But soft, what light through yonder window breaks?"']
        first = self.run_tool("-p", "ROMEO:", "-n", 5, "--save-state", state, *grammar)
        rest = self.run_tool("--load-state", state, *grammar)
        self.assertEqual(first + rest, "But soft, what light through yonder window breaks?")
        self.assertIn("is not one that the grammar allows", self.run_tool("--load-state", state, "--grammar", 'root ::= "x"', code=1))

    def test_what_cannot_be_is_refused_in_one_line(self):
        for arguments, message in (
            (["--grammar", "root ::= x"], "grammar, line 1, column 10: rule 'x' is not defined"),
            (["-j", '{"if": {}}'], "JSON schema, at #: keyword 'if' narrows what is valid, and is not supported"),
            (["-j", '{"oneOf": []}'], "JSON schema, at #/oneOf: oneOf must be a list that is not empty"),
            (["-j", "{}", "--grammar", 'root ::= "a"'], "--grammar and --json-schema cannot be used together"),
            (["-j", "{}", "--tokenize"], "--json-schema is for text and chats, not for other modes"),
        ):
            err = self.run_tool("-p", "a", *arguments, code=2)
            self.assertRegex(err, "^cheems-run: " + re.escape(message) + r"[^\n]*\n$")
        err = self.run_tool("-p", "a", "--grammar-file", FOLDER / "none", code=1)
        self.assertEqual(len(err.splitlines()), 1)


if __name__ == "__main__":
    COMPILER, RUNNER, MODEL = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as name:
        FOLDER = pathlib.Path(name)
        subprocess.run([COMPILER, MODEL, "--cpu", "x86-64-v3", "-o", FOLDER / "model.cheems"], check=True)
        unittest.main(argv=sys.argv[:1])
