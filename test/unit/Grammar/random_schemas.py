#!/usr/bin/env python3
"""Random schemas: each random text of their grammars parses and validates, as jsonschema of PyPI says.

    random_schemas.py WALK [SCHEMAS]
"""
import json
import os
import random
import subprocess
import sys

import jsonschema

NAMES = ["a", "b", "ab", "name", "é", 'q"', "x y", ""]
PATTERNS = ["^a+$", "b", "^[a-c]{2,4}$", r"^\d{3}-\d+", r"\w+@\w+", "^(ab|c)*$", "é|日", r'^["\\]', "^.{0,3}$", r"^\S+$", "x$", r"^[^\W\d]\D\s?"]


def leaf(draw):
    kind = draw.randrange(9)
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


def schema(draw, depth, defs):
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


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    schemas = documents(count)
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in schemas)
    answers = subprocess.run([sys.argv[1]], input=lines, capture_output=True, text=True, check=True).stdout.rstrip("\n").split("\n")
    assert len(answers) == count
    texts = unended = 0
    for one, line in zip(schemas, answers):
        answer = json.loads(line)
        assert isinstance(answer, list), f"{one} was refused: {answer}"
        validator = jsonschema.Draft202012Validator(one)
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
