#!/usr/bin/env python3
"""Random schemas over the keywords that cheems-serve knows: what it answers parses and validates, unless it was cut short.

    schemas.py BIN_DIR MODELS_DIR

The judge is the package jsonschema. Chats and completions are asked, greedily and at random, and cheems-run --json-schema where it is there.
"""
import concurrent.futures
import json
import sys
import unittest
import urllib.error

import jsonschema

from serving import SHARED, Demo, drawn, started

SCHEMAS = 60
WORDS = ["Romeo", "Juliet", "the sun", "naïve", "", 'say "ay"', "a\\b", "line\nend"]
PATTERNS = [r"^[A-Z][a-z]{1,6}$", r"^(ay|nay)$", r"^\d{2}:\d{2}$", r"^[^aeiou]{2,4}$", r"^a+b*c?$", r"^(x|yz){1,3}$", r"[0-9]", r"^\w+ \w+$"]


class Maker:
    """Schemas, with definitions that they may refer to."""

    def __init__(self, random):
        self.random, self.definitions = random, {}

    def leaf(self):
        random = self.random
        kind = random.randrange(8)
        if kind == 0:
            return {"type": random.choice(["boolean", "null", "number", "integer"])}
        if kind == 1:
            return {"enum": random.sample([*WORDS, 0, -3, 2.5, True, None, [1, "x"], {"a": 1}], random.randint(1, 4))}
        if kind == 2:
            return {"const": random.choice([*WORDS, 17, False, None, [], {"k": ["v"]}])}
        if kind == 3:
            return {"type": "string", "pattern": random.choice(PATTERNS)}
        if kind == 4:
            least = random.randint(-300, 300)
            bounds = {"minimum": least, "maximum": least + random.choice([0, 1, 9, 123, 4567]), "exclusiveMinimum": least - 1}
            if random.random() < 0.3:
                bounds["exclusiveMaximum"] = bounds.pop("maximum") + 1
            return {"type": "integer", **{name: value for name, value in bounds.items() if random.random() < 0.7}}
        least = random.randint(0, 4)
        bounds = {"minLength": least, "maxLength": least + random.randint(0, 9)}
        return {"type": "string", **{name: value for name, value in bounds.items() if random.random() < 0.7}}

    def object(self, depth):
        names = self.random.sample(["name", "age", "of kin", "ö", "deed", 'q"'], self.random.randint(0, 4))
        schema = {"type": "object", "properties": {name: self.schema(depth - 1) for name in names}}
        schema["required"] = [name for name in names if self.random.random() < 0.7]
        others = self.random.random()
        if others < 0.7:
            schema["additionalProperties"] = False
        elif others < 0.85:
            schema["additionalProperties"] = self.schema(0)
        return schema

    def array(self, depth):
        least = self.random.randint(0, 2)
        schema = {"type": "array", "items": self.schema(depth - 1), "minItems": least, "maxItems": least + self.random.randint(0, 2)}
        if self.random.random() < 0.2:
            del schema["maxItems"]
        return schema

    def schema(self, depth):
        kind = self.random.random()
        if depth <= 0 or kind < 0.35:
            return self.leaf()
        if kind < 0.65:
            return self.object(depth)
        if kind < 0.8:
            return self.array(depth)
        if kind < 0.9:
            return {"anyOf": [self.schema(depth - 1) for _ in range(self.random.randint(1, 3))]}
        name = f"part{len(self.definitions)}"
        self.definitions[name] = None
        self.definitions[name] = self.schema(depth - 1)
        return {"$ref": f"#/$defs/{name}"}

    def whole(self):
        self.definitions = {}
        schema = self.object(3) if self.random.random() < 0.7 else self.schema(3)
        if self.definitions:
            schema = {**schema, "$defs": self.definitions}
        jsonschema.Draft202012Validator.check_schema(schema)
        return schema


# what a generator of trees does not make: a list of itself, and several types at once
FIXED = [{"type": "object", "properties": {"born": {"type": "string", "format": "date"}, "share": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
                                          "id": {"type": "string", "format": "uuid"}, "pair": {"prefixItems": [{"type": "integer"}, {"type": "boolean"}]}},
          "required": ["born", "share", "id", "pair"], "additionalProperties": False, "x-order": 1},
         {"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"], "additionalProperties": False},
                    {"type": "object", "properties": {"k": {"const": "b"}, "n": {"type": "integer", "multipleOf": 5, "maximum": 1000, "minimum": 0}},
                     "required": ["k", "n"], "additionalProperties": False}], "discriminator": {"propertyName": "k"}},
         {"oneOf": [{"type": "object", "properties": {"k": {"const": "a", "default": "a"}, "n": {"type": "null"}}, "additionalProperties": False},
                    {"type": "object", "properties": {"k": {"enum": ["b", "c"], "default": "b"}, "n": {"type": "null"}}, "additionalProperties": False}]},
         {"type": "array", "items": {"enum": ["ay", "nay", None, 1]}, "uniqueItems": True, "minItems": 2},
         {"type": "array", "items": {"type": "string", "maxLength": 2}, "uniqueItems": True, "minItems": 9},
         {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 12}, "uniqueItems": True, "minItems": 12},
         {"type": "object", "properties": {"value": {"type": "integer", "minimum": 0, "maximum": 9},
                                           "next": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}},
          "required": ["value", "next"], "additionalProperties": False},
         {"type": ["string", "null", "integer"], "maxLength": 5},
         {"type": "object", "additionalProperties": {"type": "boolean"}},
         {"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 2}}, "$ref": "#/$defs/tree"},
         {}, True]


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = started(cls, DEMO.serve("--parallel", 4, "-c", 1024))
        cls.random = drawn()
        maker = Maker(cls.random)
        cls.schemas = FIXED + [maker.whole() for _ in range(SCHEMAS)]

    def judge(self, schema, text, how):
        try:
            value = json.loads(text)
            jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(value)
        except (ValueError, jsonschema.ValidationError) as error:
            self.fail(f"{how}: {json.dumps(schema)}\ngave {text!r}\n{error}")

    def answer(self, number):
        """How the answer to this schema was asked for, its text, and whether it is whole."""
        schema = self.schemas[number]
        sampling = {"temperature": 0} if number % 3 == 0 else {"temperature": 1.2, "top_k": 0, "seed": number}
        form = {"type": "json_schema", "json_schema": {"name": "drawn", "schema": schema}}
        options = {"max_tokens": 400, "response_format": form, **sampling}
        if number % 2:
            choice = self.server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "Tell."}], **options})["choices"][0]
            return "a chat", choice["message"]["content"], choice["finish_reason"]
        choice = self.server.post("/v1/completions", {"prompt": "ROMEO:", **options})["choices"][0]
        return "a completion", choice["text"], choice["finish_reason"]

    def test_answers_validate(self):
        whole = 0
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for schema, (how, text, reason) in zip(self.schemas, pool.map(self.answer, range(len(self.schemas)))):
                self.assertIn(reason, ("stop", "length"))
                if reason == "stop":
                    whole += 1
                    self.judge(schema, text, how)
        print(f"{whole} of {len(self.schemas)} answers are whole")
        self.assertGreater(whole, len(self.schemas) // 3)

    def test_other_keywords_that_narrow_are_refused_by_name(self):
        for keyword, value in [("not", {"minLength": 2}), ("if", {}), ("contains", {}), ("unevaluatedProperties", False),
                               ("dependentRequired", {"a": ["b"]})]:
            schema = {"type": "object", "properties": {"a": {keyword: value}}, "required": ["a"]}
            with self.assertRaises(urllib.error.HTTPError) as caught:
                self.server.post("/v1/completions", {"prompt": "x", "response_format": {"type": "json_schema", "json_schema": {"schema": schema}}})
            self.assertEqual(caught.exception.code, 400, keyword)
            error = json.load(caught.exception)["error"]
            self.assertEqual(error["param"], "response_format")
            self.assertIn(keyword, error["message"])

    def test_cheems_run_holds_them_too(self):
        path, judged = DEMO.folder / "schema.json", 0
        for number in self.random.sample(range(len(self.schemas)), 10):
            path.write_text(json.dumps(self.schemas[number]))
            answer = json.loads(DEMO.tool("cheems-run", DEMO.artefact, *SHARED, "-p", "ROMEO:", "-n", 400, "--temp", 1.2, "-s", number, "--json",
                                          "--json-schema-file", path))
            if answer["stop"] not in ("length", "context_full"):
                self.judge(self.schemas[number], answer["text"], "cheems-run")
                judged += 1
        self.assertGreater(judged, 0)


if __name__ == "__main__":
    models, bins = sys.argv.pop(), sys.argv.pop()
    with Demo(bins, models, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
