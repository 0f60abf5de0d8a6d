#!/usr/bin/env python3
"""Records greedy continuations by transformers, which compare.py holds cheems-run to, and log-probabilities, for cheems-serve.

    record.py MODEL_DIR OUT.json        needs test/golden/record/requirements-transformers.txt

Eager attention in float32, greedy, end-of-text ignored. Every token comes from a full evaluation without a cache;
"generate_agrees" says whether transformers' own cached generation gives the same. "margin" is the least lead of a
chosen token over the next best one, in logits: how much rounding the comparison survives. "logprobs" are those of each token
of prompt and continuation but the first, computed in double from the logits; there a window keeps the older ones of keys whose
masks are equal, as Cheems does, where torch's topk takes any.
"""
import json
import pathlib
import sys
import types
import unittest.mock

import torch
import transformers

COUNT = 64
PROMPTS = [
    "ROMEO:",
    "KING RICHARD III:\nNow is the winter of our discontent\nMade glorious summer by this",
    "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n\nFirst Citizen:\n"
    "You are all resolved rather to die than to famish?\n\nAll:\nResolved. resolved.\n\nFirst Citizen:\n"
    "First, you know Caius Marcius is chief enemy to the people.\n\nAll:\nWe know't, we know't.\n\nFirst Citizen:\n"
    "Let us kill him, and we'll have corn at our own price.\nIs't a verdict?\n\nAll:\n"
    "No more talking on't; let it be done: away, away!\n\nSecond Citizen:\n",
]


def continuation(model, prompt):
    ids, margin = list(prompt), float("inf")
    for _ in range(COUNT):
        best = model(torch.tensor([ids]), use_cache=False).logits[0, -1].topk(2)
        margin = min(margin, float(best.values[0] - best.values[1]))
        ids.append(int(best.indices[0]))
    return ids[len(prompt) :], margin


def first_of_equals(values, k, dim=-1, **_):
    """Takes the place of torch.topk."""
    ordered = values.sort(dim=dim, descending=True, stable=True)
    return types.SimpleNamespace(values=ordered.values.narrow(dim, 0, k), indices=ordered.indices.narrow(dim, 0, k))


def logprobs(model, ids):
    with unittest.mock.patch.object(torch, "topk", first_of_equals):
        rows = model(torch.tensor([ids]), use_cache=False).logits[0, :-1].double().log_softmax(-1)
    return [round(float(row[token]), 7) for row, token in zip(rows, ids[1:])]


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    runs = []
    with torch.no_grad():
        for text in PROMPTS:
            prompt = tokenizer(text)["input_ids"]
            generated = model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
                                       max_new_tokens=COUNT, min_new_tokens=COUNT, do_sample=False, eos_token_id=None)
            ids, margin = continuation(model, prompt)
            cached = generated[0, len(prompt) :].tolist()
            runs.append({"prompt": prompt, "greedy": ids, "margin": round(margin, 4), "generate_agrees": cached == ids,
                         "logprobs": logprobs(model, prompt + ids)})
    record = {"model": folder.name, "torch": torch.__version__, "transformers": transformers.__version__, "dtype": "float32",
              "attention": "eager", "runs": runs}
    lines = json.dumps(record, indent=1).replace("\n    ", " ").replace("\n   ]", " ]")
    output.write_text(lines + "\n")


main()
