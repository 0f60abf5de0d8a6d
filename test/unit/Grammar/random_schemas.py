#!/usr/bin/env python3
"""Random schemas, and those that pydantic and zod make: each random text of their grammars parses and validates, as jsonschema of PyPI
says. Of Inputs/generated_schemas.json, whose verdicts are recorded, what is valid can be written and the rest cannot.

    random_schemas.py WALK [SCHEMAS]
"""
import json
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

import jsonschema

NAMES = ["a", "b", "ab", "name", "é", 'q"', "x y", ""]
PATTERNS = ["^a+$", "b", "^[a-c]{2,4}$", r"^\d{3}-\d+", r"\w+@\w+", "^(ab|c)*$", "é|日", r'^["\\]', "^.{0,3}$", r"^\S+$", "x$", r"^[^\W\d]\D\s?",
            r"(?i)^[ks]x[^a-k]$", r"^\{[a-z]}]$"]


def leaf(draw):
    kind = draw.randrange(14)
    if kind == 9:
        low = draw.choice([-2.5, -1, 0, 0.125, 10.75])
        return {"type": "number", draw.choice(["minimum", "exclusiveMinimum"]): low, draw.choice(["maximum", "exclusiveMaximum"]): low + draw.choice([0.5, 1, 99.5])}
    if kind == 10:
        return {"type": "integer", "multipleOf": draw.choice([2, 7, 10, 2.5]), **draw.choice([{}, {"minimum": -100, "maximum": 250}])}
    if kind == 11:
        return {"type": "number", **draw.choice([{"multipleOf": 0.25}, {"multipleOf": 0.1, "minimum": -3, "maximum": 3}, {"multipleOf": 1.5, "minimum": 2}])}
    if kind == 12:
        return {"type": "string", "format": draw.choice(["date", "email", "uuid", "ipv4", "ipv6", "json-pointer", "relative-json-pointer"]),
                **draw.choice([{}, {"maxLength": 60}])}
    if kind == 13:
        return {"type": draw.choice(["string", "integer", "boolean"]), "not": {"enum": draw.sample(["a", "", 0, 5, True, "é"], 3)}}
    if kind == 0:
        return {"type": draw.choice(["boolean", "null", "number", "string", "integer"])}
    if kind == 1:
        low = draw.randrange(-1200, 1200)
        bounds = {draw.choice(["minimum", "exclusiveMinimum"]): low, draw.choice(["maximum", "exclusiveMaximum"]): low + 2 + draw.randrange(2000)}
        return {"type": "integer", **bounds}
    if kind == 2:
        return {draw.choice(["minimum", "maximum"]): draw.randrange(-500, 500), "type": "integer"}
    if kind == 3:
        return {"type": "string", "minLength": draw.randrange(4), "maxLength": 4 + draw.randrange(8)}
    if kind == 4:
        return {"type": "string", "pattern": draw.choice(PATTERNS)}
    if kind == 5:
        return {"type": "string", "pattern": draw.choice(PATTERNS), "minLength": 1, "maxLength": 9}
    if kind == 6:
        return {"enum": draw.sample(["a", "é\n", 1, 2.5, None, True, [1, "x"], {"k": 'v"'}], 3)}
    if kind == 7:
        return {"const": draw.choice(["a", 0, False, {"b": []}])}
    return {"type": draw.sample(["string", "integer", "null", "boolean"], 2)}


def combined(draw, depth, defs):
    kind = draw.randrange(9)
    if kind == 0:
        tags = draw.sample(["x", "y", "z"], 2)
        required = draw.choice([{"required": ["k"]}, {}, {"additionalProperties": False}])
        made = [{"type": "object", "properties": {"k": {"const": tag}, "v": schema(draw, depth + 1, defs)}, **required} for tag in tags]
        return {"oneOf": made, **draw.choice([{}, {"discriminator": {"propertyName": "k"}}])}
    if kind == 7:
        values = draw.choice([["a", 1, 1.0, None], [True, False, [1], {"k": 1}], ["v" + str(number) for number in range(12)], [0, False, "0"]])
        item = draw.choice([{"enum": values}, {"type": "boolean"}, {"anyOf": [{"const": "a"}, {"type": ["null", "boolean"]}]},
                            {"type": "string", "maxLength": draw.randrange(1, 4)}, {"type": "integer", "minimum": 0, "maximum": draw.choice([3, 12, 300])},
                            {"type": "number"}, {"type": "string"}])
        if draw.randrange(4) == 0: # which may have one value
            return {"type": "array", "items": schema(draw, depth + 1, defs), "uniqueItems": True, **draw.choice([{}, {"maxItems": 3}])}
        return {"type": "array", "items": item, "uniqueItems": True, **draw.choice([{}, {"minItems": 2}, {"minItems": 1, "maxItems": 2}])}
    if kind == 8:
        names = draw.sample(["a", "b", "c"], 2)
        return {"type": "object", "oneOf": [{"required": [name]} for name in names],
                **draw.choice([{}, {"properties": {name: leaf(draw) for name in "abc"}}, {"additionalProperties": leaf(draw)}])}
    if kind == 1:
        names = draw.sample(NAMES, 2)
        return {"allOf": [{"type": "object", "properties": {name: leaf(draw)}, "required": [name]} for name in names], "properties": {"own": leaf(draw)}}
    if kind == 2:
        first = [schema(draw, depth + 1, defs) for _ in range(1 + draw.randrange(2))]
        return {"type": "array", "prefixItems": first, **draw.choice([{}, {"items": leaf(draw), "maxItems": 4}, {"minItems": 1}])}
    if kind == 3:
        return {"type": "object", "patternProperties": {"^x[a-z]?$": leaf(draw), "^.?y$": leaf(draw)}, **draw.choice([{}, {"additionalProperties": leaf(draw)}, {"properties": {"xy": {}}}])}
    if kind == 4:
        return {"type": "object", "additionalProperties": leaf(draw), "propertyNames": draw.choice([{"enum": ["a", "b"]}, {"pattern": "^[a-c]+$", "maxLength": 3}, {"minLength": 2}]),
                **draw.choice([{}, {"minProperties": 1}, {"maxProperties": 2}])}
    if kind == 5:
        return {"allOf": [{"type": "string", "pattern": draw.choice(["a", "^b?"])}, {"pattern": draw.choice(["b$", "c"])}], "minLength": draw.randrange(3), "maxLength": 5}
    return {"type": "string", "anyOf": [{"maxLength": 2}, {"pattern": "^(?!ab)[a-d]{3}$"}], "title": "t", "x-note": 1}


def schema(draw, depth, defs):
    if depth < 3 and draw.random() < 0.3:
        return combined(draw, depth, defs)
    kind = draw.randrange(3 + max(0, 5 - 2 * depth))
    if kind < 2 or depth > 3:
        return leaf(draw)
    if kind == 2 and defs:
        return {"$ref": "#/$defs/" + draw.choice(defs)}
    if kind < 5:
        names = draw.sample(NAMES, draw.randrange(4))
        made = {"type": "object", "properties": {name: schema(draw, depth + 1, defs) for name in names}}
        if names and draw.random() < 0.7:
            made["required"] = draw.sample(names, draw.randrange(len(names)) + 1)
        extra = draw.randrange(4)
        if extra < 3:
            made["additionalProperties"] = [False, schema(draw, depth + 1, defs), True][extra]
        return made
    if kind == 5:
        low = draw.randrange(3)
        return {"type": "array", "items": schema(draw, depth + 1, defs), "minItems": low, "maxItems": low + draw.randrange(4)}
    if kind == 6:
        return {"anyOf": [schema(draw, depth + 1, defs) for _ in range(1 + draw.randrange(3))]}
    return {"type": "array", "items": schema(draw, depth + 1, defs)}


def document(draw):
    # what refers to itself does so where it may be left out
    node = {"type": "object", "properties": {"v": leaf(draw), "next": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/node"}]}}, "required": ["v", "next"]}
    tree = {"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 2}
    made = schema(draw, 0, ["node", "tree", "leaf"])
    made["$defs"] = {"node": node, "tree": tree, "leaf": leaf(draw)}
    return made


def documents(count):
    """Half of them are the same in every run."""
    seed = int(os.environ.get("CHEEMS_TEST_SEED", "1"))
    draws = [random.Random(number) for number in range(count // 2)]
    draws += [random.Random(f"{seed} {number}") for number in range(count - count // 2)]
    return [document(draw) for draw in draws]


def check_recorded(walk):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "generated_schemas.json")) as file:
        cases = json.load(file)
    lines = "".join(json.dumps([case["schema"], case["valid"] + case["invalid"]], ensure_ascii=False) + "\n" for case in cases)
    answers = subprocess.run([walk], input=lines, capture_output=True, text=True, check=True).stdout.rstrip("\n").split("\n")
    for case, line in zip(cases, answers):
        expected = [True] * len(case["valid"]) + [False] * len(case["invalid"])
        assert json.loads(line) == expected, f"{json.dumps(case['schema'])}\ngave {line}, not {expected}"
    return [case["schema"] for case in cases]


def multiple_of(validator, step, value, schema):
    """jsonschema's own divides doubles, which no integer above 2^53 and few fractions survive."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and Fraction(str(value)) % Fraction(str(step)):
        yield jsonschema.ValidationError(f"{value} is not a multiple of {step}")


def formats():
    """jsonschema's own check of relative pointers takes no number that has a 0 before its last digit."""
    checker = jsonschema.FormatChecker()
    pointer = re.compile(r"(0|[1-9][0-9]*)(#|(/([^~]|~[01])*)*)", re.DOTALL)
    checker.checks("relative-json-pointer")(lambda text: not isinstance(text, str) or pointer.fullmatch(text) is not None)
    return checker


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    schemas = documents(count) + check_recorded(sys.argv[1])
    count = len(schemas)
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in schemas)
    answers = subprocess.run([sys.argv[1]], input=lines, capture_output=True, text=True, check=True).stdout.rstrip("\n").split("\n")
    assert len(answers) == count
    texts = unended = 0
    for one, line in zip(schemas, answers):
        answer = json.loads(line)
        assert isinstance(answer, list), f"{one} was refused: {answer}"
        old = not isinstance(one, bool) and (isinstance(one.get("items"), list) or "draft-07" in one.get("$schema", ""))
        kind = jsonschema.Draft7Validator if old else jsonschema.Draft202012Validator
        validator = jsonschema.validators.extend(kind, {"multipleOf": multiple_of})(one, format_checker=formats())
        for text in answer:
            if text is None:
                unended += 1
                continue
            texts += 1
            try:
                validator.validate(json.loads(text))
            except (ValueError, jsonschema.ValidationError) as error:
                sys.exit(f"{json.dumps(one)}\ngave {text}\n{error}")
    print(f"{texts} texts of {count} schemas validate; {unended} did not end")
    assert unended * 20 < texts


if __name__ == "__main__":
    main()
