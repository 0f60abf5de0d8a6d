#!/usr/bin/env python3
"""Records what transformers makes of conversations: doge_chat.jsonl by doge.jinja, small_chat.jsonl by small.jinja.

    record_chats.py FILE > NEW        needs test/golden/record/requirements-transformers.txt

The conversations are those of the file itself; `rendered` is computed anew.
"""
import json
import pathlib
import sys

from transformers.utils.chat_template_utils import render_jinja_template

DATA = pathlib.Path(__file__).parent
TOKENS = {"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"}


def main():
    name = sys.argv[1]
    template = (DATA / name.replace("_chat.jsonl", ".jinja")).read_text(encoding="utf-8")
    lines = []
    for line in (DATA / name).read_text(encoding="utf-8").split("\n")[:-1]:
        row = json.loads(line)
        row["rendered"] = render_jinja_template([row["messages"]], chat_template=template,
                                                add_generation_prompt=row["add_generation_prompt"], **TOKENS)[0][0]
        lines.append(json.dumps(row))
    print("\n".join(lines))


main()
