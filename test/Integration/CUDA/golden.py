#!/usr/bin/env python3
"""Compiles a small checkpoint for GPUs, runs it on the software GPU and compares its logits with what rounds the same numbers in double,
and these with what rounds none.

    golden.py BIN_DIR MODEL_DIR SOFTWARE_GPU [--ways NUMBER...] [--weights stored|bf16|f16|int8|int4] [--kv stored|int8]

Both bounds follow from the unit roundoffs and the depth alone (test/Integration/rounding_bound.py), and hold for every row. Weights are
rounded, and quantized, by code that shares nothing with the compiler (test/Integration/checkpoints.py). Where a GPU may choose other
keys or experts, the interpreter finds out by the logits which, and follows; how little its own numbers speak against that is bounded, too.

Weights as stored are compared with the recorded logits and greedy tokens as well. The bounds are those of test/Integration/recorded.py.

There are four ways to run a model, two on a GPU of each architecture: asynchronous copies take effect early or late, and the prompt is
whole or in chunks. --ways takes some of them; all four are run without it, or where CHEEMS_TEST_LONG is set. Then one file has code for both
architectures and, but for f16, for CPUs. Fewer ways have code for their architectures alone, because compiling is most of the time. A second
run, in which warps have another order, gives the same bits. Whatever the GPU finds ends the run. In a batch, the last row gives the same
bits as by itself.
"""
import argparse
import os
import pathlib
import sys
import tempfile

from comparison import Comparison, run
from recorded import BOUNDS, Golden, stored_type

# (architecture, when copies take effect, how the prompt is fed); two of each architecture
WAYS = [(80, "early", ()), (80, "late", ("--prefill-chunk", 7)), (90, "late", ()), (90, "early", ("--prefill-chunk", 7))]


def targets_of(ways, weights):
    """The flags of what is compiled for these ways."""
    if ways == WAYS and weights != "f16":
        return ["--target", "cpu,cuda", "--cpu", "x86-64-v3"]
    names = {80: "sm_80", 90: "sm_90a"}
    return ["--target", "cuda", "--cuda-arch", ",".join(names[architecture] for architecture in sorted({way[0] for way in ways}))]


def main():
    parser = argparse.ArgumentParser()
    for name in ("bins", "model", "gpu"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--ways", type=int, nargs="+", choices=range(len(WAYS)), default=range(len(WAYS)))
    parser.add_argument("--weights", default="stored")
    parser.add_argument("--kv", default="stored")
    given = parser.parse_args()
    golden, dtype = Golden(given.model), stored_type(given.model)
    recorded = given.weights == "stored" and given.kv == "stored"
    ways = WAYS if os.environ.get("CHEEMS_TEST_LONG") else [WAYS[number] for number in given.ways]
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        comparison = Comparison(given.bins, given.model, folder, given.weights, given.kv)
        roundings = comparison.roundings()
        print(f"{given.model.name} {given.weights}: roundings: {roundings}", flush=True)
        failures += not roundings.holds()
        artefact, logits = folder / "model.cheems", folder / "logits.safetensors"
        run(given.bins / "cheems-compile", given.model, "-o", artefact, "--weights", given.weights, "--kv", given.kv,
            *targets_of(ways, given.weights))
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
