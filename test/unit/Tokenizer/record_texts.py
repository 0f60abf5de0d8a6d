#!/usr/bin/env python3
"""Records what the Python package `tokenizers` makes of the texts of a file of data/: encode.jsonl, or components.jsonl.

    record_texts.py FILE > NEW        needs: pip install tokenizers==0.23.3

The texts and the settings are those of the file itself, and everything else is computed anew. So a new text is a line with nothing
but its text (encode.jsonl), or a case with nothing but its text in a line of settings (components.jsonl).
"""
import json
import pathlib
import sys

from tokenizers import Tokenizer

DATA = pathlib.Path(__file__).parent / "data"


def encoded(tokenizer, text):
    """Encodes by the whole tokenizer of data/."""
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    return {"text": text, "ids": ids, "ids_with_special": tokenizer.encode(text).ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False),
            "decoded_skip_special": tokenizer.decode(ids, skip_special_tokens=True)}


def case(tokenizer, text):
    """`raw` are the ids where special tokens are text like any other, if they differ."""
    ids = []
    for plain in (False, True):
        tokenizer.encode_special_tokens = plain
        ids.append(tokenizer.encode(text, add_special_tokens=False).ids)
    return {"text": text, "ids": ids[0], **({"raw": ids[1]} if ids[1] != ids[0] else {})}


def with_settings(base, settings):
    """The tokenizer of data/ with other components and more tokens."""
    whole = json.loads(base)
    whole["model"]["ignore_merges"] = settings["ignore_merges"]
    whole["normalizer"], whole["pre_tokenizer"] = settings["normalizer"], settings["pre_tokenizer"]
    whole["added_tokens"] += settings["added_tokens"]
    return Tokenizer.from_str(json.dumps(whole))


def main():
    name = sys.argv[1]
    base = (DATA / "tokenizer.json").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").split("\n") if line]
    if name == "encode.jsonl":
        tokenizer = Tokenizer.from_str(base)
        lines = [json.dumps(encoded(tokenizer, row["text"])) for row in rows]
    elif name == "components.jsonl":
        lines = []
        for row in rows:
            tokenizer = with_settings(base, row)
            again = {**row, "cases": [case(tokenizer, each["text"]) for each in row["cases"]]}
            lines.append(json.dumps(again, ensure_ascii=False, separators=(",", ":")))
    else:
        sys.exit(f"record_texts.py: '{name}' is none of its files, which are encode.jsonl and components.jsonl")
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode())


main()
