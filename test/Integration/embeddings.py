#!/usr/bin/env python3
"""Embeddings of small checkpoints: that of the last token, times the head, is the recorded row of logits; the mean is that of the rows.

    embeddings.py BIN_DIR SOFTWARE_GPU|- MODEL_DIR...

On the CPU and, where one is given, on the software GPU; a prompt whole and in chunks.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from recorded import BOUNDS, Golden, stored_type, tensor

ROWS = 5  # of the prompt whose mean is compared, in one step and in two


def head_of(model):
    path = model / "model.safetensors"
    for name in ("lm_head.weight", "model.word_embed.weight", "model.embed_tokens.weight"):
        try:
            (rows, columns), values = tensor(path, name)
        except KeyError:
            continue
        return [values[i * columns : (i + 1) * columns] for i in range(rows)]
    raise RuntimeError(f"{model} has no head")


def main():
    bins, gpu = pathlib.Path(sys.argv[1]), sys.argv[2]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in map(pathlib.Path, sys.argv[3:]):
            golden, artefact, head = Golden(model), pathlib.Path(folder) / f"{model.name}.cheems", head_of(model)
            ids = golden.prompt.split(",")
            columns, bound = golden.shape[2], BOUNDS[stored_type(model)]
            targets = ["--cpu", "x86-64-v3"] if gpu == "-" else ["--target", "cpu,cuda", "--cpu", "x86-64-v3", "--cuda-arch", "sm_90a"]
            subprocess.run([bins / "cheems-compile", model, "-o", artefact, *targets], check=True, stdin=subprocess.DEVNULL, timeout=600)

            def embed(prompt, *options, device):
                words = [bins / "cheems-run", artefact, "--embedding", "--device", device, "--prompt-ids", ",".join(prompt), *options]
                result = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                        timeout=600, env={**os.environ, "CHEEMS_CUDA_DRIVER": gpu})
                return json.loads(result.stdout)

            for device in ["cpu"] + ["cuda"] * (gpu != "-"):
                last = embed(ids, "--pooling", "last", device=device)
                logits = [sum(w * x for w, x in zip(row, last)) for row in head]
                expected = golden.logits[(len(ids) - 1) * columns : len(ids) * columns]
                error = max(abs(a - b) for a, b in zip(logits, expected)) / golden.deviation
                # each row of the prompt by itself is the last of a shorter one
                rows = [embed(ids[: i + 1], "--pooling", "last", device=device) for i in range(ROWS)]
                size = statistics.pstdev(x for row in rows for x in row)
                means = [embed(ids[:ROWS], *options, device=device) for options in ((), ("--prefill-chunk", 4))]
                apart = max(abs(got - statistics.fmean(row[i] for row in rows)) / size for mean in means for i, got in enumerate(mean))
                ok = error <= bound and apart <= bound
                failures += not ok
                print(f"{model.name} {device}: logits {error:.1e}, mean {apart:.1e}, bound {bound:.0e}{'' if ok else ' FAILED'}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
