#!/usr/bin/env python3
"""Holds cheems-run to the greedy tokens that record.py got from transformers.

    compare.py BIN_DIR MODEL_DIR RECORD.json
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile


UNSUPPORTED = 3


def run(*command, variant=""):
    """Standard output; None where the variant does not run on this machine."""
    words = [str(word) for word in command]
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                            env={**os.environ, "CHEEMS_CPU": variant})
    if variant and result.returncode == UNSUPPORTED:
        return None
    if result.returncode:
        sys.exit(f"exit {result.returncode}: {' '.join(words)}\n{result.stderr.strip()}")
    return result.stdout


def main():
    bins, model, record = map(pathlib.Path, sys.argv[1:4])
    runs = json.loads(record.read_text())["runs"]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for pipeline in ("fast", "scalar"):
            artefact = pathlib.Path(folder) / f"{pipeline}.cheems"
            run(bins / "cheems-compile", model, "-o", artefact, "--pipeline", pipeline)
            names = [variant["name"] for variant in json.loads(run(bins / "cheems-run", artefact, "--describe"))["variants"]]
            for name, want, chunk in itertools.product(names, runs, ([], ["--prefill-chunk", 7])):
                text = run(bins / "cheems-run", artefact, "--prompt-ids", ",".join(map(str, want["prompt"])), "-n",
                           len(want["greedy"]), "--temp", 0, "--ignore-eos", "--print-ids", *chunk, variant=name)
                if text is None:
                    continue
                got = [int(word) for word in text.replace(",", " ").split()]
                same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(got, want["greedy"])))
                ok = got == want["greedy"]
                failures += not ok
                print(f"{' '.join(map(str, [pipeline, name, *chunk]))}: prompt of {len(want['prompt'])}, first {same} of "
                      f"{len(want['greedy'])} tokens are the same{'' if ok else ', DIFFERENT'}")
    sys.exit(f"{failures} runs failed" if failures else 0)


main()
