#!/usr/bin/env python3
"""Compiles a small checkpoint for GPUs, runs it on the software GPU and compares its logits and greedy tokens with the recorded ones.

    golden.py BIN_DIR MODEL_DIR SOFTWARE_GPU [--ways 1|2|4] [--amplifies] [--weights stored|bf16|f16|int8|int4] [--kv int8]

One file has code for both architectures and, but for f16, for CPUs. There are four ways to run it, two on a card of each architecture:
asynchronous copies take effect early or late, and the prompt is whole or in chunks. --ways 2 takes one of each architecture, --ways 1 takes
one way. CHEEMS_TEST_SEED draws these. All four are run without --ways, or where CHEEMS_TEST_LONG is set. A second run, in which warps have
another order, gives the same bits. Whatever the card finds ends the run. Bounds are those of
test/Integration/recorded.py. Where weights are rounded, the root mean square is bounded instead, and greedy tokens are not compared:
by 0.05 with bf16, and by an eighth of that with f16, which has three bits more, if keys and values are not in bf16.

A model with --amplifies makes so much of roundings that this bound says nothing. Its logits are compared with those of the interpreter,
which rounds the same inputs: they must be nearer to these than these are to those of the interpreter that rounds nothing. Roundings at
other places would be farther away, by the square root of two. That much is allowed where there is SSD: its kernels round as many numbers
again, which the interpreter does not.

With int8 and int4 the logits are compared with those of the CPU, which has the same codes. Products of codes have the same bits on both;
what is between them has not, so now and then an input is rounded to the next code. The bounds are those of f16, and of bf16 if that is
stored. In a batch, the last row gives the same bits as by itself.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "Integration"), str(TESTS / "Interpreter/Inputs")]
import tensors
from recorded import BOUNDS, Golden, stored_type, tensor

ROUNDED_BOUNDS = {"bf16": 0.05, "f16": 0.05 / 8}
# (architecture, when copies take effect, how the prompt is fed); two of each architecture
WAYS = [(80, "early", ()), (80, "late", ("--prefill-chunk", 7)), (90, "late", ()), (90, "early", ("--prefill-chunk", 7))]


def run(*command, **settings):
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                            env={**os.environ, **settings})
    if result.returncode:
        raise RuntimeError(f"exit {result.returncode}: {' '.join(map(str, command))}\n{result.stderr.strip()}")
    return result.stdout


def interpreted(bins, model, golden, stage, weights, folder):
    """The logits that the interpreter computes of the module at a stage."""
    count, length = golden.shape[:2]
    ids = list(tensor(golden.path, "input_ids")[1])
    # slot, start, length, position, and the length for the rotary base
    segments = [number for b in range(count) for number in (b, b * length, length, 0, length, 0, 0, 0)]
    module, step, logits = folder / f"{stage}.mlir", folder / "step.safetensors", folder / f"{stage}.safetensors"
    tensors.write(step, {"tokens": ("I32", [len(ids)], ids), "segments": ("I32", [count, 8], segments),
                         "rows": ("I32", [len(ids)], list(range(len(ids))))})
    run(bins / "cheems-compile", model, "--target", "cuda", "--weights", weights, "--emit", stage, "-o", module)
    run(bins / "cheems-opt", module, f"--cheems-interpret=entry=step weights={model} inputs={step} outputs={logits}", "-o", os.devnull)
    return tensor(logits, "logits")[1]


def main():
    bins, model, gpu = (pathlib.Path(word) for word in sys.argv[1:4])
    options = sys.argv[4:]
    ways = WAYS
    amplifies = "--amplifies" in options
    if amplifies:
        options.remove("--amplifies")
    # by the name, too: so that each run has every way
    draw = zlib.crc32(f"{model.name} {os.environ.get('CHEEMS_TEST_SEED', 1)}".encode())
    if "--ways" in options:
        at = options.index("--ways")
        drawn = {1: [WAYS[draw % 4]], 2: [WAYS[draw % 2], WAYS[2 + draw // 2 % 2]], 4: WAYS}[int(options[at + 1])]
        del options[at : at + 2]
        ways = WAYS if os.environ.get("CHEEMS_TEST_LONG") else drawn
    weights = options[options.index("--weights") + 1] if "--weights" in options else "stored"
    golden, dtype = Golden(model), stored_type(model)
    # keys and values of a checkpoint in bf16 stay in it
    like = "f16" if weights in ("int8", "int4") else weights
    rounded = ROUNDED_BOUNDS.get("bf16" if like == "f16" and dtype == "BF16" else like)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        artefact, logits = pathlib.Path(folder) / "model.cheems", pathlib.Path(folder) / "logits.safetensors"
        run(bins / "cheems-compile", model, "-o", artefact, *options,
            *(["--target", "cuda"] if weights == "f16" else ["--target", "cpu,cuda", "--cpu", "x86-64-v3"]))
        if like != weights:
            run(bins / "cheems-run", artefact, "--device", "cpu", "--input-ids", golden.path, "--logits", logits)
            golden.logits = tensor(logits, "logits")[1]
        if amplifies:
            exact, golden.logits = (interpreted(bins, model, golden, stage, weights, pathlib.Path(folder)) for stage in ("mlir", "rounded"))
            rounded = golden.mean_square_root_of(exact)
            if json.loads((model / "config.json").read_text())["model_type"] == "cheems":
                rounded *= 2**0.5
        for architecture, mode, how in ways:
            settings = {"CHEEMS_CUDA_DRIVER": str(gpu), "CHEEMS_EMULATOR_ARCH": str(architecture), "CHEEMS_EMULATOR_MODE": mode}

            def compute(ids, order=1):
                run(bins / "cheems-run", artefact, "--device", "cuda", "--input-ids", ids, "--logits", logits, *how,
                    CHEEMS_EMULATOR_SEED=str(order), **settings)

            compute(golden.path)
            first = logits.read_bytes()
            compute(golden.path, order=2 + draw % 1000)
            again = logits.read_bytes() == first
            line = f"{model.name} sm_{architecture} {mode} {' '.join(map(str, how))}: "
            if rounded:
                error, bound = golden.mean_square_root(logits), rounded
            else:
                error, bound = golden.error(logits), BOUNDS[dtype]
            ok = error <= bound
            line += f"error {error:.1e} of {bound:.1e} ({dtype}), again {'same' if again else 'DIFFERENT'}"
            ok = ok and again
            if golden.shape[0] > 1:
                alone = golden.alone(logits, compute)
                line += f", a row alone {'same' if alone else 'DIFFERENT'}"
                ok = ok and alone
            if golden.greedy and not rounded:
                ids = run(bins / "cheems-run", artefact, "--device", "cuda", "--prompt-ids", golden.prompt, "-n", len(golden.greedy),
                          "--temp", 0, "--ignore-eos", "--print-ids", *how, **settings)
                same = [int(word) for word in ids.replace(",", " ").split()] == golden.greedy
                line += f", greedy {'same' if same else 'DIFFERENT'}"
                ok = ok and same
            print(line, flush=True)
            failures += not ok
    sys.exit(f"{failures} of {len(ways)} runs failed" if failures else 0)


main()
