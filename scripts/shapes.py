#!/usr/bin/env python3
"""Holds one layer of each published Llama, and of its kin, to the evaluator, and looks for spills: shapes.py BIN_DIR [NAME...]

For each model of benchmarks/kin.py, with random weights and its whole vocabulary:
- on the CPU, of 200 tokens, some rows of logits are those of the interpreter, which runs the imported module: weights in f32, the largest
  difference below 1e-3 of the logits' deviation. A prompt in chunks of 7 gives the same;
- for both architectures ptxas assembles all kernels, with weights in bf16, int8 and int4. A kernel that spills is refused there.
CHEEMS_PTXAS names the ptxas, or the package nvidia-cuda-nvcc in PYTHONPATH has it, or PATH.
"""
import array
import dataclasses
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "test/Interpreter/Inputs")]

import kin  # noqa: E402
import random_model  # noqa: E402
import tensors  # noqa: E402

TOKENS, ROWS, BOUND = 200, (0, 1, 63, 64, 65, 127, 199), 1e-3


class Failed(Exception):
    """What a program says."""


def settings():
    own = pathlib.Path(os.environ.get("PYTHONPATH", "")) / "nvidia/cu13/bin/ptxas"
    return {**os.environ, "CHEEMS_PTXAS": str(own)} if own.is_file() else None


def run(*words):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=settings())
    if done.returncode:
        raise Failed((done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1])


def rows_of(path, rows):
    """Rows of logits [..., V] of a file, without a list of all."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        entry = json.loads(file.read(size))["logits"]
        width, found = entry["shape"][-1], []
        for row in rows:
            file.seek(8 + size + entry["data_offsets"][0] + 4 * width * row)
            values = array.array("f")
            values.fromfile(file, width)
            found.append(values)
    return found


def error(got, want):
    differences = [abs(a - b) for one, other in zip(got, want, strict=True) for a, b in zip(one, other, strict=True)]
    # a NaN compares false with everything, so max() alone could lose it
    return float("nan") if any(d != d for d in differences) else max(differences) / statistics.pstdev(want[-1])


def on_cpu(bins, model, work):
    """The largest error, in deviations."""
    folder, ids = work / "f32", [random.Random(1).randrange(3, model.vocabulary) for _ in range(TOKENS)]
    random_model.save(folder, model, "f32")
    module, given, evaluated = work / "module.mlir", work / "in.safetensors", work / "evaluated.safetensors"
    tensors.write(given, {"tokens": ("I32", [TOKENS], ids), "segments": ("I32", [1, 8], [0, 0, TOKENS, 0, TOKENS, 0, 0, 0]),
                          "rows": ("I32", [len(ROWS)], list(ROWS))})
    run(bins / "cheems-compile", folder, "--emit", "mlir", "-o", module)
    run(bins / "cheems-opt", module, f"--cheems-interpret=entry=step weights={folder} inputs={given} outputs={evaluated}", "-o", "/dev/null")
    want = rows_of(evaluated, range(len(ROWS)))
    artefact, inputs, logits = work / "model.cheems", work / "ids.safetensors", work / "logits.safetensors"
    tensors.write(inputs, {"input_ids": ("I64", [1, TOKENS], ids)})
    run(bins / "cheems-compile", folder, "--cpu", "native", "-o", artefact)
    found = []
    for how in ((), ("--prefill-chunk", 7)):
        run(bins / "cheems-run", artefact, "--input-ids", inputs, "--logits", logits, *how)
        found.append(error(rows_of(logits, ROWS), want))
    return float("nan") if any(one != one for one in found) else max(found)


def on_gpus(bins, model, work):
    folder = work / "bf16"
    random_model.save(folder, model, "bf16")
    for architecture in ("sm_80", "sm_90a"):
        for weights in ("bf16", "int8", "int4"):
            run(bins / "cheems-compile", folder, "--target", "cuda", "--cuda-arch", architecture, "--weights", weights, "--emit", "cubin", "-o",
                work / "kernels.cubin")


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: shapes.py BIN_DIR [NAME...]")
    bins, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(kin.KIN)
    failures = 0
    for name in names:
        model = dataclasses.replace(kin.KIN[name], layers=1)
        with tempfile.TemporaryDirectory() as work:
            for where, check in (("CPU", on_cpu), ("GPUs", on_gpus)):
                try:
                    found = check(bins, model, pathlib.Path(work))
                    holds = found is None or found <= BOUND
                    line = "no kernel spills" if found is None else f"error {found:.1e}"
                except Failed as fault:
                    holds, line = False, str(fault)
                failures += not holds
                print(f"{'ok   ' if holds else 'WRONG'} {name}, {where}: {line}", flush=True)
    sys.exit(1 if failures else 0)


main()
