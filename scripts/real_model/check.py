#!/usr/bin/env python3
"""Compares SmolLM2-135M-Instruct as compiled here with what transformers computed: check.py BIN_DIR FOLDER [--device cuda]

FOLDER is what convert.py made, and golden.safetensors beside this file what record.py recorded of it in float32. Its weights are widened to f32
first, so keys and values are stored in f32, too. Held are
- the logits of a chat's prompt: the largest difference is below 1e-3 of their deviation, also with the prompt in chunks of 7,
- 32 greedy tokens that continue it,
- the perplexity of a text: the same in four digits.
With --device cuda the first tokens of the prompt are computed alone, as the software GPU takes its time. CHEEMS_CUDA_DRIVER names it.
"""
import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

import ml_dtypes  # noqa: F401  (numpy learns of bfloat16)
import numpy as np
from safetensors.numpy import load_file, save_file

BOUND, STRIDE, FEW = 1e-3, 48, 2


def widened(folder, to):
    """A copy of a folder with all tensors in f32."""
    to.mkdir()
    for file in folder.glob("*.json"):
        shutil.copy(file, to)
    config = json.loads((folder / "config.json").read_text())
    (to / "config.json").write_text(json.dumps({**config, "torch_dtype": "float32"}))
    tensors = load_file(folder / "model.safetensors")
    save_file({name: array.astype(np.float32) for name, array in tensors.items()}, to / "model.safetensors", {"format": "pt"})
    return to


class Model:
    def __init__(self, bins, folder, work, device):
        self.bins, self.work, self.file = bins, work, work / "model.cheems"
        self.device = ["--device", device]
        target = ["--target", "cuda"] if device == "cuda" else ["--cpu", "native"]
        self.run("cheems-compile", widened(folder, work / "f32"), "-o", self.file, *target)

    def run(self, program, *words):
        done = subprocess.run([str(word) for word in (self.bins / program, *words)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"exit {done.returncode}: {program} {' '.join(map(str, words))}\n{done.stderr.strip()}")
        return done.stdout

    def logits(self, ids, *how):
        inputs, outputs = self.work / "ids.safetensors", self.work / "logits.safetensors"
        save_file({"input_ids": np.ascontiguousarray(ids)}, inputs)
        self.run("cheems-run", self.file, *self.device, "--input-ids", inputs, "--logits", outputs, *how)
        return load_file(outputs)["logits"][0].astype(np.float64)

    def greedy(self, ids, count):
        words = self.run("cheems-run", self.file, *self.device, "--prompt-ids", ",".join(map(str, ids)), "-n", count, "--temp", 0, "--ignore-eos",
                         "--print-ids")
        return [int(word) for word in words.replace(",", " ").split()]


def perplexity(logits, ids):
    logits = logits[:-1] - logits[:-1].max(axis=1, keepdims=True)
    chosen = logits[np.arange(len(ids) - 1), ids[1:]]
    return math.exp((np.log(np.exp(logits).sum(axis=1)) - chosen).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    a = parser.parse_args()
    golden = load_file(pathlib.Path(__file__).parent / "golden.safetensors")
    failures = 0

    def report(holds, line):
        nonlocal failures
        failures += not holds
        print(("ok    " if holds else "WRONG ") + line, flush=True)

    def compare(ids, what, *how):
        got = model.logits(ids, *how)
        error = np.abs(got[:, ::STRIDE] - golden["logits"][0, :len(got)]).max() / golden["deviation"][0]
        report(error <= BOUND, f"logits of {what}: the largest difference is {error:.1e} of the deviation")

    with tempfile.TemporaryDirectory() as name:
        model = Model(a.bins, a.folder, pathlib.Path(name), a.device)
        if a.device == "cuda":
            compare(golden["input_ids"][:, :FEW], f"the first {FEW} tokens")
        else:
            ids = golden["input_ids"]
            compare(ids, "a chat's prompt")
            compare(ids, "the same in chunks of 7", "--prefill-chunk", 7)
            greedy = golden["greedy_ids"][0].tolist()
            report(model.greedy(ids[0].tolist(), len(greedy)) == greedy, f"{len(greedy)} greedy tokens")
            text = golden["ppl_ids"]
            got, want = perplexity(model.logits(text), text[0]), math.exp(golden["ppl_nll"].astype(np.float64).mean())
            report(f"{got:.2f}" == f"{want:.2f}", f"perplexity {got:.4f}, {want:.4f} recorded")
    sys.exit(1 if failures else 0)


main()
