#!/usr/bin/env python3
"""Records what transformers' own Jinja environment makes of small templates (needs
test/golden/record/requirements-transformers.txt).

    python3 record_expressions.py > expressions.json

The expressions are the lines of expressions/*.txt; whole templates stand in expressions/templates.py.

`rendered` is null where rendering raises: the interpreter must refuse the template too.
"""
import json
import pathlib

from transformers.utils.chat_template_utils import _compile_jinja_template

from expressions.templates import TEMPLATES

VARIABLES = {
    "n": 7, "x": 2.5, "t": True, "z": None, "s": "  Grüße, Welt! 👋 \n", "word": "straße ΣΑΣ", "e": "",
    "big": 123456789012345678901234567890, "neg": -99999999999999999999, "endless": "inf",
    "l": [3, 1, 2], "d": {"b": 1, "a": [1.0, None, True], "é": "ü\"\\\n\t\u0001\u007f"}, "text": "a,b,,c",
    "m": [{"role": "system", "content": "S"}, {"role": "user", "content": "U1", "n": 2},
          {"role": "assistant", "content": "A1"}, {"role": "user", "content": "U2", "n": 1}],
    "g": [{"role": "user", "content": "G1", "n": 2, "c": {"x": "Z"}}, {"role": "tool", "content": "G2"},
          {"role": "User", "content": "G3", "n": 1, "c": {"x": "z"}}],
}

EXPRESSIONS = [line for path in sorted(pathlib.Path(__file__).parent.glob("expressions/*.txt"))
               for line in path.read_text(encoding="utf-8").split("\n") if line]


def rendered(source):
    try:
        text = _compile_jinja_template(source).render(**VARIABLES)
        return None if " at 0x" in text else text  # an object's address is nothing to print
    except Exception:  # whatever Python raises, the template cannot be rendered
        return None


cases = [{"source": source, "rendered": rendered(source)}
         for source in ["{{ " + each + " }}" for each in EXPRESSIONS] + TEMPLATES]
print('{"variables": ' + json.dumps(VARIABLES) + ',\n"cases": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]}")
