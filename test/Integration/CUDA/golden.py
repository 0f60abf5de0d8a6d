#!/usr/bin/env python3
"""Compiles a small checkpoint for GPUs, runs it on the software GPU and compares its logits with what rounds the same numbers in double,
and these with what rounds none.

    golden.py BIN_DIR MODEL_DIR SOFTWARE_GPU [--ways 1|2|4] [--weights stored|bf16|f16|int8|int4] [--kv stored|int8]

Both bounds follow from the unit roundoffs and the depth alone (test/Integration/rounding_bound.py), and hold for every row. Weights are
rounded, and made codes, by code that shares nothing with the compiler (test/Integration/checkpoints.py). Where a card may choose other
keys or experts, the interpreter finds out by the logits which, and follows; how little its own numbers speak against that is bounded, too.

Weights as stored are compared with the recorded logits and greedy tokens as well. The bounds are those of test/Integration/recorded.py.

One file has code for both architectures and, but for f16, for CPUs. There are four ways to run it, two on a card of each architecture:
asynchronous copies take effect early or late, and the prompt is whole or in chunks. --ways 2 takes one of each architecture, --ways 1 takes
one way, by the model's name. All four are run without --ways, or where CHEEMS_TEST_LONG is set. A second run, in which warps have another
order, gives the same bits. Whatever the card finds ends the run. In a batch, the last row gives the same bits as by itself.
"""
import argparse
import os
import pathlib
import sys
import tempfile
import zlib

from comparison import Comparison, run
from recorded import BOUNDS, Golden, stored_type

# (architecture, when copies take effect, how the prompt is fed); two of each architecture
WAYS = [(80, "early", ()), (80, "late", ("--prefill-chunk", 7)), (90, "late", ()), (90, "early", ("--prefill-chunk", 7))]


def ways_of(name, count):
    draw = zlib.crc32(name.encode())
    drawn = {1: [WAYS[draw % 4]], 2: [WAYS[draw % 2], WAYS[2 + draw // 2 % 2]], 4: WAYS}[count]
    return WAYS if os.environ.get("CHEEMS_TEST_LONG") else drawn


def main():
    parser = argparse.ArgumentParser()
    for name in ("bins", "model", "gpu"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--ways", type=int, default=4)
    parser.add_argument("--weights", default="stored")
    parser.add_argument("--kv", default="stored")
    given = parser.parse_args()
    golden, dtype = Golden(given.model), stored_type(given.model)
    recorded = given.weights == "stored" and given.kv == "stored"
    ways, failures = ways_of(given.model.name, given.ways), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        comparison = Comparison(given.bins, given.model, folder, given.weights, given.kv)
        roundings = comparison.roundings()
        print(f"{given.model.name} {given.weights}: roundings: {roundings}", flush=True)
        failures += not roundings.holds()
        artefact, logits = folder / "model.cheems", folder / "logits.safetensors"
        run(given.bins / "cheems-compile", given.model, "-o", artefact, "--weights", given.weights, "--kv", given.kv,
            *(["--target", "cuda"] if given.weights == "f16" else ["--target", "cpu,cuda", "--cpu", "x86-64-v3"]))
        for architecture, mode, how in ways:
            settings = {"CHEEMS_CUDA_DRIVER": str(given.gpu), "CHEEMS_EMULATOR_ARCH": str(architecture), "CHEEMS_EMULATOR_MODE": mode}

            def compute(ids, order=1):
                run(given.bins / "cheems-run", artefact, "--device", "cuda", "--input-ids", ids, "--logits", logits, *how,
                    CHEEMS_EMULATOR_SEED=str(order), **settings)

            compute(golden.path)
            first = logits.read_bytes()
            compute(golden.path, order=1002)
            again = logits.read_bytes() == first
            outcome = comparison.compiled(logits)
            ok = outcome.holds() and again
            line = f"  sm_{architecture} {mode} {' '.join(map(str, how))}: {outcome}, again {'same' if again else 'DIFFERENT'}"
            if recorded:
                error = golden.error(logits)
                ok = ok and error <= BOUNDS[dtype]
                line += f", recorded {error:.1e} of {BOUNDS[dtype]:.0e} ({dtype})"
            if golden.shape[0] > 1:
                alone = golden.alone(logits, compute)
                line += f", a row alone {'same' if alone else 'DIFFERENT'}"
                ok = ok and alone
            if golden.greedy and recorded:
                ids = run(given.bins / "cheems-run", artefact, "--device", "cuda", "--prompt-ids", golden.prompt, "-n", len(golden.greedy),
                          "--temp", 0, "--ignore-eos", "--print-ids", *how, **settings)
                same = [int(word) for word in ids.replace(",", " ").split()] == golden.greedy
                line += f", greedy {'same' if same else 'DIFFERENT'}"
                ok = ok and same
            print(line, flush=True)
            failures += not ok
    sys.exit(f"{failures} of {1 + len(ways)} comparisons failed" if failures else 0)


main()
